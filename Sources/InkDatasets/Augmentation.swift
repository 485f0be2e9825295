import Foundation
import Ink
import InkRaster

/// How examples are varied while training.
///
/// All values are the most that may happen; zero is never.
///
/// Where points are known they are moved before rasterising, so that the line stays sharp and its
/// width is chosen; where there is only a picture, the picture is warped.
public struct Augmentation: Hashable, Sendable, Codable {
  /// Turning either way, in radians; π turns to any angle.
  public var rotation: Double
  /// Whether mirror images are as good.
  public var reflects: Bool
  /// Scaling of one axis against the other, as a share: 0.25 is from 1/1.25 to 1.25.
  public var stretch: Double
  /// Slant, as a share of the height.
  public var shear: Double
  /// Smooth warping, as a share of the drawing's size.
  public var warp: Double
  /// Shaking of the hand, as a share of the drawing's size.
  ///
  /// Points only.
  public var tremor: Double
  /// How much of a stroke's length is missing at each end.
  ///
  /// Points only.
  public var trim: Double
  /// How much of a stroke's length each end goes too far.
  ///
  /// Points only.
  public var overshoot: Double
  /// How far apart points are, as a share of the drawing's size; every other drawing keeps its own.
  ///
  /// Points only: slow devices record a fast hand so.
  public var spacing: Double
  /// The pen widths to draw with, in pixels, or `nil` for the rasteriser's own.
  ///
  /// Points only.
  public var penWidths: ClosedRange<Double>?
  /// The margins to leave, in pixels, or `nil` for the rasteriser's own.
  ///
  /// Points only.
  public var margins: ClosedRange<Double>?
  /// How bright the ink is, as a share of white, or `nil` for white.
  ///
  /// Points only: pictures made elsewhere are often fainter.
  public var strengths: ClosedRange<Double>?
  /// The share of pictures that keep their frame: they are only turned by quarters and mirrored.
  ///
  /// Pictures only: those made elsewhere often fill their frame to the last pixel, which turning and
  /// shrinking undo.
  public var framed: Double
  /// The smallest size a picture is shrunk to, as a share of its own.
  ///
  /// Pictures only, for drawings are framed anew.
  public var smallest: Double
  /// How far a picture is moved, in pixels.
  ///
  /// Pictures only.
  public var shift: Double

  /// Makes an augmentation; what is not named does not happen.
  public init(
    rotation: Double = 0, reflects: Bool = false, stretch: Double = 0, shear: Double = 0,
    warp: Double = 0, tremor: Double = 0, trim: Double = 0, overshoot: Double = 0,
    spacing: Double = 0, penWidths: ClosedRange<Double>? = nil, margins: ClosedRange<Double>? = nil,
    strengths: ClosedRange<Double>? = nil, framed: Double = 0, smallest: Double = 1,
    shift: Double = 0
  ) {
    self.rotation = rotation
    self.reflects = reflects
    self.stretch = stretch
    self.shear = shear
    self.warp = warp
    self.tremor = tremor
    self.trim = trim
    self.overshoot = overshoot
    self.spacing = spacing
    self.penWidths = penWidths
    self.margins = margins
    self.strengths = strengths
    self.framed = framed
    self.smallest = smallest
    self.shift = shift
  }

  /// No variation.
  public static let none = Augmentation()

  /// For shapes that mean the same at any angle, such as states and arrows.
  public static let anyAngle = Augmentation(
    rotation: .pi, reflects: true, stretch: 0.25, shear: 0.15, warp: 0.04, tremor: 0.006,
    trim: 0.04, overshoot: 0.03, penWidths: 1.2...2.6, smallest: 0.65, shift: 1)

  /// For signs that have an up and a down, such as digits; chosen on a validation part of MNIST.
  public static let upright = Augmentation(
    rotation: 0.15, stretch: 0.12, shear: 0.12, warp: 0.04, tremor: 0.004, trim: 0.02,
    overshoot: 0.02, penWidths: 1.4...2.4, smallest: 0.88, shift: 2)

  /// The named ones.
  public static let named: [String: Augmentation] = [
    "none": .none, "any-angle": .anyAngle, "upright": .upright,
  ]

