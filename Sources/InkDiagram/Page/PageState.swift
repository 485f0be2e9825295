import Ink

/// A state that the network sees on a page, in cells.
struct PageState {
  /// Its centre.
  var center: Vector
  /// Its half axes.
  var half: Vector
  /// The distance from its centre to its outer ring in ``directions`` directions, clockwise from the right.
  var outline: [Double]
  /// The share of directions in which its ring is seen.
  var support: Double
  /// The logarithm of the odds that it is final.
  var finalOdds: Double
  /// The logarithm of the odds that it is a state, by the votes of the looks that see it; infinite if all do.
  var odds = Double.infinity

  /// The number of directions of an outline.
  static let directions = 64

  /// The mean of its half axes.
  var radius: Double { (half.x + half.y) / 2 }

  /// Its outline as points.
  var rim: [Vector] {
    outline.enumerated().map { center + Self.direction($0) * $1 }
  }

  /// Returns how far a place is from its centre, in its half axes.
  func distanceInAxes(to place: Vector) -> Double {
    place.distance(to: center, inAxes: half)
  }

  /// Returns the unit vector of a direction.
  static func direction(_ number: Int) -> Vector {
    Vector(angle: 2 * .pi * Double(number) / Double(directions), length: 1)
  }

  /// Returns the distance of a place from the outline, below 0 inside.
  func distance(to place: Vector) -> Double {
    let way = place - center
    guard way.length > 1e-6 else { return -min(half.x, half.y) }
    let turn = (way.angle / (2 * .pi) + 1) * Double(Self.directions)
    let (before, share) = (Int(turn), turn - turn.rounded(.down))
    let radius =
      outline[before % Self.directions] * (1 - share)
      + outline[(before + 1) % Self.directions] * share
    // From a wide ellipse the shortest way is shorter than that from the centre.
    let inAxes = Vector(way.x / half.x, way.y / half.y)
    let slope = Vector(inAxes.x / half.x, inAxes.y / half.y)
    return (way.length - radius) * inAxes.dot(inAxes) / (slope.length * way.length)
  }

  /// Returns the share of its area that is inside another state.
  func share(in other: PageState) -> Double {
    guard center.distance(to: other.center) < outline.max()! + other.outline.max()! else {
      return 0
    }
    var (inside, all) = (0.0, 0.0)
    for (number, radius) in outline.enumerated() {
      for share in stride(from: 0.1, to: 1, by: 0.2) {
        // A place stands for a piece of its sector, whose area this is but for a factor.
        let area = share * radius * radius
        all += area
        if other.distance(to: center + Self.direction(number) * (radius * share)) < 0 {
          inside += area
        }
      }
    }
    return inside / all
  }

  /// Returns the direction in which the distance from a place to its outline becomes smaller most quickly.
  func inwards(from place: Vector) -> Vector {
    let span = 2.0
    return Vector(
      distance(to: place - Vector(span, 0)) - distance(to: place + Vector(span, 0)),
      distance(to: place - Vector(0, span)) - distance(to: place + Vector(0, span))
    ).unit
  }
}

extension Vector {
  /// Returns the distance to the centre of an ellipse, in its half axes.
  func distance(to center: Vector, inAxes half: Vector) -> Double {
    let way = self - center
    return Vector(way.x / half.x, way.y / half.y).length
  }
}
