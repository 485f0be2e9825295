import InkDatasets
import InkImageIO
import InkNetwork
import InkRaster
import InkRecognizer
import ParallelLoops
import SafeFiles

extension SegmentationEvaluation {
  /// Evaluates `recognizer` on pages of `dataset`, on `workers` cores; `progress` gets the number of pages so
  /// far.
  ///
  /// Pages that cannot be read are left out and named.
  ///
  /// - Throws: `FileError` if the classes are not those of the model, or no page can be read.
  public init(
    of recognizer: PageRecognizer, on dataset: SegmentationDataset, pages: [Int], workers: Int,
    progress: (Int) -> Void = { _ in }
  ) throws(FileError) {
    let names = dataset.classes.map(\.name)
    guard names == recognizer.model.labels else {
      throw FileError(
        path: dataset.folder,
        expected: "the classes of the model, \(recognizer.model.labels.joined(separator: ", "))",
        found: names.joined(separator: ", "))
    }
    let loop = ParallelLoop(workers: workers)
    var results: [Result<SegmentationConfusion, FileError>] = []
    while results.count < pages.count {
      let start = results.count
      results += loop.map(min(4 * workers, pages.count - start)) { task, _ in
        do throws(FileError) {
          let (picture, mask) = try dataset.pages[pages[start + task]].read(
            classCount: names.count)
          let cells = recognizer.recognize(picture.grey).cells
          // A mask with more cells than answers gets as many, as in training.
          let truth = mask.reduced(
            width: min(mask.width, cells.columns), height: min(mask.height, cells.rows))
          var confusion = SegmentationConfusion(classCount: names.count)
          confusion.add(truth, answer: SegmentationMask(cells))
          return .success(confusion)
        } catch { return .failure(error) }
      }
      progress(results.count)
    }
    var evaluated: [(index: Int, page: SegmentationPage, confusion: SegmentationConfusion)] = []
    var failures = dataset.failures
    for (index, result) in zip(pages, results) {
      switch result {
      case .success(let confusion): evaluated.append((index, dataset.pages[index], confusion))
      case .failure(let error): failures.append("\(error)")
      }
    }
    guard !evaluated.isEmpty else {
      throw FileError(
        path: dataset.folder, expected: "pages that can be read",
        found: failures.first ?? "none in this part")
    }
    self.init(evaluated, classes: names, failures: failures)
  }
}

extension SegmentationMask {
  /// The most likely class of each cell.
  ///
  /// Cells of a picture whose sides are no multiples of them reach beyond its edge.
  public init(_ cells: CellAnswers) {
    self.init(width: cells.columns, height: cells.rows, classes: cells.classes)
  }
}
