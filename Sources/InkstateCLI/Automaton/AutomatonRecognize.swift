import ArgumentParser
import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDiagram
import InkEvaluation
import InkImageIO
import InkTracing
import SafeFiles

/// Recognises whole drawings of automata, with their handwriting.
struct AutomatonRecognize: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recognize",
    abstract: "Turn a whole drawing, with its handwriting, into an automaton.",
    discussion: """
      Each drawing has all strokes of an automaton, in any order: rings with names in them, arrows \
      with symbols beside them, and an arrow from nowhere to the initial state. A second ring marks a \
      final state. NDJSON has one drawing per line, an InkML file is one drawing, and other formats of ink \
      work as in `inkstate dataset import`. Folders are searched. In a PNG or JPEG, such as a photograph of paper or a board, \
      a network that sees the whole page finds the states and arrows. The strokes are traced, as \
      `inkstate trace` does, and names and symbols are read from them and from the pixels. A picture can lie \
      any way. It is tried at four quarter turns. It is turned if another turn is clearly better: its writing reads \
      better, marks are whole characters, and the network is surer. \
      The command prints the states and the transitions; --output writes a document for the editor, \
      laid out as it was drawn. Several automata in one drawing, each with an initial state, become parts of one \
      document, and are listed one after the other; the document accepts the words of each.

      What could not be read with certainty is listed with the alternatives. If writing is ambiguous, \
      name the only possible symbols with --alphabet, or likely symbols and names with --vocabulary.

      With --format json, each drawing is one line: automaton, automata (a list of the ids of states for \
      each, empty if it was rejected), strokes (the role of each stroke: state, transition, initial, text \
      or other, and its element), uncertain, and rejected, which is null or says why the drawing is no \
      automaton.

      --truth compares with automata, with NDJSON that has the fields automaton and strokes, or with \
      annotated InkML, such as the FA database; give it once per file, in the order of the drawings. \
      A picture that cannot be read counts as wrong. The comparison is the last thing printed.

      The exit status is 0 if every drawing was read, even if one is no automaton; it is 2 if an item \
      could not be read.

      Example: inkstate automaton recognize Examples/Drawings/mod3.ndjson
      """, aliases: ["recognise"])

  @Argument(
    help: """
      Drawings: PNG, JPEG, or \(InkFile.formatNames); - is NDJSON on standard input.
      """)
  var files: [String] = []

  @Option(
    name: .shortAndLong, help: "The document to write, of a single drawing; - is standard output.")
  var output: String?

  @Option(help: "An SVG picture to write, of a single drawing.")
  var svg: String?

  @Option(help: "A text file with likely symbols and names, one per line.")
  var vocabulary: String?

  @Option(help: "The only symbols besides ε: a,b or 0…9. (default: any symbol)")
  var alphabet: String?

  @Option(help: "The true automaton of a drawing, or those of all drawings in a file or folder.")
  var truth: [String] = []

  @Flag(help: "Overwrite the files of --output and --svg if they exist.")
  var force = false

  @OptionGroup var format: FormatOptions

  private struct JSONLine: Encodable {
    var source: String
    var diagram: Diagram

    private enum CodingKeys: CodingKey { case source, automata }

    func encode(to encoder: any Encoder) throws {
      try diagram.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(source, forKey: .source)
      try container.encode(diagram.automata, forKey: .automata)
    }
  }

  private struct ComparisonLine: Encodable {
    var comparison: DiagramComparison
  }

  func validate() throws {
    try DocumentFormat.check(output: output, svg: svg)
    _ = try AlphabetOptions.symbols(in: alphabet)
    if files.count > 1, let option = oneDrawingOption {
      throw ValidationError("\(option): expected one drawing, found \(files.count) files")
    }
  }

  /// The option that was given and needs a single drawing.
  private var oneDrawingOption: String? {
    output != nil ? "--output" : svg != nil ? "--svg" : nil
  }

  func run() throws {
    for path in [output, svg].compactMap({ $0 }) where path != "-" {
      for file in files { try FileTree.refuseReplacing(file, by: path) }
      try FileTree.refuseExisting(path, force: force)
    }
    let recognizer = try DiagramRecognizer.released()
    let words = try vocabulary.map(TextOptions.words) ?? []
    let symbols = try AlphabetOptions.symbols(in: alphabet)
    let truths = try truth.flatMap(FileTree.files(below:)).flatMap(DiagramTruth.read)
    var documents: [Document] = []
    var comparison = DiagramComparison()
    var count = 0
    func compare(_ found: Diagram) {
      if count < truths.count { comparison += DiagramComparison(found, truth: truths[count]) }
      count += 1
    }
    func take(_ input: Input, _ name: String) throws {
      let (drawing, diagram, found): (Drawing, Diagram, Diagram)
      switch input {
      case .drawing(let given):
        drawing = given.drawing
        diagram = recognizer.recognize(
          drawing, isTraced: given.isTraced, vocabulary: words, alphabet: symbols)
        found = diagram
      case .picture(let photograph):
        let upright: TracedDrawing
        (diagram, upright) = try recognizer.recognize(
          photograph, vocabulary: words, alphabet: symbols)
        for remark in upright.remarks { Terminal.say("\(name): \(remark.message)") }
        drawing = upright.uprightDrawing
        // The elements of a photograph are where they are in the picture; a document is upright.
        found = diagram.moved(by: upright.pictureTransform)
      }
      try write(found, named: name)
      if output != nil || svg != nil {
        if let rejection = diagram.rejection {
          Terminal.say("not written: \(name): expected an automaton, but \(rejection.message)")
          throw ExitCode(2)
        }
        documents.append(try Document(diagram, drawing: drawing, id: UUID().uuidString))
      }
      compare(found)
    }
    // A picture that cannot be read is not right.
    let failureCount = try answer(take) {
      compare(Diagram(states: [], transitions: [], strokes: []))
    }
    if !truth.isEmpty {
      guard truths.count == count else {
        throw ValidationError(
          "--truth: there \(count == 1 ? "is" : "are") \(count.counted("drawing")), but the truth of \(truths.count)"
        )
      }
      try write(comparison)
    }
    if let option = oneDrawingOption, failureCount == 0 {
      guard documents.count == 1 else {
        throw ValidationError("\(option): expected one drawing, found \(documents.count)")
      }
      if let output { try Terminal.write(DocumentFile.write(documents[0]), to: output) }
      if let svg { try Terminal.write(Data(documents[0].svg.utf8), to: svg) }
    }
    if failureCount > 0 { throw ExitCode(2) }
  }

  /// What an automaton is recognised in.
  private enum Input {
    case drawing(Recording)
    case picture(Photograph)
  }

  /// Passes all drawings on, and calls `unread` for each picture that cannot be read; returns how many items could not be
  /// read, and prints why.
  private func answer(
    _ take: @escaping (Input, String) throws -> Void, unread: @escaping () -> Void
  ) throws -> Int {
    let inputs = DrawingInputs(
      drawing: { try take(.drawing($0), $1) },
      picture: { data, path in
        do { try take(.picture(Photograph.decode(data, path: path)), path) } catch {
          unread()
          throw error
        }
      })
    var failureCount = 0
    var paths = files.isEmpty ? ["-"] : []
    for file in files {
      guard FileTree.isFolder(file) else {
        paths.append(file)
        continue
      }
      let (found, refusedCount) = try inputs.files(in: file)
      failureCount += found.isEmpty ? 1 : refusedCount
      paths += found
    }
    for path in paths {
      guard path.lowercased().hasSuffix(".inkml") else {
        failureCount += try inputs.answer([path])
        continue
      }
      // All traces of a file are one drawing.
      do {
        guard let ink = try InkFile(path: path).annotatedInk() else {
          failureCount += try inputs.answer([path])
          continue
        }
        for part in ink.ignored { Terminal.say("ignored: \(part) in \(path)") }
        try take(.drawing(ink.recording), path)
      } catch let error as InkError {
        Terminal.say("not read: \(error)")
        failureCount += 1
      }
    }
    return failureCount
  }

  private func write(_ comparison: DiagramComparison) throws {
    switch format.value {
    case .json: try Terminal.show(json: ComparisonLine(comparison: comparison), indented: false)
    case .text: for line in comparison.lines { Terminal.show(line) }
    }
  }

  private func write(_ diagram: Diagram, named name: String) throws {
    switch format.value {
    case .json:
      try Terminal.show(json: JSONLine(source: name, diagram: diagram), indented: false)
    case .text:
      for line in diagram.lines(named: name) { Terminal.show(line) }
    }
    // A program that sends one drawing at a time waits for each answer.
    fflush(nil)
  }
}

