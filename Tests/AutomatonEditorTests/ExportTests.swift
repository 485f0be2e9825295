import Automata
import AutomatonEditor
import Foundation
import Testing

@Suite(.timeLimit(.minutes(30))) struct ExportTests {
  private func document(name: String = "q_0") throws -> Document {
    let automaton = try Automaton(
      states: [.init("p", name: name, isInitial: true), .init("q", name: "ende", isFinal: true)],
      transitions: [
        .init("t", from: "p", to: "q", symbols: ["α", "10"], includesEpsilon: true),
        .init("u", from: "q", to: "q", symbols: ["%"]),
      ])
    return Document(
      PlacedAutomaton(
        automaton: automaton, places: ["p": .init(x: 0, y: 0), "q": .init(x: 300, y: 40)]),
      id: "d")
  }

  @Test func tikzHasStatesArrowsAndLabelsWhereTheyAre() throws {
    let tikz = try document().tikz
    #expect(tikz.contains(#"\node[state, minimum size="#))
    #expect(tikz.contains(#"(n0) at (0, 0) {$q_{0}$};"#))
    #expect(tikz.contains(#"(n1) at (300, 40) {ende};"#) && tikz.contains("accepting, "))
    // The rings of a final state are 10 units apart, each line is 0.6 points wide, and a unit has 0.45.
    #expect(tikz.contains("double distance=3.90pt, outer sep=2.55pt"))
    #expect(tikz.contains(#"{$\alpha$, 10, $\varepsilon$};"#) && tikz.contains(#"{\%};"#))
    let draws = tikz.split(separator: "\n").filter { $0.contains(#"\draw[->]"#) }
    #expect(draws.count == 3)
    #expect(
      draws.count { $0.hasSuffix(".. (n1);") } == 2 && draws.count { $0.hasSuffix("(n0);") } == 1)
    #expect(!tikz.contains("e-"), "TeX reads no exponents")
  }

  @Test(arguments: [
    ("A'", "{$A'$}"), ("q10", "{$q_{10}$}"), ("x_n", "{$x_{n}$}"), ("", "{}"), ("a&b", #"{a\&b}"#),
    (#"\x{}"#, #"{\textbackslash{}x\{\}}"#), ("λ", #"{$\lambda$}"#), ("q₀", "{q$_{0}$}"),
  ])
  func namesAreWrittenForTeX(name: String, tex: String) throws {
    #expect(try document(name: name).tikz.contains("(0, 0) \(tex);"))
  }

  /// `a1`, `a_1`, `ab` and `a_b` are four symbols, and stay four.
  @Test func symbolsAreTheSameInTikZ() throws {
    let symbols = ["go", "a1", "a_1", "ab", "a_b", "a", "λ'", "\\x", "10"]
    let automaton = try Automaton(
      states: [.init("p", name: "ab", isInitial: true), .init("q", name: "a_b", isFinal: true)],
      transitions: [.init("t", from: "p", to: "q", symbols: symbols)])
    let drawn = PlacedAutomaton(
      automaton: automaton, places: ["p": .init(x: 0, y: 0), "q": .init(x: 900, y: 0)])
    let tikz = Document(drawn, id: "d").tikz
    #expect(tikz.contains("{ab};") && tikz.contains("{$a_{b}$};"))
    let again = try Format.tikz.read(Data(tikz.utf8), name: "a.tex").automaton
    #expect(Set(again.alphabet) == Set(symbols))
    #expect(try again.isEquivalent(to: automaton))
  }

  @Test func aReportNamesWhatIsWrongInTableAndPage() throws {
    let solution = try document()
    let grading = Grading(solution: solution.automaton, longestWord: 1)
    let other = try RegularExpression("α").automaton
    let report = GradeReport(
      solution: "s", grading: grading,
      entries: [
        .init(
          name: "a,b", document: solution, result: .success(try grading.grade(solution.automaton))),
        .init(name: "=1+1", document: nil, result: .failure(.init("not read: <x>"))),
        .init(name: "c", document: nil, result: .success(try grading.grade(other))),
      ])
    #expect(report.rightCount == 1)
    #expect(
      report.csv == "submission,right,share,states,remarks\r\n\"a,b\",yes,1.0,2,\r\n"
        + "'=1+1,not graded,,,not read: <x>\r\n"
        + "c,no,0.25,,\"rejects the empty word, which should be accepted\"\r\n")
    #expect(report.html.contains("<li>not read: &lt;x&gt;") && !report.html.contains("<x>"))
    #expect(report.html.components(separatedBy: "<section").count == 4)
    #expect(report.html.components(separatedBy: "<svg").count == 2)
  }
}
