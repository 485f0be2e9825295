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
    to dataset: Dataset, perturbation: Perturbation? = nil, workers: Int
  ) throws(FileError) -> [Recognition] {
    if let unknown = dataset.labels.first(where: { !model.labels.contains($0) }) {
      throw FileError(
        path: dataset.examples.first { $0.label == unknown }?.origin ?? "data set",
        expected: "labels of the model, \(model.labels.joined(separator: ", "))",
        found: "`\(unknown)`")
    }
    let recognizer: Recognizer
    do { recognizer = try perturbation?.recognizer(for: self) ?? self } catch {
      throw FileError(
        path: dataset.examples.first?.origin ?? "data set",
        expected: "a pen that fits the pictures of the model", found: "\(error)")
    }
    let answers = ParallelLoop(workers: workers).map(dataset.examples.count) { index, _ in
      let example = dataset.examples[index]
      return Result { () throws(PreparationError) -> Recognition in
        if let perturbation {
          return try perturbation.answer(to: example, index: index, by: recognizer)
        }
        return try recognizer.recognize(example)
      }.mapError { FileError(path: example.origin, $0, reader: "model") }
    }
    return try answers.map { answer throws(FileError) in try answer.get() }
  }
}

extension Recognizer {
  /// Returns the answer to an example.
  func recognize(_ example: Example) throws(PreparationError) -> Recognition {
    try recognize(example.recognitionInput, of: example)
  }

  /// Returns the answer to `input`, which was made of an example; taps are judged in the example's unit.
  func recognize(
    _ input: RecognitionInput, of example: Example
  ) throws(PreparationError) -> Recognition {
    try recognize(input, minimumExtent: example.minimumExtent(or: model.decision.minimumExtent))
  }
}

extension FileError {
  /// Creates the error for an example that `reader`, a model or a network, cannot read.
  package init(path: String, _ error: PreparationError, reader: String) {
    switch error {
    case .unsuitable(let expected, let found):
      self.init(path: path, expected: "\(expected) for the \(reader)", found: found)
    case .raster, .series:
      self.init(path: path, expected: "an example for the \(reader)", found: "\(error)")
    }
  }
}

extension Example {
  /// The content as a model reads it.
  package var recognitionInput: RecognitionInput {
    switch content {
    case .drawing(let drawing): .drawing(drawing)
    case .bitmap(let bitmap): .bitmap(bitmap)
    case .strip(let strip): .strip(strip)
    case .series(let series): .series(series)
    }
  }
}
