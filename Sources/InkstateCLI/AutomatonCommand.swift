import ArgumentParser
import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDatasets

/// Everything that is done to automata.
struct AutomatonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "automaton",
    abstract: "Check, run, transform and convert finite automata.",
    discussion: """
      Files are the editor's (.automaton), JFLAP's (.jff, .xml), Graphviz's (.dot, .gv), transition \
      tables (.txt) and the reference's exchange form or the editor's (.json); `-` is standard input or \
      output. A word with symbols of several characters is read by longest match, and spaces or commas \
      may separate its symbols.

      Example:

        inkstate automaton run Examples/Automata/a.automaton AA BA B
      """,
    subcommands: [
      AutomatonReplay.self, AutomatonCheck.self, AutomatonRun.self, AutomatonTrace.self,
      AutomatonTransform.Determinize.self,
      AutomatonTransform.Minimize.self, AutomatonTransform.Complement.self,
      AutomatonEquivalent.self,
      AutomatonTransform.Convert.self, AutomatonRender.self,
    ])
}

/// An automaton from a file or standard input.
struct AutomatonSource {
  private(set) var drawn: Drawn
  /// The drawing, where it was one.
  private(set) var document: Document?

  var automaton: Automaton { drawn.automaton }

  static func read(_ path: String, form: DocumentForm?) throws -> AutomatonSource {
    let data: Data
    let name = path == "-" ? "standard input" : path
    if path == "-" {
      data = withoutMark(FileHandle.standardInput.readDataToEndOfFile())
    } else {
      guard let contents = try InputFile(path: path).rest(atMost: Format.mostBytes) else {
        throw DatasetError(
          path: path, expected: "at most \(Format.mostBytes >> 20) MiB", found: "more")
      }
      data = withoutMark(contents)
    }
    let named = DocumentForm(ending: (path as NSString).pathExtension, data: data)
    let form = form ?? named ?? DocumentForm(lookingAt: data)
    guard let format = form.format else {
      let document = try DocumentFile.read(data, name: name)
      let places = document.states.map { ($0.id, Drawn.Place(x: $0.center.x, y: $0.center.y)) }
      return AutomatonSource(
        drawn: Drawn(
          automaton: document.automaton, places: Dictionary(uniqueKeysWithValues: places)),
        document: document)
    }
    return AutomatonSource(drawn: try format.read(data, name: name), document: nil)
  }

  /// The same with `symbols` added to its alphabet.
  func addingToAlphabet(_ symbols: [String]) throws -> AutomatonSource {
    guard !symbols.isEmpty else { return self }
    var source = self
    source.drawn.automaton = try automaton.addingToAlphabet(symbols)
    if let document {
      var ids = CountingIDs()
      let command = Command.setAlphabet(document.givenAlphabet + symbols)
      do { source.document = try document.applying(command, ids: &ids) } catch Refusal.nothingToDo {
        // The drawing has these symbols already.
      }
    }
    return source
  }

  /// The text without the byte order mark that some programs begin with.
  private static func withoutMark(_ data: Data) -> Data {
    data.starts(with: [0xEF, 0xBB, 0xBF]) ? Data(data.dropFirst(3)) : data
  }

  /// The drawing, or one made for it with the id `id`.
  func drawing(id: @autoclosure () -> String) -> Document { document ?? Document(drawn, id: id()) }
}

/// Symbols that count besides those that an automaton reads.
struct AlphabetOptions: ParsableArguments {
  @Option(help: "Symbols of the alphabet besides those that occur: a,b or 0…9.")
  var alphabet: String?

  /// The symbols, none where the option is absent.
  func symbols() throws -> [String] {
    do { return try TypedSymbols.alphabet(alphabet ?? "") } catch {
      throw ValidationError("--alphabet: expected \(error.expected), found \(error.found)")
    }
  }

  func validate() throws { _ = try symbols() }
}

/// An automaton's file with the alphabet that it is read over.
struct AutomatonInputOverAlphabet: ParsableArguments {
  @OptionGroup var input: AutomatonInput
  @OptionGroup var alphabet: AlphabetOptions

  var file: String { input.file }

  func read() throws -> AutomatonSource {
    try input.read().addingToAlphabet(alphabet.symbols())
  }

  /// Reads the automaton to run words, and tells on stderr where it has no symbols to read.
  func readToRun() throws -> Automaton {
    let automaton = try read().automaton
    if automaton.transitions.allSatisfy(\.symbols.isEmpty) {
      Terminal.say(
        "\(file): no transition has a symbol, so no word but the empty one can be accepted; add "
          + "symbols in `inkstate studio`, or in the file")
    }
    return automaton
  }
}

/// Where an automaton comes from.
struct AutomatonInput: ParsableArguments {
  @Argument(help: "The automaton's file; - is standard input.")
  var file: String

  @Option(help: "The file's form, where its name does not tell: \(DocumentForm.allCases.words).")
  var from: DocumentForm?

  func read() throws -> AutomatonSource { try .read(file, form: from) }
}

/// Where an automaton goes to.
struct AutomatonOutput: ParsableArguments {
  @Option(name: .shortAndLong, help: "Where to write; - is standard output.")
  var output = "-"

  @Option(
    help: """
      The form, where the name does not tell: \(DocumentForm.allCases.words); on standard output a \
      table otherwise.
      """)
  var to: DocumentForm?

  @Flag(help: "Replace what is at the output.")
  var force = false

  private var form: DocumentForm? {
    to ?? DocumentForm(path: output) ?? (output == "-" ? .table : nil)
  }

  func validate() throws {
    guard form != nil else {
      throw ValidationError(
        "--output: expected a name that ends in \(DocumentForm.endings.map { ".\($0)" }.words), or "
          + "--to with the form, found `\(output)`")
    }
  }

  func write(_ source: AutomatonSource) throws {
    let form = form ?? .table
    let data =
      try form.format.map { try $0.write(source.drawn) }
      ?? DocumentFile.write(source.drawing(id: UUID().uuidString))
    try write(data)
  }

  func write(_ data: Data) throws {
    if output == "-" {
      Terminal.output(data)
    } else {
      try FileTree.refuseExisting(output, force: force)
      try FileTree.write(data, to: output)
    }
  }
}

/// How many states an operation may make.
struct LimitOptions: ParsableArguments {
  @Option(
    help: """
      Give up where a result has more states than this, ten times as many transitions, or, states \
      times symbols, fifty times as many.
      """)
  var limit = Limit.standard.states

  func validate() throws {
    guard (1...1_000_000_000).contains(limit) else {
      throw ValidationError("--limit: expected 1 to 10^9, found \(limit)")
    }
  }

  var value: Limit {
    let standard = Limit.standard
    return Limit(
      states: limit, transitions: max(standard.transitions, 10 * limit),
      tableEntries: max(standard.tableEntries, 50 * limit))
  }
}

/// How an answer is printed.
enum AnswerFormat: String, CaseIterable, ExpressibleByArgument {
  case text, json
}

extension DocumentForm: ExpressibleByArgument {}
