import Ink
import InkDatasets
import InkReader
import InkRecognizer
import ParallelLoops
import SafeFiles

extension Reader {
  /// Returns the readings of all lines of `dataset`, read on `workers` cores.
  ///
  /// - Throws: `FileError` if an example cannot be rendered as a line of writing.
  func readings(
    of dataset: Dataset, with decoder: CTCDecoder, temperature: Double, workers: Int
  ) throws(FileError) -> [Reading] {
    let readings = ParallelLoop(workers: workers).map(dataset.examples.count) { index, _ in
      let example = dataset.examples[index]
      return Result { () throws(PreparationError) -> Reading in
        try reading(
          of: example.recognitionInput, isTraced: example.isTraced, with: decoder,
          temperature: temperature)
      }.mapError { FileError(path: example.origin, $0, reader: "model") }
    }
    return try readings.map { one throws(FileError) in try one.get() }
  }
}

extension Example {
  /// Whether the example is ink that is no writing, or has some.
  var isNoWriting: Bool { label.contains(Recording.noWriting) }
}
