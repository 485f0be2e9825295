import Foundation
import Ink
import SeededRandom

// Letters and signs of about unit height around the origin, with y downwards, as people print them.

extension Synthesizer {
  /// Returns `perCharacter` drawings of each letter, digit and sign by writer number `writer`.
  ///
  /// The label of a drawing is its character.
  public func characters(by writer: Int, perCharacter: Int) -> [Recording] {
    var habits = SeededGenerator(seed: seed, stream: 1, UInt64(writer))
    let hand = Hand(using: &habits)
    let digits = (0...9).map { Character(String($0)) }
    return (digits + Shape.letters.keys.sorted()).enumerated().flatMap { number, character in
      (0..<perCharacter).map { index -> Recording in
        var generator = SeededGenerator(
          seed: seed, stream: 4, UInt64(writer), UInt64(number), UInt64(index))
        var shape =
          number < 10
          ? Shape.digit(number, hand, using: &generator)
          : Shape.letter(character, hand, using: &generator)
        shape.place(hand, using: &generator)
        return Recording(
          HandMovement(hand).draw(shape, using: &generator), label: String(character),
          writer: "synthetic-\(writer + 1)", device: hand.device, source: "synthetic",
          attributes: ["kind": .text(shape.kind)])
      }
    }
  }
}

extension Shape {
  /// Returns a letter with small random changes.
  ///
  /// - Precondition: ``letters`` has it.
  static func letter(
    _ character: Character, _ hand: Hand, using generator: inout SeededGenerator
  ) -> Shape {
    let width = exp(0.1 * generator.normal())
    let strokes = letters[character]!.map { stroke in
      var corner = Point(0, 0)
      return stroke.enumerated().map { index, piece -> [Point] in
        var points = piece.map {
          Point(width * ($0.0 + 0.02 * generator.normal()), $0.1 + 0.02 * generator.normal())
        }
        if index > 0 { points[0] = corner }
        corner = points[points.count - 1]
        return points.count > 2 ? smooth(points) + [corner] : points
      }
    }
    return Shape(kind: "letter \(character)", strokes: strokes, stance: .upright)
  }

