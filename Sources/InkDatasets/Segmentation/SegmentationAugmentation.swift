import Foundation
import Ink
import InkImageIO
import InkRaster
import SeededRandom

/// Random changes of pictures with masks: other scales, turns, perspective, light and cameras.
public struct SegmentationAugmentation: Hashable, Sendable {
  /// The sizes of what is seen, as shares of the picture.
  public var scales = 0.7...1.4
  /// The largest turn, in degrees.
  public var turn = 12.0
  /// How far a corner moves, as a share of the crop, below 0.25.
  public var perspective = 0.06
  /// The light that is left in the darkest corner, as a share.
  public var dimmest = 0.6
  /// The least contrast, as a share.
  public var contrast = 0.5
  /// The largest deviation of a blur, in pixels.
  public var blur = 1.2
  /// The largest deviation of noise, in levels of 255.
  public var noise = 8.0
  /// The qualities of JPEGs, from 1 to 100, of half of the pictures.
  public var jpegQualities = 35...90
  /// The share of pictures whose light and dark are exchanged.
  public var inverted = 0.15

  /// Creates the usual changes.
  public init() {}

  /// No changes: crops as they are.
  public static var none: SegmentationAugmentation {
    var none = SegmentationAugmentation()
    (none.scales, none.turn, none.perspective) = (1...1, 0, 0)
    (none.dimmest, none.contrast, none.blur, none.noise) = (1, 1, 0, 0)
    (none.jpegQualities, none.inverted) = (100...100, 0)
    return none
  }
}

/// A grey picture with its mask, of which parts are cut out for training.
public struct SegmentationExample: Sendable {
  private let picture: Bitmap
  private let mask: SegmentationMask
  /// Up to so many places of each class are kept.
  private static let maximumPlaces = 4096
  /// Places of each class but the background, in pixels, of classes that occur.
  private let places: [[Vector]]

  /// Creates an example.
  ///
  /// - Precondition: neither is empty.
  public init(_ picture: Photograph, mask: SegmentationMask) {
    precondition(
      min(picture.width, picture.height, mask.width, mask.height) > 0, "an empty picture or mask")
    (self.picture, self.mask) = (picture.grey, mask)
    var found: [UInt8: [Int]] = [:]
    for (index, one) in mask.classes.enumerated() where one != 0 && one != SegmentationMask.ignored
    {
      found[one, default: []].append(index)
    }
    let cell = Vector(
      Double(picture.width) / Double(mask.width), Double(picture.height) / Double(mask.height))
    places = found.keys.sorted().map { one in
      let all = found[one]!
      let step = all.count / Self.maximumPlaces + 1
      return stride(from: 0, to: all.count, by: step).map { index in
        Vector(
          (Double(all[index] % mask.width) + 0.5) * cell.x,
          (Double(all[index] / mask.width) + 0.5) * cell.y)
      }
    }
  }

  /// Cuts out a part of `width` × `height` pixels, changed by `augmentation`; its mask has a cell for
  /// `cell` × `cell` pixels.
  ///
  /// Each class that occurs is in the crop with the same probability, so that rare ones are seen often.
  /// Outside the picture, its edge and the classes there go on.
  public func crop(
    width: Int, height: Int, cell: Int, augmentation: SegmentationAugmentation,
    using generator: inout SeededGenerator
  ) -> (picture: Photograph, mask: SegmentationMask) {
    let map = map(width: width, height: height, augmentation, using: &generator)
    var plane = CoverPlane(width: width, height: height)
    picture.pixels.withUnsafeBufferPointer { pixels in
      for row in 0..<height {
        for column in 0..<width {
          plane.values[row * width + column] = level(
            at: map.apply(to: Vector(Double(column) + 0.5, Double(row) + 0.5)), in: pixels)
        }
      }
    }
    let samples = augmentation.develop(&plane, using: &generator)
    return (
      Photograph(width: width, height: height, channels: 1, samples: samples),
      mainClasses(width: width, height: height, cell: cell, map)
    )
  }

  /// Chooses the map from the crop to the picture.
  private func map(
    width: Int, height: Int, _ augmentation: SegmentationAugmentation,
    using generator: inout SeededGenerator
  ) -> Perspective {
    let (wide, high) = (Double(width), Double(height))
    let target =
      places.isEmpty
      ? Vector(
        generator.uniform(0...Double(picture.width)), generator.uniform(0...Double(picture.height)))
      : generator.pick(generator.pick(places))
    let scale = 1 / generator.uniform(augmentation.scales)
    let turn = generator.uniform(-augmentation.turn...augmentation.turn) * .pi / 180
    // Where in the crop the chosen place is seen.
    let seen = Vector(generator.uniform(0...wide), generator.uniform(0...high))
    let corners = [Vector(0, 0), Vector(wide, 0), Vector(wide, high), Vector(0, high)]
    let move = augmentation.perspective
    precondition(move < 0.25, "corners that move by \(move) of a crop can be in line")
    var moved = corners.map { corner in
      let shift = Vector(generator.uniform(-move...move), generator.uniform(-move...move))
      let place = corner + Vector(shift.x * wide, shift.y * high)
      return target + ((place - seen) * scale).turned(by: turn)
    }
    if scale == 1, turn == 0, move == 0 {
      // Whole pixels stay whole, and the crop inside the picture where it can.
      func start(_ value: Double, _ length: Double, _ all: Int) -> Double {
        max(0, min(max(0, Double(all) - length), value.rounded()))
      }
      let corner = Vector(
        start(moved[0].x, wide, picture.width), start(moved[0].y, high, picture.height))
      moved = corners.map { $0 + corner }
    }
    return Perspective(
      from: corners.map { Point($0.x, $0.y) }, to: moved.map { Point($0.x, $0.y) })!
  }

