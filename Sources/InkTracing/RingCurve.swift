import Foundation
import Ink

/// A closed curve around a place, about as round as a ring drawn by hand: the radius in each direction is a sum of
/// waves.
struct RingCurve {
  private(set) var center: Point
  /// The mean radius, then the factors of the cosine and the sine for 1, 2 and 3 periods in a turn.
  private var factors: [Double]

  /// The number of waves.
  private static let waveCount = 3

  /// Creates a circle.
  init(center: Point, radius: Double) {
    self.center = center
    factors = [radius] + [Double](repeating: 0, count: 2 * Self.waveCount)
  }

  /// The mean radius.
  var radius: Double { factors[0] }

  /// Returns the radius in the direction of `angle`, and how it changes with the angle.
  func radius(at angle: Double) -> (value: Double, slope: Double) {
    var (value, slope) = (factors[0], 0.0)
    for wave in 1...Self.waveCount {
      let (a, b) = (factors[2 * wave - 1], factors[2 * wave])
      let (cosine, sine) = (cos(Double(wave) * angle), sin(Double(wave) * angle))
      value += a * cosine + b * sine
      slope += Double(wave) * (b * cosine - a * sine)
    }
    return (value, slope)
  }

  /// Returns the angle at which a place is seen from the centre.
  func angle(of place: Point) -> Double { atan2(place.y - center.y, place.x - center.x) }

  /// Returns the place on the curve in the direction of `angle`, moved outwards by `way`.
  func place(at angle: Double, outwards way: Double = 0) -> Point {
    let radius = radius(at: angle).value + way
    return Point(center.x + radius * cos(angle), center.y + radius * sin(angle))
  }

  /// Returns how far a place is outside of the curve, seen from its centre; less than 0 inside.
  func distance(of place: Point) -> Double {
    place.distance(to: center) - radius(at: angle(of: place)).value
  }

  /// Returns the height of a wave, as a share of the radius; that of the second tells how narrow the curve is.
  func share(ofWave wave: Int) -> Double {
    let (a, b) = (factors[2 * wave - 1], factors[2 * wave])
    return (a * a + b * b).squareRoot() / radius
  }

  /// Returns the curve with so many waves through radii at angles around its centre, by least squares; the first
  /// wave becomes a shift of the centre.
  func fitted(to known: [(angle: Double, radius: Double)], waves: Int) -> RingCurve? {
    let count = 2 * waves + 1
    var matrix = [[Double]](repeating: [Double](repeating: 0, count: count + 1), count: count)
    for (angle, radius) in known {
      var row = [1.0]
      for wave in 1...waves {
        row.append(cos(Double(wave) * angle))
        row.append(sin(Double(wave) * angle))
      }
      for i in 0..<count {
        for j in 0..<count { matrix[i][j] += row[i] * row[j] }
        matrix[i][count] += row[i] * radius
      }
    }
    guard let solution = LinearEquations.solution(&matrix) else { return nil }
    var result = self
    for index in factors.indices { result.factors[index] = index < count ? solution[index] : 0 }
    result.center = Point(center.x + solution[1], center.y + solution[2])
    (result.factors[1], result.factors[2]) = (0, 0)
    return result
  }
}
