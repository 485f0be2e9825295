import Foundation
import Ink
import SeededRandom

// Digits of about unit height around the origin, with y downwards, in several variants that people
// write.

extension Shape {
  /// Returns a digit in one of its variants, with small random changes.
  static func digit(_ digit: Int, _ hand: Hand, using generator: inout SeededGenerator) -> Shape {
    let variants = digitVariants[digit]
    // A writer mostly uses one variant.
    let usual = Int(hand.roundness * 1e4) % variants.count
    let variant = variants[generator.chance(0.7) ? usual : generator.index(below: variants.count)]
    let width = exp(0.12 * generator.normal())
    let strokes = variant.strokes.map { stroke in
      var corner = Point(0, 0)
      return stroke.enumerated().map { index, piece -> [Point] in
        var points = piece.map {
          Point(width * ($0.0 + 0.025 * generator.normal()), $0.1 + 0.025 * generator.normal())
        }
        // Pieces of one stroke meet.
        if index > 0 { points[0] = corner }
        corner = points[points.count - 1]
        return points.count > 2 ? smooth(points) + [corner] : points
      }
    }
    return Shape(kind: "\(digit), \(variant.kind)", strokes: strokes, stance: .upright)
  }

  /// A variant of a digit: strokes of smooth pieces of points.
  private struct DigitVariant: Sendable {
    let kind: String
    let strokes: [[[(Double, Double)]]]
  }

