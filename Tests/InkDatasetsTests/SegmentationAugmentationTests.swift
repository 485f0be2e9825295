import InkImageIO
import SeededRandom
import Testing

@testable import InkDatasets

@Suite(.timeLimit(.minutes(30))) struct SegmentationAugmentationTests {
  /// A white picture with a dark bar of class 1, and a dot of class 2.
  private let example: SegmentationExample

  init() {
    let (width, height) = (300, 200)
    var samples = [UInt8](repeating: 250, count: width * height)
    var classes = [UInt8](repeating: 0, count: width * height)
    for row in 0..<height {
      for column in 0..<width {
        let isBar = (100..<110).contains(row)
        let isDot = (20..<24).contains(row) && (280..<284).contains(column)
        guard isBar || isDot else { continue }
        samples[row * width + column] = 10
        classes[row * width + column] = isBar ? 1 : 2
      }
    }
    let mask = SegmentationMask(width: width, height: height, classes: classes)
    example = SegmentationExample(
      Photograph(width: width, height: height, channels: 1, samples: samples), mask: mask)
  }

  private func crops(_ augmentation: SegmentationAugmentation, seed: UInt64 = 1, count: Int = 60)
    -> [(picture: Photograph, mask: SegmentationMask)]
  {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      example.crop(
        width: 64, height: 48, cell: 2, augmentation: augmentation, using: &generator)
    }
  }

  @Test func rareClassesAreSeenOften() {
    let crops = crops(SegmentationAugmentation())
    #expect(crops.allSatisfy { $0.mask.width == 32 && $0.mask.height == 24 })
    // The dot has 16 of 60,000 pixels.
    #expect(crops.count { $0.mask.classes.contains(2) } > 20)
    #expect(crops.count { $0.mask.classes.contains(1) } > 20)
  }

  @Test func cropsWithoutChangesAreParts() {
    for (picture, mask) in crops(.none) {
      for row in 0..<24 {
        for column in 0..<32 {
          let start = 2 * row * 64 + 2 * column
          let isDark = [0, 1, 64, 65].contains { picture.samples[start + $0] < 128 }
          #expect(isDark == (mask[row, column] != 0))
        }
      }
    }
  }

  @Test func masksFollowThePicture() {
    var augmentation = SegmentationAugmentation()
    (augmentation.noise, augmentation.blur, augmentation.inverted) = (0, 0, 0)
    (augmentation.dimmest, augmentation.contrast) = (0.9, 0.9)
    for (picture, mask) in crops(augmentation) {
      func isMarked(_ row: Int, _ column: Int) -> Bool {
        mask[max(0, min(23, row)), max(0, min(31, column))] != 0
      }
      for row in 0..<24 {
        for column in 0..<32 {
          let start = 2 * row * 64 + 2 * column
          let isDark = [0, 1, 64, 65].contains { picture.samples[start + $0] < 128 }
          guard isDark != isMarked(row, column) else { continue }
          // Only cells at the edges of the bar and the dot differ.
          let isEdge = (-1...1).contains { down in
            (-1...1).contains { isMarked(row + down, column + $0) == isDark }
          }
          #expect(isEdge)
        }
      }
    }
  }

  @Test func theSeedDecidesEverything() {
    let (a, b, c) = (
      crops(SegmentationAugmentation()), crops(SegmentationAugmentation()),
      crops(SegmentationAugmentation(), seed: 2)
    )
    #expect(a.map(\.picture) == b.map(\.picture) && a.map(\.mask) == b.map(\.mask))
    #expect(a.map(\.picture) != c.map(\.picture))
  }

  @Test func polarityAndLightChange() {
    let means = crops(SegmentationAugmentation()).map { crop in
      crop.picture.samples.reduce(0) { $0 + Int($1) } / crop.picture.samples.count
    }
    #expect(means.min()! < 70)
    #expect(means.max()! > 200)
  }
}
