import Foundation
import Ink
import InkRaster
import SeededRandom

/// Random variations of examples during training.
///
/// Each value is the maximum of a variation; 0 turns it off. Points are moved before rendering, so
/// that lines stay sharp. Examples that are pictures are warped.
public struct Augmentation: Hashable, Sendable, Codable {
  /// The rotation in both directions, in radians; π allows any angle.
  public var rotation: Double
  /// Whether examples are mirrored.
  public var reflects: Bool
  /// The change of the aspect ratio: 0.25 is from 1/1.25 to 1.25.
  public var stretch: Double
  /// The slant, as a share of the height.
  public var shear: Double
  /// The elastic distortion, as a share of the drawing's size.
  public var warp: Double
  /// The tremor of the hand, as a share of the drawing's size.
  ///
  /// Points only.
  public var tremor: Double
  /// The share of a stroke's length that is cut off at each end.
  ///
  /// Points only.
  public var trim: Double
  /// The share of a stroke's length that is added at each end.
  ///
  /// Points only.
  public var overshoot: Double
  /// The distance between points, as a share of the drawing's size; half of the drawings keep their
  /// points.
  ///
  /// Points only. Slow devices record fast strokes with few points.
  public var spacing: Double
  /// The pen widths, in pixels, or `nil` for that of the rasteriser.
  ///
  /// Points only.
  public var penWidths: ClosedRange<Double>?
  /// The margins, in pixels, or `nil` for that of the rasteriser.
  ///
  /// Points only.
  public var margins: ClosedRange<Double>?
  /// The brightness of the ink, as a share of white, or `nil` for white.
  ///
  /// Points only. Pictures from other sources are often fainter.
  public var strengths: ClosedRange<Double>?
  /// The share of pictures that are only rotated by quarter turns and mirrored.
  ///
  /// Pictures only. Those from other sources often fill their frame, and other rotations change
  /// that.
  public var framed: Double
  /// The minimum scale of a picture.
  ///
  /// Pictures only, because drawings are always scaled to the frame.
  public var smallest: Double
  /// The translation of a picture, in pixels.
  ///
  /// Pictures only.
  public var shift: Double

  /// The share of lines of writing in which one or two strokes are broken.
  ///
  /// Points only.
  public var breaks: Double
  /// The share of lines of writing in which one or two strokes are drawn twice.
  ///
  /// Points only.
  public var doubling: Double
  /// The share of lines of writing that are recorded coarsely: on a grid of 10 to 32 steps in the height, or with
  /// few points, down to four in the way up and down.
  ///
  /// Points only. Old and slow devices record so.
  public var coarseness: Double
  /// The share of lines of strokes whose pen directions are hidden, as those of a picture are.
  ///
  /// Points only.
  public var hiddenDirections: Double
  /// The share of lines of writing with remains of neighbours or of a state's ring beside them.
  public var remains: Double
  /// How much thicker lines become on each side, in pixels of a strip of 48 rows; half as much
  /// thinner.
  ///
  /// Strips only.
  public var boldness: Double
  /// The share of strips with ruled lines or a grid behind the ink.
  ///
  /// Strips only.
  public var paper: Double
  /// The blur, in pixels of a strip of 48 rows.
  ///
  /// Strips only.
  public var blur: Double
  /// The unevenness of the light and the loss of contrast, as a share of the contrast.
  ///
  /// Strips only.
  public var light: Double
  /// The deviation of the noise, as a share of the contrast.
  ///
  /// Strips only.
  public var noise: Double
  /// The share of strips that are inverted.
  ///
  /// Strips only.
  public var inversion: Double

  /// Creates an augmentation; variations that are not given are off.
  public init(
    rotation: Double = 0, reflects: Bool = false, stretch: Double = 0, shear: Double = 0,
    warp: Double = 0, tremor: Double = 0, trim: Double = 0, overshoot: Double = 0,
    spacing: Double = 0, penWidths: ClosedRange<Double>? = nil, margins: ClosedRange<Double>? = nil,
    strengths: ClosedRange<Double>? = nil, framed: Double = 0, smallest: Double = 1,
    shift: Double = 0, breaks: Double = 0, doubling: Double = 0, coarseness: Double = 0,
    hiddenDirections: Double = 0, remains: Double = 0, boldness: Double = 0, paper: Double = 0,
    blur: Double = 0, light: Double = 0, noise: Double = 0, inversion: Double = 0
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
    self.breaks = breaks
    self.doubling = doubling
    self.coarseness = coarseness
    self.hiddenDirections = hiddenDirections
    self.remains = remains
    self.boldness = boldness
    self.paper = paper
    self.blur = blur
    self.light = light
    self.noise = noise
    self.inversion = inversion
  }

