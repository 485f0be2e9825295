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
    let answers = ParallelLoop(workers: workers).map(dataset.examples.count) { index, _ in
      let example = dataset.examples[index]
      return Result { () throws(PreparationError) -> Recognition in
        if let disturbance {
          return try disturbance.answer(to: example, index: index, by: self)
        }
        return try recognize(example)
      }.mapError {
        FileError(
          path: example.origin, expected: "an example for the model", found: "\($0)")
      }
    }
    return try answers.map { answer throws(FileError) in try answer.get() }
  }
}

extension Recognizer {
  /// Returns the answer to an example.
  func recognize(_ example: Example) throws(PreparationError) -> Recognition {
    try recognize(example.recognitionInput)
  }
}

extension Example {
  /// The content as a model reads it.
  package var recognitionInput: RecognitionInput {
    switch content {
    case .drawing(let drawing): .drawing(drawing)
    case .bitmap(let bitmap): .bitmap(bitmap)
    case .series(let series): .series(series)
    }
  }
}
