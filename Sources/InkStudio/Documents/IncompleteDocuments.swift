import Automata
import AutomatonEditor
import ErrorText

/// An error for a conversion or comparison of documents that do not say everything.
struct IncompleteDocuments: DescribedError {
  /// What is missing, as clauses.
  var missing: [String]

  /// Throws if a document is incomplete.
  static func check(_ documents: [(name: String, document: Document)]) throws(Self) {
    let missing = documents.flatMap { name, document in
      document.missing.map { documents.count > 1 ? "in “\(name)”, \($0)" : $0 }
    }
    if !missing.isEmpty { throw Self(missing: missing) }
  }

  var description: String { "Something is missing: \(missing.joined(separator: "; "))." }
}

extension Document {
  /// What the automaton does not say although it is drawn, as clauses; the first ones if they are many.
  var missing: [String] {
    let names = automaton.shownNames
    let mute = transitions.filter {
      !$0.isInitialMarker && !$0.isDangling && $0.allSymbols.isEmpty && !$0.includesEpsilon
    }
    let all =
      mute.map { transition in
        "the arrow from \(transition.start.map(names.state) ?? "") to "
          + "\(transition.end.map(names.state) ?? "") has no symbols"
      } + danglingTransitionDescriptions(names).map { "\($0) has a loose end" }
      + (ink.isEmpty
        ? [] : ["\(ink.count.counted("stroke")) \(ink.count > 1 ? "are" : "is") not read"])
    let rest = all.count - Self.maximumMissing
    return all.prefix(Self.maximumMissing) + (rest > 0 ? ["\(rest) more"] : [])
  }

  private static var maximumMissing: Int { 5 }
}
