import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDiagram
import TestSupport
import Testing

@testable import InkstateCLI

/// The `automaton` commands, run as a person runs them.
@Suite(.timeLimit(.minutes(30))) struct AutomatonCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ arguments: String..., input: String = "") throws -> CommandResult {
    try inkstate(["automaton"] + arguments, in: folder, input: input)
  }

  private func run(_ arguments: [String]) throws -> CommandResult {
    try inkstate(["automaton"] + arguments, in: folder, input: "")
  }

  private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

  @Test func automataAreReadFromPipes() throws {
    try folder.write("a.txt", "state | a\n→ q0 | q1\n* q1 | q1\n")
    let result = try inkstate(
      ["automaton", "run", "/dev/stdin", "a"], in: folder, prefix: "cat a.txt | ")
    #expect(result.status == 0 && result.output == "a\taccepted\n", "\(result.errors)")
    let missing = try run("check", "none.jff")
    #expect(missing.errors.contains("nothing of that name"))
  }

  /// `begin`, some `x`, `end`.
  private func writeLongSymbols() throws {
    try folder.write("long.txt", "state | begin | end | x\n→ p | q | |\nq | | r | q\n* r | | |\n")
  }

  // MARK: Words, combinations, grades

  @Test func everyOperationIsACommand() throws {
    try folder.write("a.txt", "state | a | b\n→ p | p,q |\n* q | | q\n")
    try folder.write("b.txt", "state | a | b\n→ * r | | r\n")
    for (command, accepted, rejected) in [
      ("union a.txt b.txt", "bb", "ba"), ("difference a.txt b.txt", "aab", "b"),
      ("intersection b.txt b.txt", "b", "a"), ("reverse a.txt", "bba", "ab"),
      ("trim a.txt", "ab", "b"), ("complete a.txt", "ab", "b"), ("remove-epsilon a.txt", "ab", "b"),
      ("from-expression (a|b)*a", "ba", "b"),
    ] {
      let made = try inkstate(
        ["automaton"] + words(command) + ["-o", "x.txt", "--force"], in: folder)
      #expect(made.status == 0, "\(command): \(made.errors)")
      #expect(try run("run", "x.txt", accepted).status == 0, "\(command)")
      #expect(try run("run", "x.txt", rejected).status == 1, "\(command)")
    }
    #expect(try run("expression", "a.txt").output == "aa*(ε|bb*)\n")
    #expect(try run("words", "a.txt", "--count", "3").output == "a\naa\nab\n")
    #expect(try run("words", "b.txt", "--count", "1", "--json").output == "[\n  [\n\n  ]\n]\n")
  }

  @Test func wordsOfAFileAreComparedWithTheirAnswers() throws {
    try folder.write("a.txt", "state | a\n→ p | q\n* q |\n")
    try folder.write("right.csv", "a,accepted\naa,rejected\n")
    let right = try run("run", "a.txt", "--words", "right.csv")
    #expect(right.status == 0)
    #expect(
      right.output == "a\taccepted\tas expected\n"
        + "aa\trejected: stops at symbol 2: no transition reads it here\tas expected\n")
    try folder.write("wrong.csv", "a,no\n")
    let wrong = try run("run", "a.txt", "--words", "wrong.csv")
    #expect(wrong.status == 1 && wrong.output == "a\taccepted\tWRONG\n")
    try folder.write("empty.csv", "# nothing\n")
    #expect(try run("run", "a.txt", "--words", "empty.csv").errors.contains("expected words"))
  }

  /// A link is no submission if it leads to what its author did not write.
  @Test func linksOutOfTheFolderAreNotGraded() throws {
    try folder.write("solution.txt", "state | a\n→ p | q\n* q |\n")
    try folder.write("other/good.txt", "state | a\n→ p | q\n* q |\n")
    try folder.write("in/good.txt", "state | a\n→ p | q\n* q |\n")
    for (link, target) in [
      ("all", "/"), ("copy.txt", "good.txt"), ("file.txt", "../other/good.txt"),
      ("folder", "../other"), ("solved.txt", "../solution.txt"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/in/\(link)", withDestinationPath: target)
    }
    let result = try run("grade", "solution.txt", "in")
    let reason = "not read: it is a link that leads out of the folder; ask for the file itself"
    let refused = ["all", "file.txt", "folder", "solved.txt"]
    let expected =
      ["in/copy.txt\tright\t100.0 %\t", "in/good.txt\tright\t100.0 %\t"]
      + refused.map { "in/\($0)\tnot graded\t–\t\(reason)" }
    let lines = result.output.components(separatedBy: "\n")
    #expect(Array(lines.prefix(6)) == expected)
    // Also where a shell names the files.
    let named = try run("grade", "solution.txt", "in/good.txt", "in/solved.txt")
    #expect(named.output.contains("in/good.txt\tright"))
    #expect(
      named.output.contains("in/solved.txt\tnot graded\t–\tnot read: it is a link to the solution"))
  }

  @Test func gradingHasLimits() throws {
    try folder.write("solution.txt", "state | a\n→ p | q\n* q |\n")
    try folder.write("in/good.txt", "state | a\n→ p | q\n* q |\n")
    func grow(_ name: String, to size: UInt64) throws {
      try folder.write(name, "")
      let file = try #require(FileHandle(forWritingAtPath: "\(folder.path)/\(name)"))
      try file.truncate(atOffset: size)
      try file.close()
    }
    try grow("in/large.txt", to: 65 << 20)
    let result = try run("grade", "solution.txt", "in")
    #expect(result.output.contains("in/good.txt\tright"))
    #expect(
      result.output.contains("in/large.txt\tnot graded\t–\tnot read: expected at most 64 MiB"))
    let late = try run("grade", "solution.txt", "in", "--minutes", "0")
    #expect(
      late.output.contains(
        "in/good.txt\tnot graded\t–\tnot graded: the time is over; repeat with a larger --minutes"))
    try grow("in/huge.txt", to: 17 << 30)
    #expect(
      try run("grade", "solution.txt", "in").errors.contains(
        "in: expected submissions of at most 16 GiB together, found 17 GiB"))
    for number in 0...10_000 { try folder.write("many/\(number).txt", "") }
    #expect(
      try run("grade", "solution.txt", "many").errors.contains(
        "many: expected at most 10000 files in a folder, found more"))
  }

  @Test func submissionsAreGradedAndMalformedOnesListed() throws {
    try folder.write("solution.txt", "state | a\n→ p | q\n* q |\n")
    try folder.write(
      "in/good.dot", "digraph { i [shape=point]; i -> 1; 1 -> 2 [label=a]; 2 [shape=doublecircle] }"
    )
    try folder.write("in/broken.jff", "<structure>")
    try folder.write("in/wrong.txt", "state | a\n→ * p | p\n")
    let result = try run(
      "grade", "solution.txt", "in", "--length", "3", "--html", "g.html", "--csv", "g.csv")
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 4 && lines[0].hasPrefix("in/broken.jff\tnot graded\t–\tnot read: "))
    #expect(lines[1] == "in/good.dot\tright\t100.0 %\t")
    #expect(
      lines[2] == "in/wrong.txt\twrong\t25.0 %\taccepts the empty word, which should be rejected")
    #expect(
      lines[3]
        == "1 of 2 right; on average 62.5 % of all words of at most 3 symbols of the solution; 1 not graded"
    )
    #expect(
      try String(contentsOfFile: folder.path + "/g.csv", encoding: .utf8).hasPrefix(
        "submission,right,share,states,remarks\r\n"))
    #expect(try String(contentsOfFile: folder.path + "/g.html", encoding: .utf8).contains("<svg"))
    // Outputs are not replaced, and inputs never.
    #expect(try run("grade", "solution.txt", "in", "--csv", "g.csv").status != 0)
    #expect(try run("grade", "solution.txt", "in", "--csv", "solution.txt", "--force").status != 0)
  }

  @Test func severalAutomataInOneDrawingAreListed() throws {
    let example = URL(fileURLWithPath: "\(Self.project)/Examples/Drawings/mod3.ndjson")
    let recording = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: example)) as? [String: Any])
    let strokes = try #require(recording["drawing"] as? [[[Double]]])
    let right = strokes.map { $0[0].max() ?? 0 }.max() ?? 0
    let beside = strokes.map { [$0[0].map { $0 + right + 200 }] + $0.dropFirst() }
    let both = try JSONSerialization.data(withJSONObject: ["drawing": strokes + beside])
    try folder.write("two.ndjson", String(decoding: both, as: UTF8.self) + "\n")
    let result = try run("recognize", "two.ndjson", "--output", "two.automaton")
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.contains("  states: A, B, C, A, B, C; initial: A, A; final: C, C"))
    let parts = lines.indices.filter { lines[$0].hasPrefix("  automaton ") }
    #expect(
      parts.map { lines[$0] } == ["  automaton 1 of 2: A, B, C", "  automaton 2 of 2: A, B, C"])
    #expect(parts.count == 2 && parts[1] > parts[0] + 6 && lines[parts[1] + 1] == "  A → A: 0")
    let json = try run("recognize", "two.ndjson", "--format", "json").output
    #expect(json.contains(#""automata":[["s0","s1","s2"],["s3","s4","s5"]]"#))
    #expect(try run("check", "two.automaton").output.hasPrefix("6 states, 12 transitions"))
  }

  @Test func drawingsAndPhotographsAreGraded() throws {
    let examples = URL(fileURLWithPath: "\(Self.project)/Examples")
    let drawing = try String(
      contentsOf: examples.appendingPathComponent("Drawings/mod3.ndjson"), encoding: .utf8)
    try folder.write("in/drawn.ndjson", drawing + "{\"drawing\":[]}\n{\n")
    try folder.write("in/empty.inkml", "<ink/>")
    try folder.write("in/cut.jpg", "JPEG")
    let photograph = try Data(contentsOf: examples.appendingPathComponent("Pictures/paper.jpg"))
    try photograph.write(to: URL(fileURLWithPath: folder.path + "/in/paper.jpg"))
    let solution = examples.appendingPathComponent("Automata/mod3.automaton").path
    let result = try run("grade", solution, "in", "--html", "g.html")
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 7)
    #expect(lines[0].hasPrefix("in/cut.jpg\tnot graded\t–\tnot read: in/cut.jpg: expected"))
    #expect(lines[1].hasPrefix("in/drawn.ndjson:1\tright\t100.0 %"))
    #expect(lines[2].hasPrefix("in/drawn.ndjson:2\tnot graded\t–\tnot read: in/drawn.ndjson:2"))
    #expect(lines[3].hasPrefix("in/drawn.ndjson:3\tnot graded\t–\tnot read: in/drawn.ndjson"))
    #expect(lines[4].hasPrefix("in/empty.inkml\tnot graded\t–\tnot read: in/empty.inkml"))
    #expect(
      lines[5] == "in/paper.jpg\twrong\t67.5 %\taccepts `a`, which should be rejected; "
        + "the paper is turned by 2° clockwise")
    #expect(
      try String(contentsOfFile: folder.path + "/g.html", encoding: .utf8)
        .components(separatedBy: "<section").count == 7)
  }

  @Test func nothingInAFolderIsLeftOutSilently() throws {
    try folder.write("mixed/notes.txt", "for Tuesday")
    try folder.write("mixed/photo", "\0\0\0 ftypheic")
    let drawing = URL(fileURLWithPath: "\(Self.project)/Examples/Drawings/mod3.ndjson")
    try folder.write("mixed/mod3.ndjson", String(contentsOf: drawing, encoding: .utf8))
    var result = try run("recognize", "mixed")
    #expect(result.status == 0 && result.output.hasPrefix("mixed/mod3.ndjson:1: 3 states, "))
    #expect(
      result.errors == "skipped: 1 other file (mixed/notes.txt)\n"
        + "skipped: mixed/photo: an HEIC photograph; save it as a PNG or a JPEG\n")
    try folder.write("alone/photo", "\0\0\0 ftypheic")
    result = try run("recognize", "alone")
    #expect(
      result.errors == "not read: alone: expected ink or pictures, found none that can be read\n"
        + "skipped: alone/photo: an HEIC photograph; save it as a PNG or a JPEG\n")
    // Given by its name, it is an error.
    result = try run("recognize", "mixed/photo")
    #expect(
      result.status == 2
        && result.errors.hasSuffix("found an HEIC photograph; save it as a PNG or a JPEG\n"))
  }

  @Test func picturesOfAFolderAreMeasured() throws {
    let photograph = URL(fileURLWithPath: "\(Self.project)/Examples/Pictures/paper.jpg")
    try folder.write("pictures/paper.jpg", "")
    try Data(contentsOf: photograph).write(
      to: URL(fileURLWithPath: folder.path + "/pictures/paper.jpg"))
    let transitions = #"[["q0","q0","b"],["q0","q1","a"],["q1","q0","b"],["q1","q1","a"]]"#
    func truth(final: String) -> String {
      #"{"paper.jpg":{"states":["q0","q1"],"initial":["q0"],"final":["\#(final)"],"#
        + "\"transitions\":\(transitions)}}"
    }
    try folder.write("truth.json", truth(final: "q1"))
    let right = try run("evaluate", ".", "--html", "report.html")
    #expect(right.status == 0, "\(right.errors)")
    #expect(
      right.output.hasPrefix("paper.jpg: everything right, states 2 of 2, transitions 4 of 4\n"))
    let page = try String(contentsOfFile: folder.path + "/report.html", encoding: .utf8)
    // The picture, its classes and the automaton.
    #expect(page.components(separatedBy: "<img").count == 4)
    try folder.write("truth.json", truth(final: "q0"))
    let wrong = try run("evaluate", ".", "--json")
    #expect(wrong.output.contains(#""cause" : "final states""#), "\(wrong.output)")
    #expect(try run("evaluate", ".", "--html", "report.html").status != 0)
    for input in ["truth.json", "pictures/paper.jpg"] {
      let refused = try run("evaluate", ".", "--html", input, "--force")
      #expect(refused.status != 0 && refused.errors.contains("found the input itself"))
    }
    try folder.write("truth.json", truth(final: "q1").replacingOccurrences(of: "paper", with: "no"))
    #expect(try run("evaluate", ".").errors.contains("which truth.json names"))
  }

  @Test func aPictureThatCannotBeReadIsNamedAndOthersAreMeasured() throws {
    let photograph = URL(fileURLWithPath: "\(Self.project)/Examples/Pictures/paper.jpg")
    try Data(contentsOf: photograph).write(
      to: URL(fileURLWithPath: folder.path + "/paper.jpg"))
    try folder.write("broken.png", "no picture")
    let truth = #"{"states":["q0","q1"],"initial":["q0"],"final":["q1"],"transitions":[]}"#
    try folder.write("truth.json", #"{"broken.png":\#(truth),"paper.jpg":\#(truth)}"#)
    let result = try run("evaluate", ".")
    #expect(result.status == 2 && result.errors.contains("not read: "), "\(result.errors)")
    #expect(result.errors.contains("broken.png"))
    #expect(result.output.hasPrefix("paper.jpg: wrong: transitions, states 2 of 2"))
  }

  @Test func rendersSourcesForTeXAndMarkdown() throws {
    try folder.write("a.txt", "state | a\n→ p | q\n* q |\n")
    for (ending, content) in [("tex", "tikzpicture"), ("mmd", "stateDiagram-v2"), ("pdf", "%PDF-")]
    {
      #expect(try run("render", "a.txt", "-o", "a.\(ending)").status == 0)
      let data = try Data(contentsOf: URL(filePath: "\(folder.path)/a.\(ending)"))
      #expect(String(decoding: data, as: UTF8.self).contains(content))
    }
    #expect(
      try run("render", "a.txt", "-o", "a.doc").errors.contains(".svg, .png, .pdf, .tex or .mmd"))
  }

  // MARK: Alphabet

  @Test func theAlphabetIsKeptAndCanBeGiven() throws {
    try folder.write("star.txt", "state | a | b\n→ * q | q |\n")
    for form in ["automaton", "jff", "dot", "txt", "json"] {
      let minimal = "minimal.\(form)"
      #expect(try run("minimize", "star.txt", "-o", minimal).status == 0)
      #expect(try run("complement", minimal, "-o", "others.\(form)").status == 0)
      let result = try run("run", "others.\(form)", "b", "ab")
      #expect(result.output == "b\taccepted\nab\taccepted\n", "\(form)")
    }
    // Without a column for b, and with an option.
    try folder.write("plain.txt", "state | a\n→ * q | q\n")
    #expect(
      try run("complement", "plain.txt", "-o", "none.dot").status == 0
        && run("check", "none.dot").status == 1)
    #expect(
      try run("complement", "plain.txt", "--alphabet", "b, 0…2", "-o", "some.dot").status == 0)
    #expect(try run("run", "some.dot", "b", "a2").output == "b\taccepted\na2\taccepted\n")
    for command in ["determinize", "minimize", "convert"] {
      for form in ["automaton", "dot"] {
        let name = "\(command).\(form)"
        #expect(try run(command, "plain.txt", "--alphabet", "a,b", "-o", name).status == 0)
        #expect(
          try run("check", name).output.hasPrefix("1 state, 1 transition, symbols a, b\n"),
          "\(name)")
      }
    }
    #expect(
      try run("check", "plain.txt", "--alphabet", "b").output.contains("symbols a, b\n"))
    #expect(
      try run("run", "plain.txt", "b", "--alphabet", "b").output.contains("no transition reads it"))
    #expect(try run("trace", "plain.txt", "a", "--alphabet", "b").status == 0)
    #expect(try run("equivalent", "plain.txt", "star.txt", "--alphabet", "c").status == 0)
    // A drawing keeps what it had.
    #expect(
      try run("convert", "convert.automaton", "--alphabet", "c", "-o", "more.automaton").status == 0
    )
    #expect(try run("check", "more.automaton").output.contains("symbols a, b, c\n"))
    let refused = try run("check", "plain.txt", "--alphabet", "a,ε")
    #expect(refused.status == 64 && refused.errors.contains("--alphabet: expected"))
  }

  // MARK: JFLAP's files

  private func writeJFLAP() throws {
    try folder.write(
      "a.jff",
      """
      <structure><type>fa</type><automaton><state id="0"><x>0</x><y>0</y><initial/></state>
      <state id="3"><x>300</x><y>0</y><final/></state><transition><from>0</from><to>3</to>
      <read>ab</read></transition><transition><from>0</from><to>3</to><read>[0-9]</read></transition>
      <note><text>mine</text></note></automaton></structure>
      """)
  }

  @Test func aLabelOfSeveralCharactersStaysOneTransition() throws {
    try writeJFLAP()
    try folder.write("solution.txt", "state | a | b | 7\n→ p | x | | q\nx | | q |\n* q | | |\n")
    for (name, number) in [("a.jff", 1), ("b.automaton", 2), ("c.jff", 3)] {
      if number == 2 { #expect(try run("convert", "a.jff", "-o", name).status == 0) }
      if number == 3 { #expect(try run("convert", "b.automaton", "-o", name).status == 0) }
      let check = try run("check", name)
      #expect(check.output.hasPrefix("2 states, 1 transition, symbols 0, 1"), "\(check.output)")
      #expect(check.output.contains("`ab` reads a, then b"))
      #expect(try run("run", name, "ab", "7").status == 0)
      #expect(try run("run", name, "[0-9]").status == 1)
    }
    try folder.write(
      "d.jff",
      try String(contentsOfFile: "\(folder.path)/a.jff", encoding: .utf8)
        .replacing("[0-9]", with: "7"))
    let grade = try run("grade", "solution.txt", "d.jff", "--states", "2", "--deterministic")
    #expect(grade.output.hasPrefix("d.jff\tright"), "\(grade.output)")
    let table = try run("convert", "a.jff")
    #expect(table.status == 0 && table.output.contains("| ab\n"), "\(table.output)")
    #expect(table.errors.contains("has no place for 1 note, labels that read several symbols"))
    let picture = try run("render", "a.jff", "-o", "a.svg")
    #expect(picture.errors.contains("not drawn in the picture: 1 note"), "\(picture.errors)")
  }

  @Test func aStateWithoutANameHasOneName() throws {
    try writeJFLAP()
    #expect(try run("trace", "a.jff", "ab").output == "   {q0}\na  {q0.a}\nb  {q3}\naccepted\n")
    #expect(try run("convert", "a.jff").output.contains("\n* q3"))
    #expect(try run("convert", "a.jff", "--to", "jff").output.contains(#"id="3" name="q3""#))
  }

  @Test func allAnswersOfRunHaveOneForm() throws {
    try writeJFLAP()
    try folder.write(
      "p.jff",
      """
      <structure><type>pda</type><automaton><state id="0"><initial/></state><transition>
      <from>0</from><to>0</to><read>a</read><pop>Z</pop><push/></transition></automaton></structure>
      """)
    for (file, word) in [("a.jff", "ab"), ("p.jff", "a")] {
      let answer = try run(
        ["run", file, word, "--format", "json"] + (file == "p.jff" ? ["--accept", "either"] : []))
      #expect(answer.output.contains(#""result" : "accepted""#), "\(answer.output)")
      #expect(answer.output.contains(#""isAccepted" : true"#), "\(answer.output)")
    }
    #expect(try run("run", "a.jff", "ab", "--accept", "either").errors.contains("--accept"))
    #expect(try run("check", "p.jff").errors.isEmpty && run("check", "p.jff").status == 1)
    #expect(try run("convert", "p.jff", "--accept", "empty-stack", "-o", "p.automaton").status == 0)
    #expect(try run("run", "p.automaton", "a").output == "a\taccepted\n")
    #expect(try run("run", "p.automaton", "a", "--accept", "final-state").status == 1)
    #expect(try run("check", "p.automaton").status == 0)
    let lost = try run("convert", "p.automaton", "-o", "q.jff")
    #expect(lost.errors.contains("no place for the acceptance by empty-stack"), "\(lost.errors)")
    let dot = try run("convert", "p.automaton", "-o", "q.dot")
    #expect(dot.errors.contains("no place for the acceptance by empty-stack"), "\(dot.errors)")
  }

  @Test func expressionsCanBeInJFLAPsNotation() throws {
    let read = try run("from-expression", "a+b", "--notation", "jflap")
    #expect(read.errors.isEmpty && read.output.split(separator: "\n").count == 3, "\(read.output)")
    let warned = try run("from-expression", "a+b")
    #expect(warned.status == 0 && warned.errors.contains("use --notation jflap"))
  }

  // MARK: Symbols of several characters

  @Test func longSymbolsAreReadAsAnExpertExpects() throws {
    try writeLongSymbols()
    let result = try run("run", "long.txt", "beginxxend", "begin, x,end", "begin y end")
    #expect(
      result.output == """
        beginxxend\taccepted\tread as: begin x x end
        begin, x,end\taccepted\tread as: begin x end
        begin y end\trejected: no symbol `y` in the automaton, at symbol 2\tread as: begin y end

        """)
    #expect(try run("trace", "long.txt", "beginend").output.hasSuffix("end    {r}\naccepted\n"))
    // Where all are of one character, nothing is said.
    try folder.write("star.txt", "state | a\n→ * q | q\n")
    #expect(try run("run", "star.txt", "a a").output == "a a\taccepted\n")
    let json = try run("run", "long.txt", "beginend", "--format", "json").output
    #expect(try run("run", "long.txt", "beginend", "--json").output == json)
    #expect(json.contains("\"begin\",\n      \"end\""))
    // A word that differs is written so that it can be read again.
    try folder.write("other.txt", "state | a | ab | b\n→ q | r | |\nr | | | s\n* s | | |\n")
    try folder.write("nothing.txt", "state | a\n→ q | q\n")
    #expect(
      try run("equivalent", "other.txt", "nothing.txt").output
        == "different: `a b` is accepted by other.txt only\n")
  }

  @Test func epsilonIsTheEmptyWordUnlessItIsASymbol() throws {
    try folder.write("star.txt", "state | a\n→ * q | q\n")
    #expect(try run("run", "star.txt", "ε", "").output == "ε\taccepted\n''\taccepted\n")
    #expect(try run("trace", "star.txt", "ε").output == "   {q}\naccepted\n")
    let symbol = try run("run", "star.txt", "ε", "--alphabet", "'ε'")
    #expect(symbol.status == 1 && symbol.output.contains("no transition reads it"))
    let typed = try run("check", "star.txt", "--alphabet", "b\u{200B}")
    #expect(typed.status == 64 && typed.errors.contains("found U+200B"))
  }

  @Test func labelsOfJFLAPAreReadAsJFLAPDoes() throws {
    try folder.write(
      "label.jff",
      """
      <structure><type>fa</type><automaton>
      <state id="0" name="q0"><x>100</x><y>100</y><initial/></state>
      <state id="1" name="q1"><x>300</x><y>100</y><final/></state>
      <transition><from>0</from><to>1</to><read>ab</read></transition>
      </automaton></structure>
      """)
    try folder.write("plain.txt", "state | a | b\n→ p | q |\nq | | r\n* r | |\n")
    #expect(try run("run", "label.jff", "ab").output == "ab\taccepted\n")
    #expect(try run("run", "label.jff", "a").status == 1)
    #expect(try run("equivalent", "label.jff", "plain.txt").output == "equivalent\n")
    try writeLongSymbols()
    let refused = try run("convert", "long.txt", "-o", "long.jff")
    #expect(refused.status == 1 && refused.errors.contains("JFLAP reads `begin` as b, then e"))
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/long.jff"))
  }

  // MARK: Files and names

  @Test(arguments: ["f.pdf", "f", "f.automata"]) func unknownEndingsAreRefused(name: String) throws
  {
    try folder.write("star.txt", "state | a\n→ * q | q\n")
    for command in ["convert", "minimize", "determinize", "complement"] {
      let result = try run(command, "star.txt", "-o", name)
      #expect(result.status == 64)
      #expect(
        result.errors.contains(".automaton, .jff, .xml, .dot, .gv, .txt, .json, .mmd or .tex"),
        "\(command)")
      #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/\(name)"))
    }
    #expect(try run("convert", "star.txt", "-o", name, "--to", "dot").status == 0)
    #expect(try run("run", name, "aa").status == 0)
  }

  @Test(arguments: ["determinise", "determinize"]) func setsOfStatesPrintPlainly(command: String)
    throws
  {
    try folder.write("m.txt", "state | a\n→ q0 | q0, q1\n* q1 |\n")
    let result = try run(command, "m.txt")
    #expect(
      result.output == "state     | a\n→ {q0}    | {q0,q1}\n* {q0,q1} | {q0,q1}\n")
    try folder.write("sets.txt", result.output)
    #expect(try run("equivalent", "sets.txt", "m.txt").output == "equivalent\n")
  }

  @Test func bothSpellingsWork() throws {
    try folder.write("m.txt", "state | a\n→ * q | q\n")
    #expect(
      try run("minimise", "m.txt").output == run("minimize", "m.txt").output
        && run("minimise", "m.txt").status == 0)
  }

  @Test func textFromFilesDoesNotSteerTheTerminal() throws {
    let escape = "\u{1B}[31m\u{85}\u{202E}"
    let file = """
      {"automatonStates":{"A\(escape)":{"center":[0,0],"radius":60,"name":"n\(escape)"}},
      "transitions":{"T":{"endState":"A\(escape)","type":{"type":"regular","startPoint":[0,0],
      "tipPoint":[9,9]}}}}
      """.replacingOccurrences(of: "\u{1B}", with: "\\u001b")
    try folder.write("a.automaton", file)
    try folder.write(
      "b.automaton", file.replacingOccurrences(of: "[0,0],\"radius\"", with: "1,\"r\""))
    for result in [
      try run("check", "a.automaton"), try run("check", "a.automaton", "--format", "json"),
      try run("run", "a.automaton", "x\(escape)"), try run("trace", "a.automaton", "x"),
      try run("check", "b.automaton"), try run("check", "no\(escape).automaton"),
    ] {
      let text = result.output + result.errors
      #expect(!text.isEmpty)
      #expect(
        !text.unicodeScalars.contains {
          $0.value == 0x1B || $0.value == 0x85 || $0.value == 0x202E || $0 == "\r"
        }, "\(text.debugDescription)")
    }
    #expect(try run("trace", "a.automaton", "").output.contains("{n\\u001b[31m\\u0085\\u202e}"))
    // A file stays what it is.
    #expect(try run("convert", "a.automaton", "--to", "dot").output.contains(escape))
  }

  @Test func messagesNameNoIDs() throws {
    try folder.write(
      "a.automaton",
      """
      {"automatonStates":{"6E1F-A":{"center":[0,0],"radius":60,"name":""},
      "6E1F-B":{"center":[400,0],"radius":60,"name":"q"}},
      "transitions":{"6E1F-T":{"startState":"6E1F-A","endState":"6E1F-B",
      "type":{"type":"regular","startPoint":[60,0],"tipPoint":[340,0]}},
      "6E1F-U":{"startState":"6E1F-B","type":{"type":"regular","startPoint":[460,0],
      "tipPoint":[800,0]}}}}
      """)
    let result = try run("check", "a.automaton")
    #expect(!result.output.contains("6E1F"))
    #expect(result.output.contains("the transition from q0 to q has no symbol"))
    #expect(result.output.contains("the arrow from q to nowhere is ignored"))
    #expect(!(try run("trace", "a.automaton", "")).output.contains("6E1F"))
  }

  @Test func everyConvertedDocumentHasAnIDOfItsOwn() throws {
    try folder.write("m.txt", "state | a\n→ * q | q\n")
    var ids: Set<String> = []
    for (number, command) in ["convert", "minimize", "convert"].enumerated() {
      let name = "\(number).automaton"
      #expect(try run(command, "m.txt", "-o", name).status == 0)
      let data = FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data()
      ids.insert(try DocumentFile.read(data, name: name).id)
    }
    #expect(ids.count == 3 && ids.allSatisfy { UUID(uuidString: $0) != nil })
  }

  // MARK: Examples

  private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  @Test func aReplayedDrawingSaysWhatItNeeds() throws {
    let strokes = "\(Self.project)/Examples/Automata/strokes.ndjson"
    let replayed = try run("replay", strokes, "-o", "drawn.automaton")
    #expect(replayed.status == 0 && replayed.output.hasSuffix("2 states, 1 transition\n"))
    #expect(replayed.errors.contains("1 transition has no symbols yet"))
    for command in ["run", "trace"] {
      let result = try run(command, "drawn.automaton", "a")
      #expect(result.status == 1)
      #expect(result.errors.split(separator: "\n").count == 1)
      #expect(
        result.errors.hasPrefix("drawn.automaton: no transition has a symbol")
          && result.errors.contains("inkstate studio"))
    }
    // Drawings of several strokes are rather automata of their own.
    #expect(!replayed.errors.contains("drawings are drawn into one"))
    let drawing = try String(
      contentsOfFile: "\(Self.project)/Examples/Drawings/mod3.ndjson", encoding: .utf8)
    try folder.write("two.ndjson", drawing + drawing)
    #expect(
      try run("replay", "two.ndjson").errors.hasPrefix(
        "the strokes of 2 drawings are drawn into one document"))
    // With symbols nothing is said.
    let example = try run("run", "\(Self.project)/Examples/Automata/a.automaton", "AA")
    #expect(example.output == "AA\taccepted\n" && example.errors.isEmpty)
  }

  @Test func whatMayBeNoStateOrTransitionIsAQuestion() {
    func doubt(
      _ property: Diagram.Uncertainty.Property, of element: String, _ value: String,
      or other: String
    ) -> Diagram.Uncertainty {
      .init(
        element: element, property: property, value: value, probability: 0.75,
        alternatives: [.init(other, probability: 0.25)])
    }
    let diagram = Diagram(
      states: [
        .init(id: "s0", name: "a", initial: true, center: Vector(0, 0), radius: 9),
        .init(id: "s1", name: "b", final: true, center: Vector(99, 0), radius: 9),
      ],
      transitions: [.init(from: "s0", to: "s1", symbols: ["x"])], strokes: [],
      uncertain: [
        doubt(.state, of: "s1", "yes", or: "no"), doubt(.transition, of: "t0", "yes", or: "no"),
        doubt(.direction, of: "t0", "s0→s1", or: "s1→s0"), doubt(.symbols, of: "t0", "x", or: "y"),
      ])
    #expect(
      diagram.lines(named: "drawing").dropFirst(3) == [
        "  uncertain: whether b is a state: `yes` 0.75, or `no` 0.25",
        "  uncertain: whether a → b is a transition: `yes` 0.75, or `no` 0.25",
        "  uncertain: direction of a → b: `a → b` 0.75, or `b → a` 0.25",
        "  uncertain: symbols of a → b: `x` 0.75, or `y` 0.25",
      ])
  }

  // MARK: Names of minimal automata

  @Test func aMinimalAutomatonKeepsTheNamesThatAreStillTrue() throws {
    // q0 is reached last; b1 and b2 cannot be told apart.
    try folder.write(
      "m.txt", "state | a | b\n→ q1 | b1 | b2\nb1 | q0 |\nb2 | q0 |\n* q0 | | q1\n")
    #expect(
      try run("minimize", "m.txt").output == """
        state   | a       | b
        → q1    | {b1,b2} | {b1,b2}
        {b1,b2} | q0      |
        * q0    |         | q1

        """)
    for form in ["automaton", "jff", "dot", "json"] {
      #expect(try run("minimize", "m.txt", "-o", "n.\(form)").status == 0)
      #expect(
        try run("trace", "n.\(form)", "ba").output == "   {q1}\nb  {{b1,b2}}\na  {q0}\naccepted\n")
    }
    // As in determinize.
    try folder.write("d.txt", "state | a\n→ q1 | q0\n* q0 |\n")
    #expect(try run("determinize", "d.txt").output == run("minimize", "d.txt").output)
    #expect(try run("determinize", "d.txt").output == "state | a\n→ q1  | q0\n* q0  |\n")
  }

  @Test func aNameOfSeveralLinesGetsAdvice() throws {
    try folder.write(
      "a.jff",
      """
      <structure><automaton><state id="0" name="one&#10;two"><initial/><final/></state>
      <transition><from>0</from><to>0</to><read>a</read></transition></automaton></structure>
      """)
    let result = try run("convert", "a.jff", "--to", "table")
    #expect(
      result.errors == """
        Error: table format: expected names of states of one line (change it, or use a format without \
        this limit: automaton, jff or dot), found `one\\ntwo`

        """)
    for form in ["automaton", "jff", "dot"] {
      #expect(try run("convert", "a.jff", "-o", "b.\(form)").status == 0)
      let text = try run("convert", "b.\(form)", "--to", "dot").output
      #expect(text.contains("\"one\ntwo\""), "\(form): \(text)")
    }
  }

  // MARK: Whole drawings

  @Test func aDrawingBecomesAnAutomatonThatRuns() throws {
    let composed = try inkstate(
      words(
        "dataset compose automata --known --writers 1 --per-writer 1 --seed 18 -o all.ndjson"),
      in: folder)
    #expect(composed.status == 0, "\(composed.errors)")
    let lines = try String(contentsOfFile: folder.path + "/all.ndjson", encoding: .utf8)
      .split(separator: "\n")
    try folder.write("one.ndjson", lines[0] + "\n")

    let text = try run("recognize", "one.ndjson", "-o", "one.automaton", "--svg", "one.svg")
    #expect(text.status == 0 && text.output.hasPrefix("one.ndjson:1: "), "\(text.errors)")
    #expect(text.output.contains("initial:") && text.output.contains("→"))
    #expect(try run("check", "one.automaton").errors.isEmpty)
    #expect(try String(contentsOfFile: folder.path + "/one.svg", encoding: .utf8).contains("<svg"))
    #expect(try run("recognize", "one.ndjson", "-o", "one.automaton").errors.contains("--force"))
    #expect(try run("recognize", "all.ndjson", "--svg", "x.svg").errors.contains("one drawing"))

    // One object a line, from standard input too.
    let json = try run(
      "recognize", "--format", "json", input: lines[0] + "\n\n" + lines[1] + "\n")
    let objects = try json.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(objects.map { $0["source"] as? String } == ["-:1", "-:3"])
    #expect(
      Set(objects[0].keys) == [
        "automata", "automaton", "rejected", "source", "strokes", "uncertain",
      ])
    let strokes = try #require(objects[0]["strokes"] as? [[String: Any]])
    #expect(strokes.allSatisfy { $0["role"] is String && $0.keys.contains("element") })

    let truth = try run("recognize", "all.ndjson", "--truth", "all.ndjson")
    #expect(truth.output.contains("exactly right: "), "\(truth.errors)")
    #expect(truth.output.contains("of \(lines.count) ("))
    let own = try run("recognize", "one.ndjson", "--truth", "one.automaton", "--format", "json")
    #expect(own.output.contains("\"exact\":{\"count\":1,\"right\":1}"))
    #expect(try run("recognize", "all.ndjson", "--truth", "one.automaton").status != 0)
  }

  @Test func whatIsNoAutomatonGetsAReason() throws {
    try folder.write(
      "other.ndjson", "{\"drawing\": []}\n{\"drawing\": [[[0, 90], [0, 5]]]}\n{\"drawing\": 1}\n")
    let result = try run("recognize", "other.ndjson")
    #expect(result.status == 2)
    #expect(
      result.output == """
        other.ndjson:1: no automaton (nothing is drawn)
        other.ndjson:2: no automaton (no ring that could be a state was found)

        """)
    #expect(result.errors.contains("not read: "))
    let nothing = try run("recognize", input: "\n")
    #expect(nothing.status == 2 && nothing.output.isEmpty)
    #expect(nothing.errors.contains("-: expected a file, or drawings as NDJSON on standard input"))
  }

  @Test func allTracesOfAnInkMLFileAreOneDrawing() throws {
    let ring = (0...40).map { step -> String in
      let angle = 2 * Double.pi * Double(step) / 40
      return "\(Int(100 + 50 * cos(angle))) \(Int(100 + 50 * sin(angle)))"
    }.joined(separator: ", ")
    try folder.write(
      "a.inkml",
      """
      <ink xmlns="http://www.w3.org/2003/InkML"><traceGroup><trace>\(ring)</trace></traceGroup>
      <traceGroup><trace>100 80, 100 100, 100 120</trace></traceGroup></ink>
      """)
    let result = try run("recognize", "a.inkml")
    #expect(result.output.hasPrefix("a.inkml: 1 state, 0 transitions\n"), "\(result.errors)")
  }
}
