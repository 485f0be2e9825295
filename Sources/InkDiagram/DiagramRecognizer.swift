import Foundation
import Ink
import InkNetwork
import InkRaster
import InkReader
import InkRecognizer

/// Turns all strokes of a drawing into an automaton with its names and symbols.
///
/// The order and the times of the strokes do not matter. Their directions do: an arrow without a head leads
/// where the pen went, and the reader sees the pen directions. It is deterministic and can be shared
/// between threads.
public struct DiagramRecognizer: Sendable {
  let reader: Reader
  let network: PageNetwork

  /// The probability below which a name or a label is uncertain.
  fileprivate static let certain = 0.9
  /// How far the odds of texts in pictures count, as an exponent: the reader is too sure.
  ///
  /// In 210 composed photographs of validation people, names are likeliest with 0.6 and symbols with 0.8; the exponent is
  /// lower because people's own pictures are harder. Of what is then not uncertain, 13 of 837 names and 4 of 854 labels
  /// are wrong.
  private static let pictureTrust = 0.55
  /// The probability that a transition without symbols has none: writing was nearly always lost.
  fileprivate static let noSymbols = 0.05
  /// The probability that a state without a name has none if most states have one.
  fileprivate static let noName = 0.3
  /// The probability of a name that another state of the automaton has as well, at most: one of them is wrong.
  private static let repeatedNameProbability = 0.5
  /// The probability that an arrow without a head leads where the pen went.
  private static let penDirection = 0.8
  /// The number of doubtful rings that are tried both as states and as something else.
  private static let maximumDoubtful = 5
  /// How much less a drawing has to cost with a doubtful ring as a state.
  private static let newState = 1.5
  /// The number of strokes above which work is left out to save time: with more strokes in all, doubtful rings are not
  /// tried both ways; with more strokes of writing, its rows are not judged; with more strokes of names and labels,
  /// these are read at one angle.
  static let maximumStrokes = 400
  /// The strokes of writing for each ring above which bare rings are letters.
  private static let writingOfState = 6

  /// Creates a recogniser that reads names and symbols with `reader`, and that tells rings, arrows and writing apart
  /// with `pages`.
  ///
  /// - Throws: `ModelError` if the model of `pages` has other classes or fields than the released one, or unknown numbers
  ///   of its decision; or if the resources of the module `InkDiagram`, with the networks that judge lines, are missing.
  public init(reader: Reader, pages: PageRecognizer) throws(ModelError) {
    (self.reader, network) = (reader, try PageNetwork(pages))
  }

  /// Creates a recogniser with the models that come with this package, in the resources of the modules
  /// `InkReader` and `InkDiagram`.
  ///
  /// - Throws: `ModelError` if a model is missing, with the folders where it was looked for, or damaged.
  public static func released() throws(ModelError) -> DiagramRecognizer {
    try DiagramRecognizer(reader: .released(), pages: .released())
  }

  /// Creates a recogniser with the files `reader.safetensors` and `page.safetensors` in `folder`, such as the
  /// resources of an app.
  ///
  /// - Throws: `ModelError` if a model is missing or damaged, or sees something else than pages of automata; or if the
  ///   resources of the module `InkDiagram`, with the networks that judge lines, are missing.
  public init(modelFolder folder: URL) throws(ModelError) {
    let pages = folder.appendingPathComponent("page.safetensors").path
    reader = try Reader(modelURL: folder.appendingPathComponent("reader.safetensors"))
    network = try PageNetwork(PageRecognizer(modelPath: pages), name: pages)
  }