  /// No variation.
  public static let none = Augmentation()

  /// The augmentation for shapes with the same class at any angle, such as states and arrows.
  public static let anyAngle = Augmentation(
    rotation: .pi, reflects: true, stretch: 0.25, shear: 0.15, warp: 0.04, tremor: 0.006,
    trim: 0.04, overshoot: 0.03, penWidths: 1.2...2.6, smallest: 0.65, shift: 1)

  /// The augmentation for upright symbols, such as digits; chosen on a validation part of MNIST.
  public static let upright = Augmentation(
    rotation: 0.15, stretch: 0.12, shear: 0.12, warp: 0.04, tremor: 0.004, trim: 0.02,
    overshoot: 0.02, penWidths: 1.4...2.4, smallest: 0.88, shift: 2)

  /// The augmentation for lines of writing.
  public static let line = Augmentation(
    rotation: 0.05, stretch: 0.2, shear: 0.35, warp: 0.02, tremor: 0.003, trim: 0.02,
    overshoot: 0.02, penWidths: 1.4...3.2, breaks: 0.15, doubling: 0.1, coarseness: 0.3,
    hiddenDirections: 0.35, remains: 0.12, boldness: 0.8, paper: 0.2, blur: 1, light: 0.3,
    noise: 0.08, inversion: 0.15)

  /// The augmentation for strips with printed lines, which are straight and clean.
  public static let printed = Augmentation(
    rotation: 0.03, stretch: 0.2, shear: 0.15, warp: 0.004, boldness: 0.8, paper: 0.1, blur: 1,
    light: 0.3, noise: 0.1, inversion: 0.2)

  /// The augmentation for upright symbols of which a network reads the strokes; chosen by
  /// cross-validation on writers of pen digits.
  ///
  /// It is stronger, because such a network notices differences that pictures hardly show.
  public static let written = Augmentation(
    rotation: 0.2, stretch: 0.2, shear: 0.2, warp: 0.05, tremor: 0.005, trim: 0.04,
    overshoot: 0.03, penWidths: 1.4...2.4, smallest: 0.88, shift: 2)

  /// The augmentations by name.
  public static let named: [String: Augmentation] = [
    "none": .none, "any-angle": .anyAngle, "upright": .upright, "written": .written,
    "line": .line, "printed": .printed,
  ]

  /// Reads the JSON form; variations that are not given are off.
  ///
  /// - Throws: `DecodingError` if a value has the wrong type or is out of its range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func number(_ key: CodingKeys, _ range: ClosedRange<Double>, or standard: Double) throws
      -> Double
    {
      let value = try container.decodeIfPresent(Double.self, forKey: key) ?? standard
      guard range.contains(value) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container,
          debugDescription:
            "expected a number from \(range.lowerBound) to \(range.upperBound)")
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
        forKey: .strengths, in: container, debugDescription: "expected two numbers from 0 to 1")
    }
    // Otherwise values that the rasteriser refuses would leave examples unchanged.
    guard (penWidths?.lowerBound ?? 1) >= 0.5 else {
      throw DecodingError.dataCorruptedError(
        forKey: .penWidths, in: container, debugDescription: "expected two numbers of 0.5 or more")
    }
    guard (margins?.lowerBound ?? 0) >= 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: .margins, in: container, debugDescription: "expected two numbers of 0 or more")
    }
    framed = try number(.framed, 0...1, or: 0)
    smallest = try number(.smallest, 0.05...1, or: 1)
    shift = try number(.shift, 0...512, or: 0)
    breaks = try number(.breaks, 0...1, or: 0)
    doubling = try number(.doubling, 0...1, or: 0)
    coarseness = try number(.coarseness, 0...1, or: 0)
    hiddenDirections = try number(.hiddenDirections, 0...1, or: 0)
    remains = try number(.remains, 0...1, or: 0)
    boldness = try number(.boldness, 0...4, or: 0)
    paper = try number(.paper, 0...1, or: 0)
    blur = try number(.blur, 0...4, or: 0)
    light = try number(.light, 0...1, or: 0)
    noise = try number(.noise, 0...1, or: 0)
    inversion = try number(.inversion, 0...1, or: 0)
  }

  /// Returns a picture of one random variation of `example`.
  ///
  /// - Throws: `RasterError` if a coordinate is not finite.
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
    case .strip:
      return try vary(example.bitmap(rasterizer), using: &generator)
    case .series: throw .series
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
    // The stretch is between two rotations, so it acts along a random axis.
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
