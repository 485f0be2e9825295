import ArgumentParser
import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkImageIO
import SafeFiles

/// The group of commands for automata.
struct AutomatonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "automaton",
    abstract: "Check, run, transform and convert automata.",
    discussion: """
      Reads and writes the editor's format (.automaton), JFLAP (.jff, .xml), Graphviz (.dot, .gv), \
      transition tables (.txt; .csv, .tsv and .md are read), Mermaid's state diagrams (.mmd) and TikZ \
      (.tex), and reads AT&T's FSM tables (.att). A .json file is a document of the editor, the exchange \
      form of the reference editor, or a file of FSM Designer, automatonSimulator or Automatarium; the \
      command detects which. `-` is standard input or output.

      Files can also have Moore, Mealy and Turing machines and pushdown automata (.automaton, .jff and \
      .dot). Where labels such as a/x could mean several kinds, --kind says which one. \
      The commands check, run, trace, convert, render and link take all of them; the others are for finite \
      automata.

      A word is split into symbols by longest match. Spaces or commas may separate its symbols.

      Example:

        inkstate automaton run Examples/Automata/a.automaton AA BA B
      """,
    subcommands: [
      AutomatonRecognize.self, AutomatonEvaluate.self, AutomatonReplay.self, AutomatonCheck.self,
      AutomatonRun.self,
      AutomatonTrace.self,
      AutomatonTransform.Determinize.self,
      AutomatonTransform.Minimize.self, AutomatonTransform.Complement.self,
      AutomatonTransform.Complete.self, AutomatonTransform.RemoveEpsilon.self,
      AutomatonTransform.Reverse.self, AutomatonTransform.Trim.self,
      AutomatonCombine.Union.self, AutomatonCombine.Intersection.self,
      AutomatonCombine.Difference.self, AutomatonExpression.Expression.self,
      AutomatonExpression.FromExpression.self, AutomatonExpression.Words.self,
      AutomatonEquivalent.self, AutomatonGrade.self,
      AutomatonTransform.Convert.self, AutomatonRender.self, AutomatonLink.self,
    ])
}

/// An automaton from a file or standard input.
struct AutomatonSource {
  private(set) var drawn: PlacedAutomaton
  /// The editor's document, if the file was one.
  private(set) var document: Document?

  /// Returns the automaton for an operation that only finite automata have.
  ///
  /// - Throws: `AutomatonError` with the reason if it is another machine.
  func finite(for operation: String) throws(AutomatonError) -> Automaton {
    if let kind = drawn.kind { throw kind.refusal(of: operation) }
    return drawn.automaton
  }

  /// Reads an automaton; `kind` says what the labels are in files that do not say it.
  static func read(
    _ path: String, form: DocumentFormat?, kind: KindChoice = .detected
  ) throws -> AutomatonSource {
    let data: Data
    let name = path == "-" ? "standard input" : path
    if path == "-" {
      data = FileHandle.standardInput.readDataToEndOfFile().withoutByteOrderMark
    } else {
      guard let contents = try InputFile(path: path).rest(atMost: Format.maximumBytes) else {
        throw FileError(
          path: path, expected: "at most \(Format.maximumBytes >> 20) MiB", found: "a larger file")
      }
      data = contents.withoutByteOrderMark
    }
    let named = DocumentFormat(ending: (path as NSString).pathExtension, data: data)
    let form = form ?? named ?? DocumentFormat(lookingAt: data)
    guard kind == .detected || ![.automaton, .jff].contains(form) else {
      throw ValidationError("--kind: \(name) says itself what its labels are; leave the option out")
    }
    guard let format = form.format else {
      let document = try DocumentFile.read(data, name: name)
      return AutomatonSource(drawn: document.placedAutomaton, document: document)
    }
    return AutomatonSource(drawn: try format.read(data, name: name, as: kind), document: nil)
  }

  /// What is wrong with a file without states.
  static let noStates = "no states, so no word is accepted"

  /// What a person should know before the automaton is used, in one line each.
  var warnings: [String] {
    let automaton = drawn.automaton
    guard !automaton.states.isEmpty else { return drawn.remarks + [Self.noStates] }
    var missing: [String] = []
    if automaton.initialStates.isEmpty { missing.append("initial") }
    let needsFinal = drawn.kind?.isTransducer != true && drawn.acceptance == .finalState
    if needsFinal, automaton.finalStates.isEmpty { missing.append("final") }
    return drawn.remarks + missing.map { "no \($0) state, so no word is accepted" }
  }

  /// Prints the warnings to stderr.
  func warn(about file: String) {
    for warning in warnings { Terminal.say("warning: \(file): \(warning)") }
  }