  /// Recognises `drawing`.
  ///
  /// - Parameters:
  ///   - drawing: The strokes, in canvas points.
  ///   - isTraced: Whether the strokes were traced on a picture (`Recording.isTraced`). Writing is then read
  ///     without their directions, and that of an arrow without a head is uncertain.
  ///   - vocabulary: Names and symbols that are likely in it.
  ///   - alphabet: The only symbols in it besides `ε`; empty if any symbol can be.
  ///   - rings: The indices of the strokes that are known to be rings of states.
  ///   - workers: The number of cores that look at the page and read the writing.
  public func recognize(
    _ drawing: Drawing, isTraced: Bool = false, vocabulary: [String] = [],
    alphabet: [String] = [], rings: Set<Int> = [],
    workers: Int = ProcessInfo.processInfo.activeProcessorCount
  ) -> Diagram {
    let traces = drawing.traces
    guard !traces.isEmpty else { return .empty(of: drawing) }
    var interpretation = interpretation(
      of: traces, knownRings: rings,
      seen: SeenStrokes(of: traces, in: drawing, with: network, workers: workers))
    interpretation.isTraced = isTraced
    let labelReader = LabelReader(
      reader: reader, vocabulary: vocabulary, alphabet: alphabet, workers: workers)
    return diagram(LabelSearch(interpretation), of: drawing, with: labelReader)
  }

  // MARK: Structure

  /// Returns the likeliest interpretation; each doubtful ring is tried as a state and as none.
  private func interpretation(
    of traces: [Trace], knownRings: Set<Int>, seen: SeenStrokes
  ) -> Interpretation {
    let candidates = StateSearch(traces: traces, known: knownRings, seen: seen).states()
    var isState = candidates.map { $0.evidence > 0 }
    func interpretation(_ isState: [Bool]) -> Interpretation {
      Interpretation(
        traces: traces,
        states: candidates.indices.filter { isState[$0] }.map { candidates[$0] },
        doubtful: candidates.indices.filter { !isState[$0] }.map { candidates[$0] }, seen: seen)
    }
    var best = interpretation(isState)
    let doubtful = candidates.indices
      .filter { abs(candidates[$0].evidence) < StateSearch.doubtful }
      .sorted { abs(candidates[$0].evidence) < abs(candidates[$1].evidence) }
      .prefix(traces.count > Self.maximumStrokes ? 0 : Self.maximumDoubtful)
    for index in doubtful {
      isState[index].toggle()
      let other = interpretation(isState)
      // Letters can look like arrows, so a ring needs more than a slightly better drawing.
      if other.cost + (isState[index] ? Self.newState : 0) < best.cost {
        best = other
      } else {
        isState[index].toggle()
      }
    }
    // Rings without names and arrows among much writing are letters.
    if best.arrows.allSatisfy({ $0.to == nil }),
      best.writing.count > Self.writingOfState * best.states.count,
      LabelSearch(best).names.isEmpty
    {
      return interpretation(candidates.map { _ in false })
    }
    return best
  }

  // MARK: Labels

  func diagram(
    _ found: LabelSearch, of drawing: Drawing, with labelReader: LabelReader
  ) -> Diagram {
    let interpretation = found.interpretation
    var labels = found
    if interpretation.writing.count <= Self.maximumStrokes {
      labels.divide(with: labelReader) { line in
        interpretation.writing(line, in: drawing, turnedBy: 0)
      }
    }
    let trust = interpretation.isTraced ? Self.pictureTrust : 1
    var roles = drawing.strokes.map { _ in Diagram.StrokeRole(.other) }
    func mark(_ strokes: [Int], _ role: Diagram.Role, _ element: String? = nil) {
      for stroke in strokes { roles[stroke] = .init(role, element: element) }
    }
    let states = interpretation.states
    var diagram = Diagram(states: [], transitions: [], strokes: [])
    for (number, state) in states.enumerated() {
      diagram.states.append(
        .init(
          id: "s\(number)", final: state.isFinal, center: state.ring.center,
          radius: state.ring.radius))
      mark(state.strokes, .state, "s\(number)")
      diagram.doubt("s\(number)", .state, odds: state.evidence)
    }
    var transitionOf: [Int: Int] = [:]
    for (number, arrow) in interpretation.arrows.enumerated() {
      if arrow.isInitial, let to = arrow.to {
        diagram.states[to].initial = true
        diagram.states[to].marker = arrow.shaft.path
        mark(arrow.strokes, .initial, "s\(to)")
      } else if let from = arrow.from, let to = arrow.to {
        let id = "t\(diagram.transitions.count)"
        transitionOf[number] = diagram.transitions.count
        mark(arrow.strokes, .transition, id)
        var transition = Diagram.Transition(from: "s\(from)", to: "s\(to)")
        transition.path = arrow.shaft.path
        diagram.transitions.append(transition)
        diagram.doubt(id, .transition, odds: arrow.saving)
        if !arrow.hasHead, from != to {
          let probability = interpretation.isTraced ? 0.5 : Self.penDirection
          diagram.uncertain.append(
            .init(
              element: id, property: .direction, value: "s\(from)→s\(to)",
              probability: probability,
              alternatives: [.init("s\(to)→s\(from)", probability: 1 - probability)]))
        }
      } else {
        mark(arrow.strokes, .transition)
      }
    }
    for line in labels.remarks { mark(interpretation.strokes(of: line), .text) }
    for (state, name) in labels.names {
      mark(name.lines.flatMap(interpretation.strokes), .text, "s\(state)")
    }
    for (arrow, lines) in labels.symbols {
      mark(
        lines.flatMap(interpretation.strokes), .text, transitionOf[arrow].map { "t\($0)" })
    }
    diagram.strokes = roles
    if states.isEmpty { diagram.rejection = .noStates }
    read(labels, of: drawing, transitionOf, with: labelReader, trust: trust, into: &diagram)
    diagram.doubtMissing()
    return diagram
  }

