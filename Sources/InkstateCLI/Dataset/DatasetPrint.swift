import ArgumentParser
import Ink
import InkDatasets
import InkPrint
import SafeFiles

/// Prints lines of text as strips.
struct DatasetPrint: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "print",
    abstract: "Print lines of text in many fonts, as strips with their texts.",
    discussion: """
      Writes a folder with PNGs and labels.tsv, which has path, text and writer of each strip. The \
      writer is the family of the font, so dataset split --by writer keeps fonts apart. The families \
      take turns; sizes, colours and borders are random.

      The texts are those of dataset compose lines, and phrases and random characters. Fonts without \
      all Latin letters and digits are left out, and fonts whose small letters are capitals.

      Example: inkstate dataset print --lines 200 --seed 1 --output runs/print
      """)

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "The fonts: files, or folders with fonts. (default: the fonts of this machine)",
      valueName: "file-or-folder"))
  var fonts: [String] = []

  @Option(help: "The number of lines.")
  var lines = 1000

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @OptionGroup var output: OutputOptions

  func validate() throws {
    try check("--lines", lines, in: 1...1_000_000)
  }

  func run() throws {
    try output.check(inputs: fonts)
    let collection = try fonts.isEmpty ? .system() : FontCollection(paths: fonts)
    // The fonts of a machine have other uses as well.
    if !fonts.isEmpty { for reason in collection.leftOut { Terminal.say("left out: \(reason)") } }
    let printer = LinePrinter(fonts: collection, seed: seed)
    let strips = Dataset(try (0..<lines).map { try printer.strip($0) })
    try DatasetFormat.strips.write(strips, rasterizer: nil, to: output.output)
    let families = collection.families.map { $0[0].family }
    Terminal.show(
      "\(lines.counted("line")) in \(families.count.counted("family", "families")) of fonts in "
        + "\(output.output): \(families.joined(separator: ", "))")
  }
}
