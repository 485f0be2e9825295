import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDiagram
import InkEvaluation
import InkRaster
import InkReader
import InkRecognizer
import InkSeries
import Testing

/// Values that an app can make with public initialisers, and that make no sense.
@Suite struct PublicValueTests {
  /// Numbers that overflow, vanish, or are none.
  static let numbers = [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e-300, 0]

  private static var drawings: [Drawing] {
    numbers.flatMap { number in
      [
        Drawing([Stroke([Point(number, 1), Point(2, 3), Point(5, number)])]),
        Drawing([
          Stroke([Point(0, 0, time: number), Point(80, number, time: 3, pressure: number)]),
          Stroke([]), Stroke([Point(0, 0), Point(number, number)]),
        ]),
      ]
    }
  }

  @Test func strokesOfAnyNumbers() async {
    await #expect(processExitsWith: .success) {
      for drawing in PublicValueTests.drawings {
        for stroke in drawing.strokes {
          _ = stroke.resampled(count: 2)
          _ = stroke.resampled(spacing: 1)
          _ = stroke.resampled(spacing: .infinity)
          _ = stroke.simplified(tolerance: 0)
        }
        _ = (drawing.bounds, drawing.length)
        _ = try? Rasterizer.standard.render(drawing)
        _ = try? LineRasterizer.standard.render(drawing)
        _ = try? StrokeEncoder.standard.encode(drawing)
      }
    }
  }

  @Test func drawingsOfAnyNumbersAreRecognised() async {
    await #expect(processExitsWith: .success) {
      let recognizer = try Recognizer.released()
      let reader = try Reader.released()
      let diagrams = try DiagramRecognizer.released()
      for drawing in PublicValueTests.drawings {
        _ = try? recognizer.recognize(drawing)
        _ = try? reader.read(drawing, with: reader.decoder())
        let diagram = diagrams.recognize(drawing, rings: [0, 99])
        _ = try? Document(diagram, drawing: drawing, id: "d").svg
      }
    }
  }

  @Test func sessionsAndDocumentsOfAnyNumbers() async {
    await #expect(processExitsWith: .success) {
      let recognizer = try Recognizer.released()
      for number in PublicValueTests.numbers {
        var editor = Editor(Document(id: "d"), ids: CountingIDs())
        editor.options.zoom = number
        editor.options.attachment = number
        var session = SketchSession(editor, recognizer: recognizer)
        for drawing in PublicValueTests.drawings {
          for stroke in drawing.strokes { _ = session.draw(stroke) }
        }
        for command in [
          Command.addState(center: Vector(number, 1), radius: 60),
          .addState(center: Vector(1, 1), radius: number), .deleteInk(-1),
        ] {
          try? session.editor.perform(command)
        }
        _ = session.editor.document.svg
        _ = DocumentFile.write(session.editor.document)
      }
    }
  }

  @Test func diagramsThatContradictThemselves() async {
    await #expect(processExitsWith: .success) {
      let twice = Diagram(
        states: [
          .init(id: "s", center: Vector(0, 0), radius: 5),
          .init(id: "s", center: Vector(.nan, 0), radius: -5),
        ],
        transitions: [.init(from: "s", to: "none"), .init(from: "s", to: "s", symbols: [""])],
        strokes: [
          .init(.transition, element: "t9"), .init(.initial, element: "nothing"), .init(.state),
        ])
      let drawing = Drawing([Stroke([Point(0, 0), Point(9, 9), Point(5, 50)])])
      _ = DiagramComparison(twice, truth: twice)
      _ = twice.moved(by: .scale(x: 0, y: 0))
      _ = (twice.attributes, twice.warning)
      var (state, label) = (AnnotatedInk.Group(), AnnotatedInk.Group())
      state.annotations = [.init(type: "truth", text: "state")]
      state.strokes = [0, 7, -1]
      label.annotations = [.init(type: "truth", text: "label")]
      label.strokes = [8]
      state.groups = [label]
      _ = Diagram(AnnotatedInk(recording: Recording(drawing), groups: [state]))
    }
  }

  @Test func decodersOfAnyOptions() async {
    await #expect(processExitsWith: .success) {
      let alphabet = try Alphabet("ab")
      for count in [0, -1, .max] {
        for number in PublicValueTests.numbers {
          var decoder = CTCDecoder(alphabet: alphabet)
          decoder.options.beamWidth = count
          decoder.options.maximumCandidates = count
          decoder.options.minimumClassProbability = number
          decoder.options.preferredWeight = number
          let output = LogProbabilities(logits: [0, 1, 2, Float(number), 1, 0], classCount: 3)
          _ = try? decoder.read(output)
        }
      }
    }
  }

  @Test func automataWithAnyLimits() async {
    await #expect(processExitsWith: .success) {
      let automaton = try Automaton(
        states: [.init("p", name: "p", isInitial: true, isFinal: true)],
        transitions: [.init("t", from: "p", to: "p", symbols: ["a"])])
      for count in [0, -1, Int.min, .max] {
        let limit = Limit(states: count, transitions: count, tableEntries: count)
        _ = try? automaton.acceptedStrings(first: min(count, 9), limit: limit)
        _ = try? automaton.determinized(limit: limit)
        _ = try? automaton.minimized(limit: limit)
        _ = try? automaton.counterexample(to: automaton, limit: limit)
        _ = try? automaton.agreement(with: automaton, upTo: 3, limit: limit)
      }
    }
  }

  /// What the documentation demands is checked where a value is made, not where it is used.
  @Test func preconditions() async {
    await #expect(processExitsWith: .failure) { _ = Recognition(ranked: [], rejection: nil) }
    await #expect(processExitsWith: .failure) {
      let empty = try Automaton(states: [], transitions: [])
      _ = try empty.agreement(with: empty, upTo: -1)
    }
  }
}