extension Diagram {
  /// Returns the diagram as text for people.
  func lines(named source: String) -> [String] {
    if let rejection { return ["\(source): no automaton (\(rejection.message))"] }
    let drawn = try? Automaton(
      states: states.map { Automaton.State($0.id, name: $0.name) }, transitions: [])
    let shown = drawn?.shownNames
    let names = Dictionary(
      uniqueKeysWithValues: states.map { ($0.id, shown?.state($0.id) ?? $0.name) })
    func list(_ marked: (State) -> Bool) -> String {
      let some = states.filter(marked).map { names[$0.id]! }
      return some.isEmpty ? "none" : some.joined(separator: ", ")
    }
    var lines = [
      "\(source): \(states.count.counted("state")), \(transitions.count.counted("transition"))",
      "  states: \(list { _ in true }); initial: \(list(\.initial)); final: \(list(\.final))",
    ]
    let arrows = transitions.map { "\(names[$0.from] ?? "?") → \(names[$0.to] ?? "?")" }
    let elements = names.merging(arrows.enumerated().map { ("t\($0)", $1) }) { first, _ in first }
    let automata = automata
    for (number, automaton) in automata.enumerated() {
      if automata.count > 1 {
        let own = automaton.map { names[$0]! }.joined(separator: ", ")
        lines.append("  automaton \(number + 1) of \(automata.count): \(own)")
      }
      let own = transitions.indices.filter { automaton.contains(transitions[$0].from) }
      for index in own {
        let symbols = transitions[index].symbols.joined(separator: ", ")
        lines.append("  \(arrows[index]): \(symbols.isEmpty ? "no symbols" : symbols)")
      }
      let ids = Set(automaton + own.map { "t\($0)" })
      lines += uncertain.filter { ids.contains($0.element) }.map { line(for: $0, elements) }
    }
    let loose = strokes.count { $0.role == .text && $0.element == nil }
    if loose > 0 { lines.append("  \(loose.counted("stroke")) of other writing") }
    if let warning { lines.append("  \(warning)") }
    return lines
  }

  /// Returns what is uncertain about an element, given the names of states and arrows by their ids.
  private func line(for one: Uncertainty, _ elements: [String: String]) -> String {
    let element = elements[one.element] ?? one.element
    guard !one.value.isEmpty else {
      return "  uncertain: no \(one.property.rawValue) of \(element) could be read"
    }
    func shown(_ value: String) -> String {
      guard one.property == .direction else { return value }
      return value.split(separator: "→").map { elements[String($0)] ?? String($0) }
        .joined(separator: " → ")
    }
    let others = one.alternatives.prefix(3).map {
      "`\(shown($0.value))` \($0.probability.fixed(2))"
    }
    let question =
      switch one.property {
      case .state, .transition: "whether \(element) is a \(one.property.rawValue)"
      case .name, .symbols, .direction: "\(one.property.rawValue) of \(element)"
      }
    return "  uncertain: \(question): "
      + "`\(shown(one.value))` \(one.probability.fixed(2))"
      + (others.isEmpty ? "" : ", or " + others.joined(separator: ", "))
  }
}
