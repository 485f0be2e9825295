import Foundation
import TestSupport
import Testing

/// Files of other programs in the `automaton` commands.
@Suite(.timeLimit(.minutes(30))) struct AutomatonFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ arguments: String..., input: String = "") throws -> CommandResult {
    try inkstate(["automaton"] + arguments, in: folder, input: input)
  }

  @Test func aMissingInitialStateIsNeverSilent() throws {
    try folder.write("a.dot", "digraph { a -> b [label=x]; b [shape=doublecircle] }")
    let check = try run("check", "a.dot")
    #expect(check.status == 1 && check.output.contains("error: no initial state"))
    let warning = "warning: a.dot: no initial state"
    for command in [
      ["convert", "a.dot"], ["determinize", "a.dot"], ["render", "a.dot", "-o", "-"],
      ["equivalent", "a.dot", "a.dot"],
    ] {
      let result = try inkstate(["automaton"] + command, in: folder)
      #expect(result.errors.contains(warning), "\(command): \(result.errors)")
    }
    #expect(try run("run", "a.dot", "x").output == "x\trejected: no initial state\n")
    try folder.write("solution.txt", "state | x\n→ p | q\n* q |\n")
    let grade = try run("grade", "solution.txt", "a.dot")
    #expect(grade.output.contains("wrong") && grade.output.contains("no initial state"))
  }

  @Test func anAutomatonWithoutStatesIsNeverSilent() throws {
    let files = [
      "a.dot": "digraph {}", "b.mmd": "stateDiagram-v2\n", "c.json": #"{"nodes":[],"links":[]}"#,
      "d.jff": "<structure><type>fa</type><automaton></automaton></structure>",
    ]
    try folder.write("solution.txt", "state | x\n→ p | q\n* q |\n")
    for (name, text) in files {
      try folder.write(name, text)
      let check = try run("check", name)
      #expect(check.status == 1 && check.output.contains("error: no states"), "\(check.output)")
      for command in [["convert", name, "--to", "automaton"], ["run", name, "x"]] {
        let result = try inkstate(["automaton"] + command, in: folder)
        #expect(result.errors.contains("warning: \(name): no states"), "\(result.errors)")
      }
      let grade = try run("grade", "solution.txt", name)
      #expect(
        grade.output.contains("not read: \(name): expected states, found none"), "\(grade.output)")
      let refused = try run("grade", name, "solution.txt")
      #expect(refused.status == 1 && refused.output.isEmpty)
      #expect(
        refused.errors.contains("\(name): expected a solution with states"), "\(refused.errors)")
    }
    // An empty document of the editor can be handed in.
    try folder.write("e.automaton", #"{"automatonStates":{},"transitions":{}}"#)
    #expect(try run("grade", "solution.txt", "e.automaton").output.contains("e.automaton\twrong"))
    try folder.write("f.dot", "digraph { a -> b [label=x]; b [shape=doublecircle] }")
    let start = try run("grade", "f.dot", "solution.txt")
    #expect(start.status == 1 && start.errors.contains("expected a solution with an initial state"))
  }

  @Test func aMissingFinalStateIsNeverSilent() throws {
    try folder.write("a.dot", "digraph { i [shape=point]; i -> a; a -> b [label=x] }")
    let convert = try run("convert", "a.dot")
    #expect(convert.errors == "warning: a.dot: no final state, so no word is accepted\n")
    try folder.write(
      "b.dot", "digraph { kind=pushdown; i [shape=point]; i -> a; a -> a [label=\"x, Z → ε\"] }")
    #expect(try run("convert", "b.dot", "--to", "jff").errors.contains("no final state"))
    let stack = try run("convert", "b.dot", "--accept", "empty-stack", "--to", "automaton")
    #expect(stack.status == 0 && stack.errors.isEmpty, "\(stack.errors)")
    try folder.write("c.dot", "digraph { i [shape=point]; i -> a; a -> b [label=\"x/y\"] }")
    #expect(try run("convert", "c.dot", "--to", "jff").errors.isEmpty)
  }

  @Test func keysInOtherCapitalsAreNamed() throws {
    try folder.write("a.txt", "state | x\n→ * p | p\n")
    #expect(try run("convert", "a.txt", "-o", "a.automaton").status == 0)
    #expect(!(try run("check", "a.automaton").output.contains("warning")))
    let path = folder.path + "/a.automaton"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try folder.write("a.automaton", text.replacing("\"isFinalState\"", with: "\"isfinalState\""))
    let check = try run("check", "a.automaton")
    #expect(
      check.output.contains(
        "warning: state p: the key `isfinalState` has no effect; write `isFinalState`"),
      "\(check.output)")
  }

  @Test func jsonOfNoKnownKindIsNamed() throws {
    for text in ["[]", "\"text\"", "{\"a\":1}"] {
      try folder.write("a.json", text)
      #expect(try run("check", "a.json").errors.contains("JSON of no known kind"), "\(text)")
    }
  }

  @Test func aPersonSaysWhatLabelsAre() throws {
    try folder.write(
      "a.dot", "digraph { i [shape=point]; i -> a; a -> a [label=\"0/1\"]; a [shape=doublecircle] }"
    )
    let open = try run("check", "a.dot")
    #expect(open.status != 0 && open.errors.contains("--kind"), "\(open.errors)")
    let mealy = try run("run", "a.dot", "00", "--kind", "mealy")
    #expect(mealy.status == 0 && mealy.output.contains("output: 11"), "\(mealy.errors)")
    #expect(try run("run", "a.dot", "0/1", "--kind", "finite").status == 0)
    // What is written says it.
    #expect(try run("convert", "a.dot", "--kind", "mealy", "-o", "b.dot").status == 0)
    #expect(try run("run", "b.dot", "00").output == mealy.output)
    #expect(try run("check", "a.dot", "--kind", "petri").errors.contains("mealy"))
  }

  @Test func picturesAndDiagramsAreReadAgain() throws {
    try folder.write("a.txt", "state | a | b\n→ p | q |\n* q | q | p\n")
    for name in ["a.tex", "a.mmd"] {
      #expect(try run("render", "a.txt", "-o", name).status == 0)
      let same = try run("equivalent", "a.txt", name)
      #expect(same.status == 0, "\(name): \(same.output)\(same.errors)")
      #expect(try run("convert", name, "-o", "again-\(name)").status == 0)
      #expect(try run("equivalent", "a.txt", "again-\(name)").status == 0)
    }
    let refused = try run("convert", "a.txt", "--to", "att")
    #expect(refused.status != 0 && refused.errors.contains("only read"))
  }

  @Test func textOfUnknownFormsIsNotGraded() throws {
    try folder.write("solution.txt", "state | a\n→ p | q\n* q |\n")
    try folder.write("in/right.csv", "state,a\n>p,q\n*q,\n")
    try folder.write("in/essay.txt", "This is my answer.\nIt is short.\n")
    try folder.write("in/hoa.txt", "HOA: v1\nStates: 1\n--BODY--\n--END--\n")
    try folder.write("in/flow.mmd", "flowchart LR\nA-->B\n")
    try folder.write("in/page.xml", "<html/>")
    try folder.write("in/notes.pdf", "%PDF")
    try folder.write("in/.hidden", "")
    try folder.write("in/ReadMe.txt", "state | a\n→ p | q\n* q |\n")
    let result = try run("grade", "solution.txt", "in")
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 6, "\(result.output)")
    for name in ["essay.txt", "flow.mmd", "hoa.txt", "page.xml"] {
      #expect(
        lines.contains { $0.hasPrefix("in/\(name)\tnot graded\t–\tnot read: in/\(name)") },
        "\(name)")
    }
    #expect(lines.contains { $0.hasPrefix("in/right.csv\tright") })
    #expect(result.errors.contains("in/notes.pdf is left out"))
    #expect(result.errors.contains("in/.hidden is left out"))
    #expect(result.errors.contains("in/ReadMe.txt is left out: its name says"))
  }

  @Test func namesOfFilesCannotChangeTheTable() throws {
    try folder.write("solution.txt", "state | a\n→ p | q\n* q |\n")
    try folder.write("in/\u{1B}[31mred\u{202E}.txt", "state | a\n→ p | q\n* q |\n")
    // A name in Latin-1, which is not UTF-8.
    let bytes = [UInt8]((folder.path + "/in/Andr").utf8) + [0xE9] + [UInt8](".txt".utf8)
    let file = bytes.map { CChar(bitPattern: $0) } + [0]
    let descriptor = open(file, O_CREAT | O_WRONLY, 0o644)
    try #require(descriptor >= 0)
    close(descriptor)
    let result = try run("grade", "solution.txt", "in", "--csv", "g.csv", "--html", "g.html")
    let csv = try String(contentsOfFile: folder.path + "/g.csv", encoding: .utf8)
    let html = try String(contentsOfFile: folder.path + "/g.html", encoding: .utf8)
    for text in [result.output, csv, html] {
      #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
      #expect(text.contains("\\u001b[31mred"), "\(text)")
      #expect(text.contains("Andr\\xE9.txt") && text.contains("not UTF-8"), "\(text)")
    }
  }

  @Test func quotesOfWordsAreQuoting() throws {
    try folder.write("a.txt", "state | a | b | , | \"\n→ * p | p | p | p | p\n")
    try folder.write(
      "w.csv",
      "word,expected\n\"a b\",accepted\n\"a,b\",\"accepted\"\n\"a\"\"b\",yes\n\",yes\nab;yes\n")
    let result = try run("run", "a.txt", "--words", "w.csv")
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(
      result.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
        == ["a b", "a,b", "a\"b", "\"", "ab"])
    try folder.write("cut.csv", "\"ab,accepted\n")
    #expect(try run("run", "a.txt", "--words", "cut.csv").errors.contains("cut.csv, line 1"))
  }
}
