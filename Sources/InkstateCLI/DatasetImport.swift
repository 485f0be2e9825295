import ArgumentParser
import Ink
import InkDatasets
import InkRaster

/// Reads ink or pictures in any form and writes one data set.
struct DatasetImport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Read recordings (or pictures) of any form into one data set.",
    discussion: """
      Reads Quick, Draw! NDJSON, InkML, $1 and $N gesture XML, and folders of them; also image \
      folders, IDX and NPY. Ink becomes NDJSON, pictures become an image folder. Pictures in a \
      folder of ink are passed over.

      With --strokes, every stroke of a drawing of several becomes an example by itself, as an \
      editor meets it that looks at one stroke at a time. Its label is the drawing's with the \
      stroke's form behind it, line, bow or curve: --map null/curve=state.

      Example: inkstate dataset import Examples/Ink --map circle=state --map arrow=transition \
      --others drop --output runs/ink.ndjson
      """)

  @Argument(help: "Files and folders.")
  var paths: [String]

  @Flag(help: "Take drawings of several strokes apart.")
  var strokes = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var loading: LoadingOptions

  func run() throws {
    try output.check(inputs: paths)
    var examples: [Example] = []
    var labels = Set<String>()
    var failureCount = 0
    for loaded in try loading.load(paths, asSingleStrokes: strokes) {
      examples += loaded.dataset.examples
      labels.formUnion(loaded.dataset.labels)
      failureCount += loaded.failures.count
    }
    let dataset = Dataset(examples, labels: labels.sorted())
    try DatasetForm.natural(for: dataset)
      .write(dataset, rasterizer: nil, to: output.output)
    Terminal.show(
      "\(examples.count.counted("example")) of \(labels.count.counted("label")) in \(output.output)"
    )
    if failureCount > 0 { throw ExitCode(2) }
  }
}

extension DatasetForm {
  /// The form that loses nothing: recordings where everything is ink, otherwise pictures.
  static func natural(for dataset: Dataset) -> DatasetForm {
    dataset.examples.allSatisfy { if case .drawing = $0.content { true } else { false } }
      ? .ndjson : .folder
  }
}