  /// The letters: strokes of smooth pieces of points.
  static let letters: [Character: [[[(Double, Double)]]]] = [
    "a": [
      [
        [
          (0.3, -0.35), (0.05, -0.5), (-0.25, -0.3), (-0.3, 0.15), (-0.1, 0.45), (0.15, 0.35),
          (0.3, -0.4),
        ],
        [(0.3, -0.4), (0.3, 0.3), (0.42, 0.46)],
      ]
    ],
    "b": [
      [
        [(-0.2, -0.5), (-0.2, 0.45)],
        [(-0.2, 0.45), (-0.16, 0.1), (0.05, -0.05), (0.24, 0.15), (0.18, 0.42), (-0.18, 0.46)],
      ]
    ],
    "c": [
      [
        [
          (0.3, -0.35), (0.05, -0.5), (-0.28, -0.25), (-0.3, 0.2), (-0.05, 0.5), (0.32, 0.36),
        ]
      ]
    ],
    "d": [
      [
        [(0.2, 0.05), (-0.05, -0.02), (-0.26, 0.18), (-0.16, 0.46), (0.12, 0.4), (0.22, 0.05)],
        [(0.22, 0.05), (0.22, -0.5)], [(0.22, -0.5), (0.22, 0.48)],
      ]
    ],
    "e": [
      [
        [(-0.3, 0.02), (0.3, -0.02)],
        [
          (0.3, -0.02), (0.2, -0.4), (-0.1, -0.5), (-0.33, -0.1), (-0.25, 0.35), (0.05, 0.5),
          (0.32, 0.36),
        ],
      ]
    ],
    "f": [
      [[(0.25, -0.42), (0.08, -0.5), (-0.04, -0.3), (-0.04, 0.5)]],
      [[(-0.22, -0.1), (0.2, -0.12)]],
    ],
    "i": [[[(0, -0.18), (0, 0.5)]], [[(0, -0.48), (0.01, -0.46)]]],
    "n": [
      [
        [(-0.3, -0.48), (-0.3, 0.5)],
        [(-0.3, 0.5), (-0.26, -0.2), (0.02, -0.48), (0.28, -0.25), (0.3, 0.5)],
      ]
    ],
    "o": [
      [
        [
          (0, -0.5), (-0.35, -0.2), (-0.32, 0.28), (0, 0.5), (0.33, 0.25), (0.32, -0.25),
          (0.02, -0.5),
        ]
      ]
    ],
    "p": [
      [[(-0.2, -0.45), (-0.2, 0.5)]],
      [[(-0.2, -0.35), (0.05, -0.5), (0.26, -0.3), (0.14, -0.03), (-0.18, -0.02)]],
    ],
    "q": [
      [
        [(0.2, -0.4), (-0.05, -0.5), (-0.26, -0.28), (-0.14, 0), (0.1, -0.06), (0.2, -0.4)],
        [(0.2, -0.4), (0.2, 0.5)],
      ]
    ],
    "r": [
      [[(-0.2, -0.48), (-0.2, 0.5)], [(-0.2, 0.5), (-0.15, -0.2), (0.08, -0.46), (0.28, -0.4)]]
    ],
    "s": [
      [
        [
          (0.26, -0.38), (0, -0.5), (-0.24, -0.32), (-0.05, -0.04), (0.22, 0.16), (0.12, 0.44),
          (-0.28, 0.4),
        ]
      ]
    ],
    "t": [[[(0, -0.5), (0, 0.35), (0.18, 0.48)]], [[(-0.2, -0.22), (0.22, -0.23)]]],
    "u": [
      [
        [(-0.3, -0.5), (-0.28, 0.2), (-0.05, 0.48), (0.28, 0.2), (0.3, -0.5)],
        [(0.3, -0.5), (0.3, 0.5)],
      ]
    ],
    "x": [[[(-0.3, -0.5), (0.3, 0.5)]], [[(0.3, -0.5), (-0.3, 0.5)]]],
    "y": [[[(-0.26, -0.5), (0, 0.02)]], [[(0.26, -0.5), (-0.18, 0.5)]]],
    "z": [
      [[(-0.3, -0.48), (0.3, -0.5)], [(0.3, -0.5), (-0.3, 0.48)], [(-0.3, 0.48), (0.32, 0.47)]]
    ],
    "A": [
      [[(0, -0.5), (-0.32, 0.5)]], [[(0, -0.5), (0.32, 0.5)]], [[(-0.22, 0.12), (0.22, 0.1)]],
    ],
    "B": [
      [[(-0.26, -0.5), (-0.26, 0.5)]],
      [
        [(-0.26, -0.48), (0.12, -0.44), (0.16, -0.16), (-0.24, -0.02)],
        [(-0.24, -0.02), (0.24, 0.06), (0.24, 0.4), (-0.26, 0.5)],
      ],
    ],
    "C": [[[(0.3, -0.36), (0.02, -0.5), (-0.3, -0.2), (-0.28, 0.25), (0, 0.5), (0.32, 0.34)]]],
    "D": [
      [[(-0.26, -0.5), (-0.26, 0.5)]],
      [[(-0.26, -0.49), (0.14, -0.4), (0.3, 0.02), (0.12, 0.4), (-0.27, 0.49)]],
    ],
    "E": [
      [
        [(0.26, -0.49), (-0.24, -0.5)], [(-0.24, -0.5), (-0.25, 0.5)],
        [(-0.25, 0.5), (0.28, 0.48)],
      ],
      [[(-0.24, -0.02), (0.18, -0.03)]],
    ],
    "F": [
      [[(-0.24, -0.5), (-0.24, 0.5)]], [[(-0.24, -0.49), (0.28, -0.5)]],
      [[(-0.24, -0.04), (0.16, -0.05)]],
    ],
    "S": [
      [
        [
          (0.26, -0.38), (0.02, -0.5), (-0.25, -0.34), (-0.08, -0.06), (0.24, 0.16), (0.12, 0.46),
          (-0.28, 0.4),
        ]
      ]
    ],
    "T": [[[(-0.32, -0.5), (0.32, -0.5)]], [[(0, -0.5), (0, 0.5)]]],
    "ε": [
      [
        [(0.24, -0.4), (-0.02, -0.5), (-0.24, -0.3), (0.02, -0.04)],
        [(0.02, -0.04), (-0.28, 0.14), (-0.2, 0.44), (0.06, 0.5), (0.28, 0.36)],
      ]
    ],
  ]
}
