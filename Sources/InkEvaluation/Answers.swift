import InkDatasets
import InkRaster
import InkRecognizer
import ParallelLoops
import SafeFiles

extension Recognizer {
  /// Returns the answer to every example of `dataset`, computed on `workers` cores.
  ///
  /// - Throws: `FileError` if a label is not one of the model's, or if an example cannot be rasterised.
  func answers(
    to dataset: Dataset, disturbance: Disturbance? = nil, workers: Int
  ) throws(FileError) -> [Recognition] {
    if let unknown = dataset.labels.first(where: { !model.labels.contains($0) }) {
      throw FileError(
        path: dataset.examples.first { $0.label == unknown }?.origin ?? "data set",
        expected: "labels of the model, \(model.labels.joined(separator: ", "))",
        found: "`\(unknown)`")
    }
    let answers = ParallelAnswers(count: dataset.examples.count)
    ParallelLoop(workers: workers).run(dataset.examples.count) { index, _ in
      let example = dataset.examples[index]
      let answer = Result { () throws(PreparationError) -> Recognition in
        if let disturbance {
          return try disturbance.answer(to: example, index: index, by: self)
        }
        return try recognize(example)
      }.mapError {
        FileError(
          path: example.origin, expected: "an example for the model", found: "\($0)")
      }
      answers.store(answer, at: index)
    }
    return try answers.all()
  }
}

/// Answers that workers store in any order.
private final class ParallelAnswers: @unchecked Sendable {
  private let memory: UnsafeMutableBufferPointer<Result<Recognition, FileError>?>

  init(count: Int) {
    memory = .allocate(capacity: count)
    memory.initialize(repeating: nil)
  }

  deinit {
    memory.deinitialize()
    memory.deallocate()
  }

  /// Stores the answer for `index`; each index is stored once, by one worker.
  func store(_ answer: Result<Recognition, FileError>, at index: Int) {
    memory[index] = answer
  }

  func all() throws(FileError) -> [Recognition] {
    try memory.map { answer throws(FileError) in try answer!.get() }
  }
}

extension Recognizer {
  /// Returns the answer to an example.
  func recognize(_ example: Example) throws(PreparationError) -> Recognition {
    switch example.content {
    // The original size of a drawing decides whether it is a tap.
    case .drawing(let drawing): try recognize(drawing)
    case .bitmap(let bitmap): try recognize(bitmap)
    case .series(let series): try recognize(series)
    }
  }
}