  /// Returns the level at a place, between the four nearest pixels.
  private func level(at place: Vector, in pixels: UnsafeBufferPointer<UInt8>) -> Float {
    let (x, y) = (
      max(0, min(Double(picture.width - 1), place.x - 0.5)),
      max(0, min(Double(picture.height - 1), place.y - 0.5))
    )
    let (column, row) = (Int(x), Int(y))
    let (right, lower) = (min(picture.width - 1, column + 1), min(picture.height - 1, row + 1))
    let (across, down) = (Float(x - Double(column)), Float(y - Double(row)))
    func mixed(_ row: Int) -> Float {
      let (a, b) = (
        Float(pixels[row * picture.width + column]), Float(pixels[row * picture.width + right])
      )
      return a + (b - a) * across
    }
    let (a, b) = (mixed(row), mixed(lower))
    return a + (b - a) * down
  }

  /// Returns the class that most pixels of each cell have, the background only if no other occurs.
  private func mainClasses(width: Int, height: Int, cell: Int, _ map: Perspective)
    -> SegmentationMask
  {
    let (columns, rows) = ((width + cell - 1) / cell, (height + cell - 1) / cell)
    var classes = [UInt8](repeating: 0, count: columns * rows)
    var counts = [Int](repeating: 0, count: Int(UInt8.max) + 1)
    var found: [UInt8] = []
    for row in 0..<rows {
      for column in 0..<columns {
        for y in row * cell..<(row + 1) * cell {
          for x in column * cell..<(column + 1) * cell {
            let one = oneClass(at: map.apply(to: Vector(Double(x) + 0.5, Double(y) + 0.5)))
            guard one != 0 else { continue }
            if counts[Int(one)] == 0 { found.append(one) }
            counts[Int(one)] += 1
          }
        }
        classes[row * columns + column] =
          found.max { (counts[Int($0)], $1) < (counts[Int($1)], $0) } ?? 0
        for one in found { counts[Int(one)] = 0 }
        found.removeAll(keepingCapacity: true)
      }
    }
    return SegmentationMask(width: columns, height: rows, classes: classes)
  }

  /// Returns the class at a place of the picture, or of its edge.
  private func oneClass(at place: Vector) -> UInt8 {
    let column = max(0, min(picture.width - 1, Int(place.x.rounded(.down))))
    let row = max(0, min(picture.height - 1, Int(place.y.rounded(.down))))
    return mask[row * mask.height / picture.height, column * mask.width / picture.width]
  }
}

extension SegmentationAugmentation {
  /// Changes light, contrast and sharpness, and returns the samples.
  fileprivate func develop(
    _ plane: inout CoverPlane, using generator: inout SeededGenerator
  ) -> [UInt8] {
    let (width, height) = (plane.width, plane.height)
    let isInverted = generator.chance(inverted)
    let contrast = Float(generator.uniform(contrast...1))
    let shift = contrast < 1 ? Float(generator.uniform(0...1)) * (1 - contrast) * 255 : 0
    let dimmest = generator.uniform(dimmest...1)
    let direction = Vector(angle: generator.uniform(0...2 * Double.pi), length: 1)
    let deviation = generator.uniform(0...blur)
    if deviation > 0.15 { plane.blur(deviation: deviation) }
    let noise = Float(generator.uniform(0...noise))
    var samples = [UInt8](repeating: 0, count: width * height)
    for row in 0..<height {
      let y = Double(row) / Double(height) - 0.5
      for column in 0..<width {
        let x = Double(column) / Double(width) - 0.5
        let light = 1 - (1 - dimmest) * (0.5 + 0.7 * (x * direction.x + y * direction.y))
        let index = row * width + column
        var level = isInverted ? 255 - plane.values[index] : plane.values[index]
        level = (level * contrast + shift) * Float(light)
        if noise > 0 { level += noise * Float(generator.normal()) }
        samples[index] = UInt8(max(0, min(255, level + 0.5)))
      }
    }
    guard jpegQualities.lowerBound < 100, generator.chance(0.5) else { return samples }
    let quality =
      jpegQualities.lowerBound + generator.index(below: jpegQualities.count)
    let plain = Photograph(width: width, height: height, channels: 1, samples: samples)
    guard let data = try? JPEG.encode(plain, quality: quality),
      let compressed = try? JPEG.decode(data, path: "")
    else { return samples }
    return compressed.samples
  }
}
