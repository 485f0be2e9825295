import Foundation
import InkImageIO
import InkRaster
import SafeFiles
import SeededRandom

/// A part of a picture to train a segmentation network on.
public struct SegmentationCrop: Sendable {
  /// The grey picture.
  public let picture: Bitmap
  /// The class of each cell of 2 × 2 px.
  public let mask: SegmentationMask
  /// What is known of the cells beside their classes.
  public let fields: SegmentationFields
}

/// An endless row of crops of one size to train a segmentation network on.
///
/// The seed and the number of a crop decide everything about it.
public struct SegmentationFeed: Sendable {
  private enum Source: Sendable {
    case composed(PageComposer)
    /// Pages on disk at their working size.
    case pages([SegmentationExample], SegmentationAugmentation, seed: UInt64)
  }

  /// The classes.
  public let classes: [SegmentationClass]
  /// The names of the fields.
  public let fields: SegmentationFieldNames
  /// The width and height of a crop, in px.
  public let side: Int
  /// The number of pages, if it is limited.
  public let pageCount: Int?
  /// A hash of the pages, or of the first ones if they are composed.
  public let fingerprint: String
  /// The share of the cells of each class: of all pages, or of the first composed ones.
  public let shares: [Double]
  /// What could not be read, one line each.
  public let failures: [String]
  private let source: Source

  /// The width and height of a cell, in px.
  public static let cell = PageMask.cell
  /// So many composed pages are part of the fingerprint, and of the frequencies of classes.
  private static let sampleCount = 32

  /// Creates a feed of composed pages, which are seen whole.
  ///
  /// - Precondition: the composer's pages are square.
  public init(_ composer: PageComposer) {
    precondition(composer.size.width == composer.size.height, "crops are square")
    (classes, fields, side, pageCount) = (SegmentationClass.pages, .pages, composer.size.width, nil)
    var fingerprint = Fingerprint()
    var masks: [SegmentationMask] = []
    for index in 0..<Self.sampleCount {
      let page = composer.picture(index)
      fingerprint.add(page.photograph.samples)
      fingerprint.add(page.mask.classes)
      masks.append(page.mask)
    }
    self.fingerprint = fingerprint.description
    shares = Self.shares(of: masks, classCount: classes.count)
    (failures, source) = ([], .composed(composer))
  }

  /// Creates a feed of crops of `side` × `side` px from pages of a data set, which are read and scaled by
  /// `preparation` first; `progress` gets the number of pages read.
  ///
  /// - Throws: `FileError` if no page can be read.
  public init(
    _ dataset: SegmentationDataset, pages: [SegmentationPage], side: Int,
    preparation: PagePreparation,
    augmentation: SegmentationAugmentation, seed: UInt64, progress: (Int) -> Void = { _ in }
  ) throws(FileError) {
    (classes, fields, self.side) = (dataset.classes, .none, side)
    var (read, masks, failures) = ([SegmentationExample](), [SegmentationMask](), dataset.failures)
    var fingerprint = Fingerprint()
    for (index, page) in pages.enumerated() {
      do throws(FileError) {
        let (picture, mask) = try page.read(classCount: dataset.classes.count)
        let scaled = preparation.scaled(picture.grey)
        let small = mask.reduced(
          width: (scaled.width + Self.cell - 1) / Self.cell,
          height: (scaled.height + Self.cell - 1) / Self.cell)
        fingerprint.add(scaled.pixels)
        fingerprint.add(small.classes)
        masks.append(small)
        read.append(
          SegmentationExample(
            Photograph(
              width: scaled.width, height: scaled.height, channels: 1, samples: scaled.pixels),
            mask: small))
      } catch { failures.append("\(error)") }
      progress(index + 1)
    }
    guard !read.isEmpty else {
      throw FileError(
        path: dataset.folder, expected: "pages to train on",
        found: failures.first.map { "none; \($0)" } ?? "none")
    }
    self.fingerprint = fingerprint.description
    shares = Self.shares(of: masks, classCount: classes.count)
    (self.failures, pageCount) = (failures, read.count)
    source = .pages(read, augmentation, seed: seed)
  }

  /// Returns crop number `index`, from 0.
  public func crop(_ index: Int) -> SegmentationCrop {
    switch source {
    case .composed(let composer):
      let page = composer.picture(index)
      return SegmentationCrop(picture: page.photograph.grey, mask: page.mask, fields: page.fields)
    case .pages(let pages, let augmentation, let seed):
      // Each page once before any comes again.
      var order = SeededGenerator(seed: seed, stream: 0xdea5, UInt64(index / pages.count))
      let page = pages[order.permutation(pages.count)[index % pages.count]]
      var generator = SeededGenerator(seed: seed, stream: 0xdea6, UInt64(index))
      let (picture, mask) = page.crop(
        width: side, height: side, cell: Self.cell, augmentation: augmentation, using: &generator)
      return SegmentationCrop(
        picture: picture.grey, mask: mask,
        fields: SegmentationFields(.none, cells: mask.classes.count))
    }
  }

  private static func shares(of masks: [SegmentationMask], classCount: Int) -> [Double] {
    var counts = [Double](repeating: 0, count: classCount)
    for mask in masks {
      for one in mask.classes where one != SegmentationMask.ignored { counts[Int(one)] += 1 }
    }
    let total = max(1, counts.reduce(0, +))
    return counts.map { $0 / total }
  }
}

extension SegmentationMask {
  /// The share of a cell that a class other than the background has to cover to be seen.
  private static let seenShare = 0.2

  /// Returns the mask with fewer cells: of the classes that cover a fifth of a new cell, the background only
  /// if there is no other one, the one that is rarest in the whole mask.
  ///
  /// So thin lines stay where a mask has a class for each pixel of a large picture.
  package func reduced(width newWidth: Int, height newHeight: Int) -> SegmentationMask {
    guard newWidth < width || newHeight < height else { return self }
    var totals = [Int](repeating: 0, count: 256)
    for one in classes { totals[Int(one)] += 1 }
    var reduced = [UInt8](repeating: 0, count: newWidth * newHeight)
    var counts = [Int](repeating: 0, count: 256)
    for row in 0..<newHeight {
      let top = row * height / newHeight
      let rows = top..<max(top + 1, (row + 1) * height / newHeight)
      for column in 0..<newWidth {
        let left = column * width / newWidth
        let columns = left..<max(left + 1, (column + 1) * width / newWidth)
        var found: [UInt8] = []
        for y in rows {
          for x in columns {
            let one = self[y, x]
            if counts[Int(one)] == 0 { found.append(one) }
            counts[Int(one)] += 1
          }
        }
        let least = Self.seenShare * Double(rows.count * columns.count)
        reduced[row * newWidth + column] =
          found.filter { one in
            let count = Double(counts[Int(one)])
            return one == Self.ignored
              ? 2 * count >= Double(rows.count * columns.count) : one != 0 && count >= least
          }
          .min { (totals[Int($0)], $0) < (totals[Int($1)], $1) } ?? 0
        for one in found { counts[Int(one)] = 0 }
      }
    }
    return SegmentationMask(width: newWidth, height: newHeight, classes: reduced)
  }
}