  /// Reads the JSON form; what is not named in it does not happen.
  ///
  /// - Throws: `DecodingError` where a value is of another kind or out of its range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let names = try decoder.singleValueContainer().decode([String: AnyValue].self).keys
    if let unknown = names.filter({ CodingKeys(stringValue: $0) == nil }).min() {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: [CodingKeys.rotation],
          debugDescription: "`\(unknown)`, which is no part of an augmentation"))
    }
    func number(_ key: CodingKeys, _ range: ClosedRange<Double>, or standard: Double) throws
      -> Double
    {
      let value = try container.decodeIfPresent(Double.self, forKey: key) ?? standard
      guard range.contains(value) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container,
          debugDescription:
            "\(key.stringValue) is not from \(range.lowerBound) to \(range.upperBound)")
      }
      return value
    }
    rotation = try number(.rotation, 0 ... .pi, or: 0)
    reflects = try container.decodeIfPresent(Bool.self, forKey: .reflects) ?? false
    stretch = try number(.stretch, 0...4, or: 0)
    shear = try number(.shear, 0...4, or: 0)
    warp = try number(.warp, 0...1, or: 0)
    tremor = try number(.tremor, 0...1, or: 0)
    trim = try number(.trim, 0...0.5, or: 0)
    overshoot = try number(.overshoot, 0...1, or: 0)
    spacing = try number(.spacing, 0...1, or: 0)
    penWidths = try container.decodeIfPresent(ClosedRange<Double>.self, forKey: .penWidths)
    margins = try container.decodeIfPresent(ClosedRange<Double>.self, forKey: .margins)
    strengths = try container.decodeIfPresent(ClosedRange<Double>.self, forKey: .strengths)
    guard (strengths?.lowerBound ?? 0) >= 0, (strengths?.upperBound ?? 1) <= 1 else {
      throw DecodingError.dataCorruptedError(
        forKey: .strengths, in: container, debugDescription: "strengths are not from 0 to 1")
    }
    // What a rasteriser refuses would leave examples unvaried without a word.
    guard (penWidths?.lowerBound ?? 1) >= 0.5 else {
      throw DecodingError.dataCorruptedError(
        forKey: .penWidths, in: container, debugDescription: "penWidths are not 0.5 or more")
    }
    guard (margins?.lowerBound ?? 0) >= 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: .margins, in: container, debugDescription: "margins are not 0 or more")
    }
    framed = try number(.framed, 0...1, or: 0)
    smallest = try number(.smallest, 0.05...1, or: 1)
    shift = try number(.shift, 0...512, or: 0)
  }

  /// Any JSON value: only the names beside them are looked at.
  private struct AnyValue: Decodable {
    init(from decoder: any Decoder) throws {}
  }

  /// Draws one variation of `example`.
  ///
  /// - Throws: `RasterError` where a coordinate is not finite.
  public func bitmap(
    of example: Example, rasterizer: Rasterizer, using generator: inout SeededGenerator
  ) throws(RasterError) -> Bitmap {
    guard self != .none else { return try example.bitmap(rasterizer) }
    switch example.content {
    case .drawing(let drawing):
      let varied = try rasterizer.with(
        margin: margins.map { generator.uniform($0) },
        penWidth: penWidths.map { generator.uniform($0) })
      let bitmap = try varied.render(vary(drawing, using: &generator))
      guard let strengths else { return bitmap }
      return bitmap.dimmed(to: generator.uniform(strengths))
    case .bitmap(let bitmap): return vary(rasterizer.fit(bitmap), using: &generator)
    }
  }
}

/// A random affine map and a smooth random displacement, on the square from −½ to ½.
struct Distortion {
  /// One wave of the displacement: `amplitude · sin(2π (fx·x + fy·y) + phase)`.
  private struct Wave {
    var amplitudeX: Double
    var amplitudeY: Double
    var frequencyX: Double
    var frequencyY: Double
    var phase: Double
  }

  private var waves: [Wave] = []
  let affine: Transform

  init(_ augmentation: Augmentation, using generator: inout SeededGenerator) {
    let angle = generator.uniform(-augmentation.rotation...augmentation.rotation)
    let longest = 1 + augmentation.stretch
    let stretch = generator.uniform(1 / longest...longest).squareRoot()
    let shear = generator.uniform(-augmentation.shear...augmentation.shear)
    let mirror = augmentation.reflects && generator.chance(0.5) ? -1.0 : 1.0
    // The stretch acts along a random axis, for it comes between two turns.
    let first = augmentation.reflects ? generator.uniform(-.pi ... .pi) : 0
    affine = Transform.rotation(first)
      .then(.scale(x: stretch * mirror, y: 1 / stretch))
      .then(.shear(shear))
      .then(.rotation(angle - first * mirror))
    if augmentation.warp > 0 {
      let amplitude = augmentation.warp * generator.uniform()
      waves = (0..<4).map { _ in
        Wave(
          amplitudeX: amplitude * generator.normal() / 2,
          amplitudeY: amplitude * generator.normal() / 2,
          frequencyX: generator.uniform(-1.5...1.5), frequencyY: generator.uniform(-1.5...1.5),
          phase: generator.uniform(0...(2 * .pi)))
      }
    }
  }

  func apply(to point: Point) -> Point {
    var moved = point
    for wave in waves {
      let value = sin(
        2 * .pi * (wave.frequencyX * point.x + wave.frequencyY * point.y) + wave.phase)
      moved.x += wave.amplitudeX * value
      moved.y += wave.amplitudeY * value
    }
    return affine.apply(to: moved)
  }
}
