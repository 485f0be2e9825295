import Foundation
import Ink
import InkDiagram
import InkEvaluation
import Testing
import TestSupport

/// The layout of the CTU finite-automata database.
@Suite(.timeLimit(.minutes(30))) struct AnnotationTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func ring(_ x: Double, _ radius: Double) -> String {
    Drawing([
      Stroke(
        (0...24).map { step in
          let angle = Double(step) * .pi / 12
          return Point(x + radius * cos(angle), 100 + radius * sin(angle))
        })
    ]).strokes[0].points.map { "\($0.x) \($0.y)" }.joined(separator: ", ")
  }

  /// Two states, an initial arrow, an arrow whose head was drawn first, a self-loop and labels.
  private func file(_ groups: String) throws -> AnnotatedInk {
    let path = try folder.write(
      "fa.inkml",
      """
      <ink xmlns="http://www.w3.org/2003/InkML"><annotation type="writer">7</annotation>
      <trace id="r0">\(ring(100, 50))</trace>
      <trace id="r1">\(ring(400, 50))</trace>
      <trace id="r2">\(ring(400, 40))</trace>
      <trace id="i">0 100, 45 100</trace>
      <trace id="h">335 85, 348 100, 335 115</trace>
      <trace id="s">155 100, 348 100</trace>
      <trace id="l">440 70, 480 20, 500 90, 445 115</trace>
      <trace id="n">95 95, 105 105</trace>
      <trace id="x">240 80, 260 60</trace>
      <trace id="z">900 900, 920 900</trace>
      \(groups)</ink>
      """)
    return try #require(try InkFile(path: path).annotatedInk())
  }

  private func group(
    _ truth: String, _ traces: String, id: String = "", type: String = "truth", inner: String = ""
  ) -> String {
    let views = traces.split(separator: " ").map { "<traceView traceDataRef=\"#\($0)\"/>" }
    return """
      <traceGroup\(id.isEmpty ? "" : " xml:id=\"\(id)\"")><annotation type="\(type)">\(truth)</annotation>\
      \(views.joined())\(inner)</traceGroup>
      """
  }

  @Test func groupsBecomeTheTruth() throws {
    let text = "<annotation type=\"text\">"
    let ink = try file(
      group("state", "r0") + group("final state", "r1 r2") + group("arrow", "i")
        + group("arrow", "s", inner: group("head", "h")) + group("arrow", "l")
        + group("label", "n", inner: "\(text)q0</annotation>")
        + group("label", "x", inner: "\(text)a, b</annotation>"))
    #expect(ink.recording.drawing.strokes.count == 10 && ink.recording.writer == "7")
    let truth = try #require(Diagram(ink))
    #expect(truth.states.map(\.name) == ["q0", ""])
    #expect(truth.states.map(\.initial) == [true, false])
    #expect(truth.states.map(\.final) == [false, true])
    #expect(abs(truth.states[1].center.x - 400) < 1 && abs(truth.states[1].radius - 50) < 1)
    #expect(
      truth.transitions == [
        .init(from: "s0", to: "s1", symbols: ["a", "b"]), .init(from: "s1", to: "s1"),
      ])
    #expect(
      truth.strokes == [
        .init(.state, element: "s0"), .init(.state, element: "s1"), .init(.state, element: "s1"),
        .init(.initial, element: "s0"), .init(.transition, element: "t0"),
        .init(.transition, element: "t0"), .init(.transition, element: "t1"),
        .init(.text, element: "s0"), .init(.text, element: "t0"), .init(.other),
      ])
  }

  @Test func referencesAndNestedLabelsDecide() throws {
    let ink = try file(
      group("state", "r0", id: "A", inner: group("label: start", "n"))
        + group("state", "r1 r2", id: "B")
        + group(
          "arrow", "s h",
          inner: """
            <annotation type="from">#B</annotation><annotation type="to">#A</annotation>
            """
              + group(
                "label", "x", type: "class", inner: "<annotation type=\"text\">1</annotation>")))
    let truth = try #require(Diagram(ink))
    #expect(truth.states.map(\.name) == ["start", ""])
    #expect(truth.transitions == [.init(from: "s1", to: "s0", symbols: ["1"])])
    #expect(truth.strokes[8] == .init(.text, element: "t0"))
  }

  @Test func groupsWithoutStatesAreNoTruth() throws {
    #expect(Diagram(try file(group("label", "n"))) == nil)
    #expect(Diagram(try file("")) == nil)
  }

  @Test func continuedTracesAreOneStroke() throws {
    let path = try folder.write(
      "b.inkml",
      """
      <ink><trace id="a" continuation="begin">0 0, 1 1</trace><trace id="b">5 5, 6 6</trace>
      <trace id="c" continuation="end" priorRef="#a">2 2</trace>
      <traceGroup><annotation type="truth">state</annotation><traceView traceDataRef="#c"/></traceGroup>
      </ink>
      """)
    let ink = try #require(try InkFile(path: path).annotatedInk())
    #expect(ink.recording.drawing.strokes.map(\.points.count) == [3, 2])
    #expect(ink.groups.map(\.strokes) == [[0]])
  }
}
