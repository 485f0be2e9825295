import InkDatasets
import InkNetwork
import InkRaster
import SafeFiles
import SeededRandom

/// Examples with their classes, ready to be written into a network's input by any worker.
struct PreparedExamples: Sendable {
  let targets: [Int]
  private let rasterizer: Rasterizer
  private let isAugmented: Bool
  private let augmentation: Augmentation
  private let uprightShare: Double
  private let seed: UInt64
  /// The pictures that are kept in memory, one after the other.
  private let pixels: [UInt8]
  /// Where each example begins there, or `nil` where it is on disk, in the right size.
  private let starts: [Int?]
  private let examples: [Example]

  var count: Int { targets.count }

  /// - Throws: `FileError` naming an example that cannot be rasterised or has a strange label.
  init(
    _ dataset: Dataset, rasterizer: Rasterizer, augmentation: Augmentation,
    uprightShare: Double = 0, seed: UInt64
  ) throws {
    targets = try dataset.classes()
    self.rasterizer = rasterizer
    self.augmentation = augmentation
    self.seed = seed
    self.uprightShare = uprightShare
    isAugmented = augmentation != .none || uprightShare > 0
    examples = dataset.examples
    let size = rasterizer.size
    let areStored = dataset.examples.map { example in
      example.stored.map { $0.pictures.width == size && $0.pictures.height == size } ?? false
    }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(areStored.count { !$0 } * size * size)
    var starts: [Int?] = []
    for (example, isStored) in zip(dataset.examples, areStored) {
      guard !isStored else {
        starts.append(nil)
        continue
      }
      starts.append(pixels.count)
      do {
        pixels += try example.bitmap(rasterizer).pixels
      } catch {
        throw FileError(
          path: example.origin, expected: "a drawing that can be rasterised", found: "\(error)")
      }
    }
    self.pixels = pixels
    self.starts = starts
  }

  /// Writes example `index` as `epoch` has it: what is random depends on seed, epoch and example,
  /// not on when or by whom it is done.
  func write(_ index: Int, epoch: Int, scale: Float, to input: UnsafeMutablePointer<Float>) {
    let size = rasterizer.size * rasterizer.size
    if isAugmented {
      var generator = SeededGenerator(
        seed: seed, stream: 0xa096, UInt64(epoch), UInt64(index))
      let isUpright = uprightShare > 0 && generator.chance(uprightShare)
      // A variation that cannot be drawn leaves the example as it is.
      if let varied = try? (isUpright ? Augmentation.upright : augmentation).bitmap(
        of: examples[index], rasterizer: rasterizer, using: &generator)
      {
        for position in 0..<size { input[position] = Float(varied.pixels[position]) * scale }
        return
      }
    }
    if let start = starts[index] {
      pixels.withUnsafeBufferPointer { pixels in
        let start = pixels.baseAddress! + start
        for position in 0..<size { input[position] = Float(start[position]) * scale }
      }
    } else if let stored = examples[index].stored {
      stored.pictures.withPixels(stored.index) { pixels in
        // All bits are exchanged, or none: 255 − p is the complement of p.
        let mask: UInt8 = stored.pictures.isInverted ? 255 : 0
        for position in 0..<size { input[position] = Float(pixels[position] ^ mask) * scale }
      }
    }
  }

  /// Tells the system that what is on disk will be read here and there, and not from end to end.
  func willBeLearnt() {
    for pictures in Set(examples.compactMap { $0.stored?.pictures }) {
      pictures.willBeReadAnywhere()
    }
  }

  /// Lets the system begin to read example `index`, where it is on disk.
  func willNeed(_ index: Int) {
    guard starts[index] == nil, let stored = examples[index].stored else { return }
    stored.pictures.willNeed(stored.index)
  }
}
