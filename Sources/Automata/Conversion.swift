/// A computation of another automaton from one.
public enum Conversion: String, CaseIterable, Sendable {
  /// The subset construction; see ``Automaton/determinized(addsTrap:limit:)``.
  case determinize
  /// The minimal deterministic automaton; see ``Automaton/minimized(limit:)``.
  case minimize
  /// The words that are rejected; see ``Automaton/complement(limit:)``.
  case complement
  /// The reversed words; see ``Automaton/reversed``.
  case reverse
  /// The same words without ε-transitions; see ``Automaton/withoutEpsilon(limit:)``.
  case removeEpsilon
  /// A deterministic automaton with all transitions; see ``Automaton/completed(limit:)``.
  case complete
  /// The states on a path to acceptance; see ``Automaton/trimmed``.
  case trim

  /// Returns the result for `automaton`.
  ///
  /// - Throws: `AutomatonError` if the result would be larger than `limit`.
  public func result(
    of automaton: Automaton, limit: Limit = .standard
  ) throws(AutomatonError) -> Automaton {
    switch self {
    case .determinize: try automaton.determinized(limit: limit)
    case .minimize: try automaton.minimized(limit: limit)
    case .complement: try automaton.complement(limit: limit)
    case .reverse: automaton.reversed
    case .removeEpsilon: try automaton.withoutEpsilon(limit: limit)
    case .complete: try automaton.completed(limit: limit)
    case .trim: automaton.trimmed
    }
  }
}
