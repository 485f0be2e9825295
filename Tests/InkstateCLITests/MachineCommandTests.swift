import Foundation
import TestSupport
import Testing

/// The `automaton` commands for machines beyond finite automata.
@Suite(.timeLimit(.minutes(30))) struct MachineCommandTests {
  private static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
      "Examples/Machines"
    )
    .path
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: String...) throws -> CommandResult {
    try inkstate(["automaton"] + arguments, in: folder, input: "")
  }

  private func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)"))
  }

  private func example(_ name: String) -> String { "\(Self.examples)/\(name).automaton" }

  @Test func everyExampleIsCheckedRunAndConverted() throws {
    for (name, type, word, answer) in [
      ("remainder", "moore", "1011", "answered\toutput: 01222"),
      ("changes", "mealy", "0110", "answered\toutput: 0101"), ("anbn", "pda", "aabb", "accepted"),
      ("increment", "turing", "1011", "accepted\ttape: 1100"),
    ] {
      let check = try run("check", example(name))
      #expect(check.status == 0 && !check.output.contains("error"), "\(check.output)")
      #expect(try run("run", example(name), word).output == "\(word)\t\(answer)\n")
      let converted = try run("convert", example(name), "-o", "\(name).jff")
      #expect(converted.status == 0, "\(converted.errors)")
      let jff = String(decoding: try bytes("\(name).jff"), as: UTF8.self)
      #expect(jff.contains("<type>\(type)</type>"))
      #expect(try run("run", "\(name).jff", word).output == "\(word)\t\(answer)\n")
      #expect(try run("convert", "\(name).jff", "-o", "\(name).automaton").status == 0)
      #expect(try run("run", "\(name).automaton", word).output == "\(word)\t\(answer)\n")
      #expect(
        try run("convert", example(name), "--to", "table").errors.contains("a finite automaton"))
      #expect(try run("convert", example(name), "-o", "\(name).dot").status == 0)
      #expect(try run("run", "\(name).dot", word).output == "\(word)\t\(answer)\n")
      for command in ["minimize", "expression", "words", "reverse"] {
        let refused = try run(command, example(name))
        #expect(refused.status == 1 && refused.errors.contains("because"), "\(refused.errors)")
      }
      let link = try run("link", example(name))
      #expect(link.output.hasPrefix("http://127.0.0.1:8080/#document="))
      #expect(link.output.hasSuffix("&name=\(name)\n"))
    }
  }

  @Test func longTapesAreCutAroundTheHead() throws {
    try folder.write(
      "t.jff",
      """
      <structure><type>turing</type><automaton><state id="0"><initial/></state><transition>
      <from>0</from><to>0</to><read/><write>x</write><move>R</move></transition></automaton>
      </structure>
      """)
    let result = try run("run", "t.jff", "")
    #expect(result.output.contains("undecided") && result.output.count < 300, "\(result.output)")
    #expect(result.output.contains("more cells) xxxx") && result.output.hasSuffix("x[□]\n"))
    let trace = try run("trace", "t.jff", "", "--steps", "2000").output
    #expect(trace.split(separator: "\n").allSatisfy { $0.count < 200 })
  }

  @Test func tracesShowStacksTapesAndOutputs() throws {
    let trace = try run("trace", example("anbn"), "ab")
    #expect(
      trace.output == """
        q0  ab  stack Z
        q0  b   stack AZ
        q1  b   stack AZ
        q1  ε   stack Z
        q2  ε   stack Z
        accepted

        """)
    #expect(try run("trace", example("increment"), "1").output.contains("carry  [1]\n"))
    #expect(try run("trace", example("changes"), "01").output.contains("high  ε   output 01\n"))
    let json = try run("trace", example("increment"), "1", "--json").output
    #expect(json.contains(#""result" : "accepted""#))
    let limited = try run("run", example("increment"), "1011", "--steps", "3")
    #expect(limited.status == 1 && limited.output.contains("undecided after 3 steps"))
    try folder.write("words.csv", "ab,accepted\naab,rejected\n")
    let words = try run("run", example("anbn"), "--words", "words.csv")
    #expect(words.status == 0 && words.output.contains("WRONG") == false, "\(words.output)")
    #expect(try run("run", example("changes"), "--words", "words.csv").status == 64)
  }

  @Test func picturesHaveAScaleAndMayBeTransparent() throws {
    let large = try run("render", example("anbn"), "--scale", "3", "--transparent", "-o", "a.png")
    #expect(large.status == 0, "\(large.errors)")
    let header = [UInt8](try bytes("a.png").prefix(26))
    #expect(header[25] == 4)
    let huge = try run("render", example("anbn"), "--scale", "100", "-o", "b.png")
    #expect(huge.status == 1 && huge.errors.contains("use a scale of at most"), "\(huge.errors)")
    #expect(try run("render", example("anbn"), "--scale", "2", "-o", "b.svg").status == 64)
    #expect(try run("render", example("anbn"), "--scale", "0", "-o", "b.png").status == 64)
    #expect(try run("render", example("anbn"), "--transparent", "-o", "b.pdf").status == 64)
  }
}
