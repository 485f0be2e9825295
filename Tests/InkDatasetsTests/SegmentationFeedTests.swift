import Foundation
import InkImageIO
import InkRaster
import SafeFiles
import TestSupport
import Testing

@testable import InkDatasets

@Suite struct SegmentationFeedTests {
  private static let composer = PageComposer(
    seed: 3, width: 128, height: 128, writers: PageWriter.synthetic(count: 2, seed: 2))

  @Test func composedPagesDependOnTheirNumberOnly() {
    let feed = SegmentationFeed(Self.composer)
    for index in [5, 0, 9] {
      let (one, same) = (feed.crop(index), SegmentationFeed(Self.composer).crop(index))
      #expect(one.picture == same.picture && one.mask == same.mask && one.fields == same.fields)
    }
    #expect(feed.crop(0).picture != feed.crop(1).picture)
    #expect(feed.classes.map(\.name) == ["nothing", "ring", "line", "head", "writing"])
    let shares = feed.shares
    #expect(abs(shares.reduce(0, +) - 1) < 1e-9 && shares.allSatisfy { $0 > 0 })
    #expect(shares[0] > 0.5)
    #expect(shares[3] < shares[4])
  }

  /// Writes pages of a size, with a line of class 1, and returns the feed of them.
  private func feed(
    _ folder: TemporaryFolder, side: Int, count: Int = 3, augmentation: SegmentationAugmentation
  ) throws -> SegmentationFeed {
    let path = "\(folder.path)/pages"
    let classes = [
      SegmentationClass(name: "nothing", color: .init(255, 255, 255)),
      SegmentationClass(name: "wire", color: .init(255, 0, 0)),
    ]
    try SegmentationWriter.write(to: path, classes: classes) { writer in
      for page in 0..<count {
        var (samples, mask) = (
          [UInt8](repeating: 240, count: side * side), [UInt8](repeating: 0, count: side * side)
        )
        for column in 0..<side {
          for row in side / 2..<side / 2 + side / 100 + 1 {
            samples[row * side + column] = UInt8(10 * page)
            mask[row * side + column] = 1
          }
        }
        try writer.add(
          .init(
            Photograph(width: side, height: side, channels: 1, samples: samples),
            mask: SegmentationMask(width: side, height: side, classes: mask), writer: nil,
            source: nil))
      }
    }
    let dataset = try SegmentationDataset(folder: path)
    return try SegmentationFeed(
      dataset, pages: dataset.pages, side: 64, preparation: .standard, augmentation: augmentation,
      seed: 4)
  }

  @Test func everyPageIsSeenBeforeOneComesAgain() throws {
    let folder = try TemporaryFolder()
    let feed = try feed(folder, side: 80, augmentation: .none)
    for first in [0, 3, 6] {
      let darkest = (first..<first + 3).map { feed.crop($0).picture.pixels.min()! }
      #expect(Set(darkest) == [0, 10, 20])
    }
    #expect(feed.pageCount == 3)
  }

  @Test func changedCropsDependOnTheirNumberOnly() throws {
    let folder = try TemporaryFolder()
    let feed = try feed(folder, side: 100, augmentation: SegmentationAugmentation())
    #expect(feed.crop(7).picture == feed.crop(7).picture)
    #expect(feed.crop(7).picture != feed.crop(10).picture)
    #expect(feed.crop(7).mask.classes.count == 32 * 32)
  }

  @Test func thinLinesOfLargePagesStay() throws {
    let folder = try TemporaryFolder()
    // 20 px of 2,000 become 10 of 1,024, 5 cells; two thin ones are no less visible.
    let feed = try feed(folder, side: 2000, count: 1, augmentation: .none)
    let crop = feed.crop(0)
    #expect(crop.mask.classes.contains(1))
    #expect(abs(feed.shares[1] - 21 / 2000) < 0.004)

    let line = (0..<64 * 64).map { UInt8($0 / 64 == 32 ? 1 : 0) }
    let reduced = SegmentationMask(width: 64, height: 64, classes: line).reduced(
      width: 16, height: 16)
    #expect(reduced.classes.filter { $0 == 1 }.count == 16)
  }

  @Test func whatCoversLessThanAFifthOfACellIsNotSeen() {
    for (count, seen) in [(3, 0), (4, 1)] as [(Int, UInt8)] {
      let classes = (0..<16).map { UInt8($0 < count ? 1 : 0) }
      let reduced = SegmentationMask(width: 4, height: 4, classes: classes).reduced(
        width: 1, height: 1)
      #expect(reduced.classes == [seen])
    }
  }

  @Test func unknownCellsStayUnknown() {
    let classes = (0..<16).map { UInt8($0 % 4 < 2 ? 255 : 0) }
    let reduced = SegmentationMask(width: 4, height: 4, classes: classes).reduced(
      width: 2, height: 2)
    #expect(reduced.classes == [255, 0, 255, 0])
  }
}
