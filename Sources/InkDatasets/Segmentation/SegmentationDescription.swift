import InkImageIO
import SafeFiles

/// Statistics of a segmentation data set.
public struct SegmentationDescription: Hashable, Sendable, Codable {
  /// A class.
  public struct ClassCount: Hashable, Sendable, Codable {
    /// The name.
    public var name: String
    /// The number of pages on which it occurs.
    public var pages: Int
    /// Its share of all cells.
    public var share: Double
  }

  /// The number of pages that can be read.
  public private(set) var pages = 0
  /// The classes, in order.
  public private(set) var classes: [ClassCount]
  /// The number of pages of each writer: source and name.
  public private(set) var writers: [String: Int] = [:]
  /// The number of pages of each source.
  public private(set) var sources: [String: Int] = [:]
  /// The number of pages of each part, if the data set is split.
  public private(set) var parts: [String: Int] = [:]
  /// The smallest and the largest number of columns.
  public private(set) var widths: ClosedRange<Int>?
  /// The smallest and the largest number of rows.
  public private(set) var heights: ClosedRange<Int>?
  /// What cannot be read, one line each.
  public private(set) var failures: [String]

  /// Reads all pages; `progress` gets their number so far.
  public init(of dataset: SegmentationDataset, progress: (Int) -> Void = { _ in }) {
    failures = dataset.failures
    var cells = [Int](repeating: 0, count: dataset.classes.count)
    var pagesOfClass = cells
    for (done, page) in dataset.pages.enumerated() {
      defer { progress(done + 1) }
      do throws(FileError) {
        let (picture, mask) = try page.read(classCount: dataset.classes.count)
        var counts = [Int](repeating: 0, count: dataset.classes.count)
        for one in mask.classes where one != SegmentationMask.ignored { counts[Int(one)] += 1 }
        for (index, count) in counts.enumerated() where count > 0 {
          cells[index] += count
          pagesOfClass[index] += 1
        }
        func extended(_ range: ClosedRange<Int>?, _ value: Int) -> ClosedRange<Int> {
          range.map { min($0.lowerBound, value)...max($0.upperBound, value) } ?? value...value
        }
        pages += 1
        widths = extended(widths, picture.width)
        heights = extended(heights, picture.height)
        if let writer = page.writer { writers["\(page.source ?? "?")/\(writer)", default: 0] += 1 }
        if let source = page.source { sources[source, default: 0] += 1 }
        if let part = page.part { parts[part.rawValue, default: 0] += 1 }
      } catch { failures.append("\(error)") }
    }
    let total = Double(max(1, cells.reduce(0, +)))
    classes = dataset.classes.enumerated().map { index, one in
      ClassCount(name: one.name, pages: pagesOfClass[index], share: Double(cells[index]) / total)
    }
  }
}