  /// Reads the names and the symbols.
  private func read(
    _ labels: LabelSearch, of drawing: Drawing, _ transitionOf: [Int: Int],
    with labelReader: LabelReader, trust: Double, into diagram: inout Diagram
  ) {
    let named = labels.names.keys.sorted()
    let labelled = Set(labels.symbols.keys).union(labels.doubtful.keys)
      .filter { transitionOf[$0] != nil }.sorted()
    let usual = labelled.map { labels.symbols[$0] ?? [] }
    let doubtful = labelled.map { arrow in
      // Where the symbols are known, they decide what is a label.
      labelReader.alphabet.isEmpty ? labels.doubtful[arrow] ?? [] : []
    }
    let names = named.map { labels.names[$0]! }
    let further = names.map { Array($0.rows.dropFirst()) }
    let readings = labelReader.texts(
      names: names.map { $0.rows[0] } + further.joined(), symbols: Array(usual.joined()),
      doubtful: doubtful.joined().map(\.row)
    ) { line, angle in
      labels.interpretation.writing(line, in: drawing, turnedBy: angle)
    }
    // Each automaton of a drawing has names of its own.
    let automata = diagram.automataOfStates.map { automaton in
      named.indices.filter { automaton.contains(named[$0]) }
    }
    var firstRows = [[ScoredText]](repeating: [], count: names.count)
    for own in automata {
      let agreed = labelReader.agreed(names: own.map { readings.names[$0] }, among: names.count)
      for (number, texts) in zip(own, agreed) { firstRows[number] = texts }
    }
    let otherRows = readings.names.dropFirst(names.count).map(labelReader.weighed)
      .divided(like: further)
    let nameTexts = names.indices.map { names[$0].texts(of: [firstRows[$0]] + otherRows[$0]) }
    let best = nameTexts.map { $0.first?.text }
    let repeated = Set(
      automata.flatMap { own in
        own.filter { one in own.contains { $0 != one && best[$0] == best[one] } }
      })
    for (number, state) in named.enumerated() {
      guard let name = best[number] else {
        // Writing that gives no name stays ink.
        for stroke in names[number].lines.flatMap(labels.interpretation.strokes) {
          diagram.strokes[stroke].element = nil
        }
        continue
      }
      diagram.states[state].name = name
      diagram.note(
        nameTexts[number], .name, of: diagram.states[state].id, trust: trust,
        atMost: repeated.contains(number) ? Self.repeatedNameProbability : 1)
    }
    let usualTexts = readings.symbols.divided(like: usual)
    let doubtfulTexts = readings.doubtful.divided(like: doubtful)
    let rowsOfLabels = labelled.indices.map { number in
      usualTexts[number].map { LabelReader.LabelRow(texts: $0) }
        + zip(doubtful[number], doubtfulTexts[number]).map { row, texts in
          .init(texts: texts, doubtfulOdds: row.odds)
        }
    }
    // What is no label has no texts.
    let labelTexts = zip(rowsOfLabels, labelReader.areRemarks(in: rowsOfLabels)).map {
      rows, isRemark in
      zip(rows, isRemark).map { row, isRemark in isRemark ? [] : row.texts }
    }
    let agreed = labelReader.agreed(symbols: Array(labelTexts.joined())).divided(like: labelTexts)
    for (number, arrow) in labelled.enumerated() {
      let rows = usual[number] + doubtful[number].map(\.row)
      let read = agreed[number]
      func strokes(isRead: Bool) -> Set<Int> {
        let chosen = zip(rows, read).filter { $1.isEmpty != isRead }.map(\.0)
        return Set(chosen.flatMap(labels.interpretation.strokes))
      }
      for stroke in strokes(isRead: false).subtracting(strokes(isRead: true)) {
        diagram.strokes[stroke].element = nil
      }
      let transition = transitionOf[arrow]!
      for stroke in strokes(isRead: true) { diagram.strokes[stroke].element = "t\(transition)" }
      for phrase in labelReader.phrases(of: rows, read) {
        for symbol in LabelReader.symbols(of: phrase[0].text)
        where !diagram.transitions[transition].symbols.contains(symbol) {
          diagram.transitions[transition].symbols.append(symbol)
        }
        diagram.note(phrase, .symbols, of: "t\(transition)", trust: trust)
      }
    }
  }
}