  /// Returns the same automaton with `symbols` added to its alphabet.
  func addingToAlphabet(_ symbols: [String]) throws -> AutomatonSource {
    guard !symbols.isEmpty else { return self }
    var source = self
    source.drawn.automaton = try finite(for: "--alphabet").addingToAlphabet(symbols)
    if let document {
      var ids = CountingIDs()
      let command = Command.setAlphabet(document.givenAlphabet + symbols)
      do { source.document = try document.applying(command, ids: &ids) } catch Refusal.nothingToDo {
        // The document has these symbols already.
      }
    }
    return source
  }

  /// Returns the same machine with another acceptance, or unchanged for `nil`.
  ///
  /// - Throws: `AutomatonError` if it is no pushdown automaton.
  func accepting(_ acceptance: Machine.Acceptance?) throws(AutomatonError) -> AutomatonSource {
    guard let acceptance else { return self }
    guard drawn.kind == .pushdown else {
      throw AutomatonError(
        at: "--accept", expected: "a pushdown automaton, because only it has a stack",
        found: drawn.kind?.noun ?? "a finite automaton")
    }
    var source = self
    source.drawn.acceptance = acceptance
    source.document?.acceptance = acceptance
    return source
  }

  /// Returns the document, or a new one with the id `id` that draws the automaton.
  func drawing(id: @autoclosure () -> String) -> Document { document ?? Document(drawn, id: id()) }
}

/// Additional symbols of the alphabet.
struct AlphabetOptions: ParsableArguments {
  @Option(help: "More symbols of the alphabet, besides those of the transitions: a,b or 0…9.")
  var alphabet: String?

  /// Returns the symbols; none if the option is absent.
  func symbols() throws -> [String] { try Self.symbols(in: alphabet) }

  /// Returns the symbols in the text of an option; none if it is absent.
  static func symbols(in alphabet: String?) throws -> [String] {
    do { return try TypedSymbols.alphabet(alphabet ?? "") } catch {
      throw ValidationError("--alphabet: expected \(error.expected), found \(error.found)")
    }
  }

  func validate() throws { _ = try symbols() }
}

/// Two automata that a command compares or combines, and additional symbols of their alphabet.
struct AutomatonPair: ParsableArguments {
  @Argument(help: "The first automaton; - is standard input.")
  var first: String

  @Argument(help: "The second automaton; - is standard input.")
  var second: String

  @Option(help: "The format of both files. (default: detected)")
  var from: DocumentFormat?

  @OptionGroup var alphabet: AlphabetOptions

  func validate() throws {
    guard first != "-" || second != "-" else {
      throw ValidationError("only one of the two automata can come from standard input")
    }
  }

  /// Reads both automata, without the additional symbols.
  ///
  /// - Throws: `AutomatonError` if one is not a finite automaton, which the operation needs.
  func read(for operation: String) throws -> (first: Automaton, second: Automaton) {
    func read(_ file: String) throws -> Automaton {
      let source = try AutomatonSource.read(file, form: from)
      source.warn(about: file)
      return try source.finite(for: operation)
    }
    return (try read(first), try read(second))
  }
}

/// An automaton's file and additional symbols of its alphabet.
struct AutomatonInputOverAlphabet: ParsableArguments {
  @OptionGroup var input: AutomatonInput
  @OptionGroup var alphabet: AlphabetOptions

  var file: String { input.file }

  /// Reads the automaton, and warns on stderr of what a person should know unless `isSilent`.
  func read(
    _ acceptance: AcceptanceOptions? = nil, isSilent: Bool = false
  ) throws -> AutomatonSource {
    let source = try input.read(isSilent: true).accepting(acceptance?.accept)
    if !isSilent { source.warn(about: file) }
    return try source.addingToAlphabet(alphabet.symbols())
  }

  /// Reads the automaton to run words, and warns on stderr if no transition has a symbol.
  func readToRun(_ acceptance: AcceptanceOptions) throws -> RunnableAutomaton {
    let drawn = try read(acceptance).drawn
    if let machine = try drawn.machine { return .machine(machine) }
    let automaton = drawn.automaton
    if !automaton.states.isEmpty, automaton.transitions.allSatisfy(\.symbols.isEmpty) {
      Terminal.say(
        "\(file): no transition has a symbol, so only the empty word can be accepted. Add symbols in "
          + "`inkstate studio` or in the file.")
    }
    return .finite(automaton)
  }
}

extension Machine.Acceptance: ExpressibleByArgument {}

/// When a pushdown automaton accepts.
struct AcceptanceOptions: ParsableArguments {
  @Option(
    help: """
      When a pushdown automaton accepts a word that it has read: in a final-state, with an empty-stack, \
      or either. (default: as the .automaton file says, otherwise final-state)
      """)
  var accept: Machine.Acceptance?
}

