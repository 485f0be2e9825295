extension Diagram: Codable {
  private enum CodingKeys: CodingKey { case automaton, strokes, uncertain, rejected }
  private enum AutomatonKeys: CodingKey { case states, transitions }

  /// Writes `automaton`, `strokes`, `uncertain`, and `rejected`, which is `null` for an automaton.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    var automaton = container.nestedContainer(keyedBy: AutomatonKeys.self, forKey: .automaton)
    try automaton.encode(states, forKey: .states)
    try automaton.encode(transitions, forKey: .transitions)
    try container.encode(strokes, forKey: .strokes)
    try container.encode(uncertain, forKey: .uncertain)
    try container.encode(rejection, forKey: .rejected)
  }

  /// Reads what ``encode(to:)`` writes; only `automaton` is necessary.
  ///
  /// - Throws: `DecodingError` where values are missing, two states have one id, or a centre is not two
  ///   numbers.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let automaton = try container.nestedContainer(keyedBy: AutomatonKeys.self, forKey: .automaton)
    let states = try automaton.decode([State].self, forKey: .states)
    guard Set(states.map(\.id)).count == states.count else {
      throw DecodingError.dataCorruptedError(
        forKey: .states, in: automaton,
        debugDescription: "expected states with different ids, found others")
    }
    self.init(
      states: states,
      transitions: try automaton.decode([Transition].self, forKey: .transitions),
      strokes: try container.decodeIfPresent([StrokeRole].self, forKey: .strokes) ?? [],
      uncertain: try container.decodeIfPresent([Uncertainty].self, forKey: .uncertain) ?? [],
      rejection: try container.decodeIfPresent(Rejection.self, forKey: .rejected))
  }
}
