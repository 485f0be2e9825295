import Foundation
import Ink
import SeededRandom

/// The paper under a page: its lines and holes.
struct PaperGround {
  /// The middle of the page.
  let middle: Point
  /// The map from the page to the picture.
  let perspective: Perspective
  /// The size of the picture that is drawn, as a share of the page.
  let scale: Double

  private func place(_ x: Double, _ y: Double) -> Vector {
    perspective.apply(to: Vector(middle.x + x, middle.y + y)) * scale
  }

  /// Draws the lines of the paper.
  func drawLines(on plane: inout CoverPlane, using dice: inout PageDice) {
    let kind: PaperRuling = dice.choose(.paperLines)
    let reach = 1.5 * max(middle.x, middle.y)
    let spacing = dice.number(.lineSpacing)
    let strength = dice.number(.lineStrength)
    let radius = dice.generator.uniform(0.3...1.1)
    let cover = min(1, strength / PageScene.lineDepth)
    let start = dice.generator.uniform(0...spacing)
    let steps = Array(stride(from: start - reach, through: reach, by: spacing))
    if kind == .ruled || kind == .squared {
      for y in steps { plane.line(place(-reach, y), place(reach, y), radius: radius, cover: cover) }
    }
    if kind == .squared {
      for x in steps { plane.line(place(x, -reach), place(x, reach), radius: radius, cover: cover) }
    }
    if kind == .dotted {
      for y in steps {
        for x in steps {
          let dot = place(x, y)
          plane.mark(dot, dot, radius: radius + 0.3, cover: min(1, 1.5 * cover))
        }
      }
    }
    if dice.happens(.marginLine) {
      for line in 0...dice.generator.index(below: 2) {
        let x = dice.generator.uniform(-0.9...0.9) * middle.x + 3 * Double(line)
        plane.line(
          place(x, -reach), place(x, reach), radius: radius * 1.3, cover: min(1, 1.5 * cover))
      }
    }
  }

  /// Returns the holes of punched or bound paper, in px of the picture that is drawn.
  func holes(size: Page, using dice: inout PageDice) -> [PageScene.Hole] {
    let isBound = dice.happens(.spiral)
    let isPunched = dice.happens(.holes)
    guard isBound || isPunched else { return [] }
    let side = dice.generator.pick([Vector(-1, 0), Vector(1, 0), Vector(0, -1)])
    let along = Vector(side.y, side.x)
    let (half, length) = side.x != 0 ? (middle.x, middle.y) : (middle.y, middle.x)
    let distance = half * dice.generator.uniform(0.86...0.97)
    let radius = isBound ? dice.generator.uniform(1.5...4) : dice.generator.uniform(4...9)
    let pitch =
      isBound
      ? radius * dice.generator.uniform(3.5...6) : length * dice.generator.uniform(0.4...0.9)
    let offset = dice.generator.uniform(0...pitch)
    return stride(from: offset - 1.4 * length, through: 1.4 * length, by: pitch).map { step in
      let center = side * distance + along * step
      let wire = side * (radius * 5)
      return PageScene.Hole(
        center: place(center.x, center.y), radius: radius * scale,
        wireEnd: isBound ? place(center.x + wire.x, center.y + wire.y + radius) : nil)
    }
  }
}
