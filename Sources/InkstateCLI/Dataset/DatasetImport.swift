import ArgumentParser
import Ink
import InkDatasets
import InkRaster

/// Reads ink, series or pictures in any format and writes one data set.
struct DatasetImport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import recordings of ink or sensors, or pictures, into one data set.",
    discussion: """
      Reads ink as \(InkFile.formatNames), and folders of these. \
      NDJSON may be that of Quick, Draw!, and gesture XML that of $1 and $N. \
      The content decides the format; what is not part of a drawing is named as ignored. Reads \
      pictures as image folders, IDX or NPY, and strips with lines of writing as PNGs or JPEGs with labels.tsv. \
      Ink is written as NDJSON, pictures as an image folder, strips as a folder with labels.tsv. \
      Pictures in a folder with ink are skipped.

      Reads series as CSV or TSV with one row per step, as .ts files of the UEA archive, and as NPY \
      [count, length, channels] in series.npy and labels.npy. They are written as NDJSON. A CSV file \
      is one recording with the name of its folder as label, or a table with columns for recording, \
      label, person and session. A label that changes within a recording gives labelled spans. Empty \
      cells, nan, NA, n/a, null, none and ? are missing values. datasets/README.md describes the formats.

      With --strokes, each stroke of a drawing with several strokes becomes an example of its own. \
      Its label consists of the label of the drawing and the form of the stroke, for example \
      null/curve. To rename such a label, use --map null/curve=state.

      With --trace, the strokes in pictures (PNG or JPEG, such as photographs of paper) become ink, as \
      `inkstate trace` finds them. The label of a picture is the name of its folder.

      Example: inkstate dataset import Examples/Ink --map circle=state --map arrow=transition \
      --others drop --output runs/ink.ndjson

      Example: inkstate dataset import Examples/Series/steps.csv --output runs/steps.ndjson
      """)

  @Argument(help: "The files and folders to import.")
  var paths: [String]

  @Flag(help: "Make each stroke of a drawing with several strokes an example of its own.")
  var strokes = false

  @Flag(help: "Trace the strokes in pictures, so that they become ink.")
  var trace = false

  @Option(
    help: ArgumentHelp(
      "Leave out the examples that this data set has too, whatever their labels are.",
      valueName: "data set"))
  var without: String?

  @OptionGroup var output: OutputOptions
  @OptionGroup var loading: LoadingOptions

  func validate() throws {
    if trace, strokes {
      throw ValidationError(
        "--strokes and --trace do not go together; import the result with --strokes")
    }
  }

  func run() throws {
    try output.check(inputs: paths)
    var examples: [Example] = []
    var labels = Set<String>()
    var failureCount = 0
    for loaded in try loading.load(paths, asSingleStrokes: strokes, isTraced: trace) {
      examples += loaded.dataset.examples
      labels.formUnion(loaded.dataset.labels)
      failureCount += loaded.failures.count
    }
    if let without {
      let left = Set(try loading.load(without).dataset.examples.map(ExampleContent.init))
      let count = examples.count
      examples.removeAll { left.contains(ExampleContent($0)) }
      Terminal.say(
        "left out: \((count - examples.count).counted("example")) that \(without) has too")
    }
    let dataset = Dataset(examples, labels: labels.sorted())
    try DatasetFormat.natural(for: dataset)
      .write(dataset, rasterizer: nil, to: output.output)
    Terminal.show(
      "\(examples.count.counted("example")) of \(labels.count.counted("label")) in \(output.output)"
    )
    if failureCount > 0 { throw ExitCode(2) }
  }
}

/// What makes two examples the same, whatever their labels are.
private struct ExampleContent: Hashable {
  let content: Example.Content
  let hand: String?

  init(_ example: Example) {
    content = example.content
    hand = example.hand
  }
}

extension DatasetFormat {
  /// Returns the format that keeps everything: strips if there are any, NDJSON if all examples are
  /// ink or series, otherwise pictures.
  static func natural(for dataset: Dataset) -> DatasetFormat {
    if dataset.examples.contains(where: \.isStrip) { return .strips }
    return dataset.examples.allSatisfy { if case .bitmap = $0.content { false } else { true } }
      ? .ndjson : .folder
  }
}
