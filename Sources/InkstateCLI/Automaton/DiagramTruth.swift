import AutomatonEditor
import Foundation
import Ink
import InkDiagram
import InkEvaluation
import SafeFiles

/// The true automata of drawings, for comparison with those that were recognised.
enum DiagramTruth {
  /// Reads the truth of one or more drawings.
  ///
  /// NDJSON has the truth of each drawing in its line (the fields `automaton` and `strokes`), and
  /// InkML in the annotations of its groups. Any other file is an automaton, the truth of one drawing.
  ///
  /// - Throws: an error if a drawing has no truth.
  static func read(_ path: String) throws -> [Diagram] {
    // A document of the editor is one JSON object as well.
    let isNDJSON = path.lowercased().hasSuffix(".ndjson")
    guard let ink = try? InkFile(path: path), isNDJSON || ink.format != .ndjson else {
      return [Diagram(try AutomatonSource.read(path, form: nil).drawing(id: "truth"))]
    }
    if let annotated = try ink.annotatedInk() {
      guard let diagram = Diagram(annotated) else {
        throw FileError(
          path: path, expected: "groups with the truth `state`, `arrow` and `label`",
          found: "no state")
      }
      return [diagram]
    }
    var diagrams: [Diagram] = []
    try ink.forEach { item in
      let recording = try item.result.get()
      let place = "\(item.place)"
      guard let diagram = try Diagram(attributes: recording.attributes, name: place) else {
        throw FileError(
          path: place, expected: "the fields `automaton` and `strokes`", found: "none")
      }
      diagrams.append(diagram)
    }
    return diagrams
  }
}

extension DiagramComparison {
  /// The comparison as lines for people.
  var lines: [String] {
    func share(_ share: RightCount) -> String {
      guard share.count > 0 else { return "none" }
      let percent = (100 * Double(share.right) / Double(share.count)).fixed(1)
      return "\(share.right) of \(share.count) (\(percent) %)"
    }
    func counts(_ elements: Elements) -> String {
      "\(elements.found) found, \(elements.missed) missed, \(elements.wrong) wrong"
    }
    var lines = [
      "exactly right: \(share(exact)); with o, 0, O and l, 1, I as one: \(share(folded))",
      "right except for names and symbols: \(share(structure))",
      "states: \(counts(states))", "transitions: \(counts(transitions))",
      "initial states: \(counts(initial))", "final states: \(counts(final))",
      "names: \(share(names)); folded: \(share(foldedNames))",
      "symbols: \(share(symbols)); folded: \(share(foldedSymbols))",
    ]
    if roles.count > 0 {
      lines.append(
        "strokes: role \(share(roles)); text or shape \(share(text)); element \(share(elements))")
    }
    return lines
  }
}