/// What a word can be run through.
enum RunnableAutomaton {
  case finite(Automaton)
  case machine(Machine)
}

/// The automaton that a command reads.
struct AutomatonInput: ParsableArguments {
  @Argument(help: "The automaton; - is standard input.")
  var file: String

  @Option(help: "The format to read. (default: detected)")
  var from: DocumentFormat?

  @Option(
    help: ArgumentHelp(
      """
      The kind of machine, for files whose labels do not tell it.
      """, valueName: "kind"))
  var kind: KindChoice = .detected

  /// Reads the automaton, and warns on stderr of what a person should know unless `isSilent`.
  func read(isSilent: Bool = false) throws -> AutomatonSource {
    let source = try AutomatonSource.read(file, form: from, kind: kind)
    if !isSilent { source.warn(about: file) }
    return source
  }
}

/// The file that a command writes an automaton to.
struct AutomatonOutput: ParsableArguments {
  @Option(name: .shortAndLong, help: "The output file; - is standard output.")
  var output = "-"

  @Option(
    help: """
      The format to write. (default: from the file's name; table on standard output)
      """)
  var to: DocumentFormat?

  @Flag(help: "Overwrite the output if it exists.")
  var force = false

  private var form: DocumentFormat? {
    to ?? DocumentFormat(writing: output) ?? (output == "-" ? .table : nil)
  }

  func validate() throws {
    guard let form else {
      throw ValidationError(
        "--output: the name `\(output)` does not say which format to write; use a name that ends in "
          + "\(DocumentFormat.writtenEndings.map { ".\($0)" }.alternatives), or name the format with --to"
      )
    }
    guard form.isWritten else {
      throw ValidationError("files of the format \(form.title) are only read; write another format")
    }
  }

  func write(_ source: AutomatonSource) throws {
    let form = form ?? .table
    switch form {
    case .automaton: try write(DocumentFile.write(source.drawing(id: UUID().uuidString)))
    case .tikz: try write(Data(source.drawing(id: UUID().uuidString).tikz.utf8))
    default: try write(form.format!.write(source.drawn))
    }
    let losses = form.format?.losses(of: source.drawn) ?? []
    guard !losses.isEmpty else { return }
    let name = output == "-" ? "standard output" : output
    Terminal.say(
      "warning: \(name): the format \(form.title) has no place for \(losses.joined(separator: ", "))"
    )
  }

  func write(_ data: Data) throws {
    if output != "-" { try FileTree.refuseExisting(output, force: force) }
    try Terminal.write(data, to: output)
  }
}

/// The limit on the size of a result.
struct LimitOptions: ParsableArguments {
  @Option(
    help: """
      Stop if a result has more states than this. A result may have 10 times as many transitions, \
      and 50 times as many entries in its transition table.
      """)
  var limit = Limit.standard.states

  func validate() throws { try check("--limit", limit, in: 1...1_000_000_000) }

  var value: Limit {
    let standard = Limit.standard
    return Limit(
      states: limit, transitions: max(standard.transitions, 10 * limit),
      tableEntries: max(standard.tableEntries, 50 * limit))
  }
}

extension DocumentFormat: ExpressibleByArgument {}

extension KindChoice: ExpressibleByArgument {
  /// Creates the choice of this name.
  public init?(argument: String) { self.init(name: argument) }

  /// The names of all choices.
  public static var allValueStrings: [String] { names }

  /// The choice without the option.
  public var defaultValueDescription: String { "detected" }
}

extension DocumentFormat {
  private static let pictureEndings =
    Photograph.endings + ["pdf", "svg"] + TypesettingFormat.allCases.map(\.ending)

  /// Checks the names of the files for the document and the SVG picture of a drawing.
  ///
  /// - Throws: `ValidationError` where they are the same, or the document is named as a picture or another
  ///   tool's file.
  static func check(output: String?, svg: String?) throws {
    guard let output else { return }
    guard output != svg else {
      throw ValidationError("--output and --svg name the same file, \(output); name two files")
    }
    let ending = (output as NSString).pathExtension.lowercased()
    guard !pictureEndings.contains(ending) else {
      throw ValidationError(
        "--output: \(output) would be a document and no picture; use a name that ends in .automaton, and "
          + "then inkstate automaton render")
    }
    guard let form = DocumentFormat(path: output), form != .automaton else { return }
    throw ValidationError(
      "--output: \(output) would not be a \(form.title) file; use a name that ends in .automaton, and "
        + "then inkstate automaton convert")
  }
}