  /// The variants of each digit.
  private static let digitVariants: [[DigitVariant]] = [
    [
      DigitVariant(kind: "from the top", strokes: [[ring(0, 0, 0.29, 0.5, turn: -1)]]),
      DigitVariant(kind: "clockwise", strokes: [[ring(0, 0, 0.3, 0.5, turn: 1)]]),
      DigitVariant(kind: "narrow", strokes: [[ring(0, 0, 0.22, 0.5, turn: -1)]]),
    ],
    [
      DigitVariant(kind: "a line", strokes: [[[(0, -0.5), (0, 0.5)]]]),
      DigitVariant(
        kind: "with a flag",
        strokes: [[[(-0.2, -0.26), (0.04, -0.5)], [(0.04, -0.5), (0.04, 0.5)]]]),
      DigitVariant(
        kind: "with a foot",
        strokes: [
          [[(-0.18, -0.3), (0.02, -0.5)], [(0.02, -0.5), (0.02, 0.5)]],
          [[(-0.2, 0.5), (0.22, 0.5)]],
        ]),
    ],
    [
      DigitVariant(
        kind: "with a corner",
        strokes: [
          [
            [
              (-0.27, -0.26), (-0.16, -0.45), (0.05, -0.5), (0.25, -0.38), (0.24, -0.14),
              (0.02, 0.16), (-0.28, 0.49),
            ],
            [(-0.28, 0.49), (0.31, 0.48)],
          ]
        ]),
      DigitVariant(
        kind: "with a loop",
        strokes: [
          [
            [
              (-0.26, -0.3), (-0.1, -0.48), (0.12, -0.48), (0.24, -0.3), (0.16, -0.05),
              (-0.06, 0.24), (-0.24, 0.42), (-0.28, 0.3), (-0.14, 0.3), (0.1, 0.46), (0.32, 0.42),
            ]
          ]
        ]),
    ],
    [
      DigitVariant(
        kind: "round",
        strokes: [
          [
            [
              (-0.25, -0.38), (-0.05, -0.5), (0.2, -0.42), (0.22, -0.2), (0.06, -0.07),
              (-0.06, -0.04),
            ],
            [
              (-0.06, -0.04), (0.16, 0.02), (0.28, 0.22), (0.18, 0.44), (-0.06, 0.5), (-0.28, 0.38),
            ],
          ]
        ]),
      DigitVariant(
        kind: "flat top",
        strokes: [
          [
            [(-0.25, -0.5), (0.22, -0.49)], [(0.22, -0.49), (-0.04, -0.1)],
            [
              (-0.04, -0.1), (0.18, -0.04), (0.28, 0.18), (0.18, 0.43), (-0.06, 0.5), (-0.27, 0.38),
            ],
          ]
        ]),
    ],
    [
      DigitVariant(
        kind: "open",
        strokes: [
          [[(-0.08, -0.5), (-0.29, 0.12)], [(-0.29, 0.12), (0.3, 0.12)]],
          [[(0.12, -0.22), (0.09, 0.5)]],
        ]),
      DigitVariant(
        kind: "closed",
        strokes: [
          [
            [(0.3, 0.16), (-0.29, 0.16)], [(-0.29, 0.16), (0.14, -0.5)],
            [(0.14, -0.5), (0.14, 0.5)],
          ]
        ]
      ),
      DigitVariant(
        kind: "square",
        strokes: [
          [[(-0.24, -0.48), (-0.25, 0.04)], [(-0.25, 0.04), (0.24, 0.03)]],
          [[(0.2, -0.5), (0.2, 0.5)]],
        ]),
    ],
    [
      DigitVariant(
        kind: "roof last",
        strokes: [
          [
            [(-0.2, -0.5), (-0.23, -0.06)],
            [(-0.23, -0.06), (0, -0.15), (0.24, 0), (0.26, 0.27), (0.06, 0.49), (-0.27, 0.41)],
          ], [[(-0.2, -0.5), (0.25, -0.5)]],
        ]),
      DigitVariant(
        kind: "in one",
        strokes: [
          [
            [(0.25, -0.5), (-0.2, -0.49)], [(-0.2, -0.49), (-0.23, -0.06)],
            [(-0.23, -0.06), (0, -0.15), (0.24, 0), (0.26, 0.27), (0.06, 0.49), (-0.27, 0.41)],
          ]
        ]),
    ],
    [
      DigitVariant(
        kind: "bent",
        strokes: [
          [
            [
              (0.18, -0.5), (-0.08, -0.26), (-0.25, 0.1), (-0.2, 0.4), (0.04, 0.5), (0.25, 0.34),
              (0.21, 0.1), (0, 0.03), (-0.22, 0.2),
            ]
          ]
        ]),
      DigitVariant(
        kind: "straight",
        strokes: [
          [
            [(0.02, -0.5), (-0.16, -0.14), (-0.24, 0.22)],
            [(-0.24, 0.22), (-0.08, 0.49), (0.18, 0.44), (0.24, 0.2), (0.06, 0.06), (-0.16, 0.16)],
          ]
        ]),
    ],
    [
      DigitVariant(
        kind: "plain", strokes: [[[(-0.27, -0.49), (0.28, -0.5)], [(0.28, -0.5), (-0.08, 0.5)]]]),
      DigitVariant(
        kind: "with a bar",
        strokes: [
          [[(-0.27, -0.48), (0.27, -0.5)], [(0.27, -0.5), (-0.06, 0.5)]],
          [[(-0.14, 0.02), (0.24, -0.02)]],
        ]),
      DigitVariant(
        kind: "with a serif",
        strokes: [
          [
            [(-0.27, -0.34), (-0.26, -0.49)], [(-0.26, -0.49), (0.27, -0.48)],
            [(0.27, -0.48), (-0.04, 0.5)],
          ]
        ]),
    ],
    [
      DigitVariant(
        kind: "crossing",
        strokes: [
          [
            [
              (0.2, -0.36), (0.02, -0.5), (-0.19, -0.38), (-0.13, -0.14), (0.12, 0.08), (0.25, 0.3),
              (0.02, 0.5), (-0.23, 0.32), (-0.12, 0.08), (0.12, -0.13), (0.21, -0.33),
            ]
          ]
        ]),
      DigitVariant(
        kind: "two rings",
        strokes: [[ring(0, -0.27, 0.19, 0.23, turn: -1)], [ring(0, 0.22, 0.25, 0.28, turn: -1)]]),
    ],
    [
      DigitVariant(
        kind: "straight",
        strokes: [
          [
            [
              (0.21, -0.32), (0.04, -0.5), (-0.2, -0.4), (-0.21, -0.17), (-0.02, -0.07),
              (0.17, -0.18), (0.21, -0.36),
            ],
            [(0.21, -0.36), (0.17, 0.5)],
          ]
        ]),
      DigitVariant(
        kind: "bent",
        strokes: [
          [
            [
              (0.2, -0.34), (0.02, -0.5), (-0.2, -0.4), (-0.21, -0.17), (-0.02, -0.07),
              (0.17, -0.18), (0.21, -0.36),
            ],
            [(0.21, -0.36), (0.22, -0.02), (0.14, 0.34), (-0.04, 0.5), (-0.22, 0.4)],
          ]
        ]),
    ],
  ]

  /// Returns an ellipse that starts at its top and slightly overlaps its start.
  private static func ring(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, turn: Double
  ) -> [(Double, Double)] {
    (0...9).map { step in
      let angle = -Double.pi / 2 + turn * 2.1 * .pi * Double(step) / 9
      return (x + width * cos(angle), y + height * sin(angle))
    }
  }
}