extension Array {
  /// Returns the elements in groups, one after the other, each as large as one of `groups`.
  func divided<Other>(like groups: [[Other]]) -> [[Element]] {
    var rest = self[...]
    return groups.map { group in
      defer { rest = rest.dropFirst(group.count) }
      return Array(rest.prefix(group.count))
    }
  }
}

extension Diagram {
  /// Adds an uncertainty about an element with these odds, as a logarithm, if it is not certain.
  fileprivate mutating func doubt(
    _ element: String, _ property: Uncertainty.Property, odds: Double
  ) {
    let probability = 1 / (1 + exp(-odds))
    guard probability < DiagramRecognizer.certain else { return }
    uncertain.append(
      .init(
        element: element, property: property, value: "yes", probability: probability,
        alternatives: [.init("no", probability: 1 - probability)]))
  }

  /// Adds an uncertainty if the best text is not certain.
  ///
  /// - Parameters:
  ///   - trust: The exponent with which the odds of the best text count.
  ///   - limit: The highest probability that it can have.
  fileprivate mutating func note(
    _ texts: [ScoredText], _ property: Uncertainty.Property, of element: String, trust: Double,
    atMost limit: Double = 1
  ) {
    guard let best = texts.first else { return }
    let others = max(1 - best.score, 1e-12)
    let probability = min(limit, 1 / (1 + pow(others / best.score, trust)))
    guard probability < DiagramRecognizer.certain else { return }
    let scale = (1 - probability) / others
    uncertain.append(
      Uncertainty(
        element: element, property: property, value: best.text, probability: probability,
        alternatives: texts.dropFirst().prefix(4)
          .map { .init($0.text, probability: scale * $0.score) }
          .filter { $0.probability >= 0.01 }))
  }

  /// Adds the transitions without symbols, and the states without a name among others that have one.
  fileprivate mutating func doubtMissing() {
    for (number, transition) in transitions.enumerated() where transition.symbols.isEmpty {
      uncertain.append(
        Uncertainty(
          element: "t\(number)", property: .symbols, value: "",
          probability: DiagramRecognizer.noSymbols, alternatives: []))
    }
    let unnamed = states.filter(\.name.isEmpty)
    guard 2 * unnamed.count < states.count else { return }
    for state in unnamed {
      uncertain.append(
        Uncertainty(
          element: state.id, property: .name, value: "", probability: DiagramRecognizer.noName,
          alternatives: []))
    }
  }
}
