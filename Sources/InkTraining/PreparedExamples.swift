import InkDatasets
import InkNetwork
import InkRaster

/// Examples with their classes, ready to be written into a network's input by any worker.
struct PreparedExamples: Sendable {
  let targets: [Int]
  private let rasterizer: Rasterizer
  private let augmentation: Augmentation
  private let seed: UInt64
  /// Every example as it is, one after the other; what is not augmented is taken from here.
  private let pixels: [UInt8]
  /// The examples to be augmented; empty where none are.
  private let examples: [Example]

  var count: Int { targets.count }

  /// - Throws: `DatasetError` naming an example that cannot be rasterised or has a strange label.
  init(
    _ dataset: Dataset, rasterizer: Rasterizer, augmentation: Augmentation, seed: UInt64
  ) throws {
    targets = try dataset.classes()
    self.rasterizer = rasterizer
    self.augmentation = augmentation
    self.seed = seed
    examples = augmentation == .none ? [] : dataset.examples
    var pixels: [UInt8] = []
    pixels.reserveCapacity(dataset.examples.count * rasterizer.size * rasterizer.size)
    for example in dataset.examples {
      do {
        pixels += try example.bitmap(rasterizer).pixels
      } catch {
        throw DatasetError(
          path: example.origin, expected: "a drawing that can be rasterised", found: "\(error)")
      }
    }
    self.pixels = pixels
  }

  /// Writes example `index` as `epoch` has it: what is random depends on seed, epoch and example,
  /// not on when or by whom it is done.
  func write(_ index: Int, epoch: Int, scale: Float, to input: UnsafeMutablePointer<Float>) {
    let size = rasterizer.size * rasterizer.size
    var varied: Bitmap?
    if !examples.isEmpty {
      var generator = SeededGenerator(
        seed: seed, stream: 0xa096, UInt64(epoch), UInt64(index))
      // A variation that cannot be drawn leaves the example as it is.
      varied = try? augmentation.bitmap(
        of: examples[index], rasterizer: rasterizer, using: &generator)
    }
    if let varied {
      for position in 0..<size { input[position] = Float(varied.pixels[position]) * scale }
    } else {
      pixels.withUnsafeBufferPointer { pixels in
        let start = pixels.baseAddress! + index * size
        for position in 0..<size { input[position] = Float(start[position]) * scale }
      }
    }
  }
}
