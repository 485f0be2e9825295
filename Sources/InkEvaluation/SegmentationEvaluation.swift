import InkDatasets

/// The results of a network with an answer for each cell, on pages with masks.
///
/// Cells whose class is unknown are left out.
public struct SegmentationEvaluation: Hashable, Sendable, Codable {
  /// The results for one class.
  public struct ClassReport: Hashable, Sendable, Codable {
    /// The name of the class.
    public var name: String
    /// The number of cells of the class.
    public var cells: Int
    /// The share of cells with this answer that are of the class.
    public var precision: Double
    /// The share of cells of the class that have this answer.
    public var recall: Double
    /// The cells of the class with this answer, as a share of those of the class or with this answer; it is
    /// 0 if there are none.
    public var intersectionOverUnion: Double
    /// Whether there are cells of the class or with this answer, so that the numbers mean something.
    public var occurs: Bool
  }

  /// The results for the pages of one source.
  public struct SourceReport: Hashable, Sendable, Codable {
    /// The name of the source.
    public var source: String
    /// The number of pages.
    public var pages: Int
    /// The mean over the classes that occur.
    public var meanIntersectionOverUnion: Double
    /// The results for each class.
    public var classes: [ClassReport]
  }

  /// The result for one page.
  public struct PageReport: Hashable, Sendable, Codable {
    /// The index of the page in the data set.
    public var index: Int
    /// The name of the page.
    public var name: String
    /// The mean intersection over union of the classes that occur on the page.
    public var meanIntersectionOverUnion: Double
    /// The share of cells with a wrong answer.
    public var wrong: Double
  }

  /// The mean over the classes that occur; all count equally.
  public var meanIntersectionOverUnion: Double
  /// The share of cells with the right answer.
  public var accuracy: Double
  /// The number of cells.
  public var cells: Int
  /// The results for each class, in order.
  public var classes: [ClassReport]
  /// The number of cells of each class (row) with each answer (column).
  public var confusion: [[Int]]
  /// The results for each source, by name.
  public var sources: [SourceReport]
  /// The pages, the worst first.
  public var pages: [PageReport]
  /// What could not be read, one line each.
  public var failures: [String]

  /// Sums up the confusions of pages of a data set with `classes`: the index of the page in the data set, its
  /// name, source and ``SegmentationConfusion``.
  init(
    _ results: [(index: Int, page: SegmentationPage, confusion: SegmentationConfusion)],
    classes: [String],
    failures: [String]
  ) {
    var total = SegmentationConfusion(classCount: classes.count)
    var bySource: [String: (pages: Int, confusion: SegmentationConfusion)] = [:]
    for result in results {
      total.add(result.confusion)
      let source = result.page.source ?? "unknown"
      var known = bySource[source] ?? (0, SegmentationConfusion(classCount: classes.count))
      known.pages += 1
      known.confusion.add(result.confusion)
      bySource[source] = known
    }
    meanIntersectionOverUnion = total.meanIntersectionOverUnion
    accuracy = total.accuracy
    cells = total.cells
    self.classes = total.reports(classes)
    confusion = total.counts
    sources = bySource.sorted { $0.key < $1.key }.map { name, value in
      SourceReport(
        source: name, pages: value.pages,
        meanIntersectionOverUnion: value.confusion.meanIntersectionOverUnion,
        classes: value.confusion.reports(classes))
    }
    pages = results.map { result in
      PageReport(
        index: result.index, name: result.page.name,
        meanIntersectionOverUnion: result.confusion.meanIntersectionOverUnion,
        wrong: 1 - result.confusion.accuracy)
    }.sorted { ($0.meanIntersectionOverUnion, $0.index) < ($1.meanIntersectionOverUnion, $1.index) }
    self.failures = failures
  }
}

/// The number of cells of each class with each answer.
struct SegmentationConfusion: Hashable, Sendable {
  /// Row: the class; column: the answer.
  private(set) var counts: [[Int]]

  init(classCount: Int) {
    counts = [[Int]](repeating: [Int](repeating: 0, count: classCount), count: classCount)
  }

  /// Counts the cells of `mask`; an answer of another size is read at the place that lies under the middle
  /// of a cell.
  mutating func add(_ mask: SegmentationMask, answer: SegmentationMask) {
    let columns = (0..<mask.width).map { ($0 * 2 + 1) * answer.width / (2 * mask.width) }
    for row in 0..<mask.height {
      let answerRow = (row * 2 + 1) * answer.height / (2 * mask.height)
      for column in 0..<mask.width {
        let truth = Int(mask[row, column])
        guard truth < counts.count else { continue }
        counts[truth][Int(answer[answerRow, columns[column]])] += 1
      }
    }
  }

  /// Adds the cells of other pages.
  mutating func add(_ other: SegmentationConfusion) {
    for row in counts.indices {
      for column in counts.indices { counts[row][column] += other.counts[row][column] }
    }
  }

  /// The number of cells.
  var cells: Int { counts.joined().reduce(0, +) }

  /// The share of cells with the right answer.
  var accuracy: Double {
    Double(counts.indices.reduce(0) { $0 + counts[$1][$1] }) / Double(max(1, cells))
  }

  /// The mean over the classes that occur.
  var meanIntersectionOverUnion: Double {
    let present = reports(counts.indices.map { "\($0)" }).filter(\.occurs)
    return present.reduce(0) { $0 + $1.intersectionOverUnion } / Double(max(1, present.count))
  }

  /// The results for classes of these names.
  func reports(_ names: [String]) -> [SegmentationEvaluation.ClassReport] {
    names.enumerated().map { index, name in
      let right = Double(counts[index][index])
      let cells = counts[index].reduce(0, +)
      let answered = counts.reduce(0) { $0 + $1[index] }
      return SegmentationEvaluation.ClassReport(
        name: name, cells: cells, precision: right / Double(max(1, answered)),
        recall: right / Double(max(1, cells)),
        intersectionOverUnion: right / max(1, Double(cells + answered) - right),
        occurs: cells + answered > 0)
    }
  }
}
