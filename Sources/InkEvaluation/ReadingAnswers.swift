import Ink
import InkDatasets
import InkReader
import InkRecognizer
import ParallelLoops
import SafeFiles

extension Reader {
  /// Returns what the network says about every example of `dataset`, computed on `workers` cores; `nil`
  /// where there is no ink.
  ///
  /// - Throws: `FileError` if an example cannot be rendered as a line of writing.
  func logits(of dataset: Dataset, workers: Int) throws(FileError) -> [[Float]?] {
    let logits = ParallelLoop(workers: workers).map(dataset.examples.count) { index, _ in
      let example = dataset.examples[index]
      return Result { () throws(PreparationError) -> [Float]? in
        try self.logits(of: example.recognitionInput, isTraced: example.isTraced)
      }.mapError { FileError(path: example.origin, $0, reader: "model") }
    }
    return try logits.map { one throws(FileError) in try one.get() }
  }

  /// Returns the readings of many lines.
  func readings(
    of logits: [[Float]?], with decoder: CTCDecoder, temperature: Double, workers: Int
  ) -> [Reading] {
    ParallelLoop(workers: workers).map(logits.count) { index, _ in
      reading(of: logits[index], with: decoder, temperature: temperature)
    }
  }
}

extension Example {
  /// Whether the example is ink that is no writing, or has some.
  var isNoWriting: Bool { label.contains(Recording.noWriting) }
}
