import Foundation
import Ink
import InkDiagram
import SeededRandom

/// Composes whole drawings of automata, as people draw them, with their truth.
///
/// The automata are random, or the seven automata in `Examples/Automata`. The drawings have names,
/// symbols, self-loops, initial arrows and final states, sometimes remarks, and are drawn in several
/// orders. All characters of a drawing come from one writer, who is also the writer of the drawing.
/// Rings and arrows come from one writer with recordings of both, or from a synthetic writer.
/// The attributes `automaton` and `strokes` hold the truth (`Diagram`), `kind` the layout, `order`
/// the order of drawing and `shapes` the writer of the rings and arrows.
public struct DiagramComposer: Sendable {
  /// The random seed.
  public let seed: UInt64

  /// The label of a drawing.
  public static let label = "automaton"

  /// Creates a composer with a random seed.
  public init(seed: UInt64) {
    self.seed = seed
  }

  /// Returns the writers whose recorded characters are in `characters`.
  ///
  /// Every third writer's rings and arrows are synthetic, and the others have those of a writer of
  /// `shapes`, from drawings with the labels `state` and `transition`.
  public func writers(of characters: Dataset, shapes: Dataset = Dataset([])) -> [Writer] {
    let hands = characters.charactersByHand
    var pieces: [String: StrokeComposer.Pieces] = [:]
    for example in shapes.examples {
      guard let hand = example.hand else { continue }
      pieces[hand, default: StrokeComposer.Pieces()].add(example)
    }
    let usable = pieces.filter { !$0.value.rings.isEmpty && !$0.value.heads.isEmpty }
    let names = usable.keys.sorted()
    return hands.keys.sorted().enumerated().map { number, hand in
      var generator = SeededGenerator(seed: seed, stream: 0xd1a6, UInt64(number))
      let shapes =
        names.isEmpty || generator.chance(0.33) ? nil : generator.pick(names)
      return Writer(
        number: number, model: hands[hand]!.model,
        samples: hands[hand]!.samples.mapValues { drawings in
          drawings.map { Drawing($0.strokes.map(\.withoutTimes)) }
        },
        shapes: shapes.map { ($0, usable[$0]!) }, using: &generator)
    }
  }

  /// Returns synthetic writers.
  public func syntheticWriters(count: Int) -> [Writer] {
    (0..<count).map { number in
      var samples: [Character: [Drawing]] = [:]
      let recordings = Synthesizer(seed: seed).characters(by: number, perCharacter: 4)
      for recording in recordings {
        samples[Character(recording.label!), default: []].append(
          Drawing(recording.drawing.strokes.map(\.withoutTimes)))
      }
      var generator = SeededGenerator(seed: seed, stream: 0xd1a7, UInt64(number))
      let model = Example(recordings[0], label: Self.label, origin: "synthesised")
      return Writer(number: number, model: model, samples: samples, shapes: nil, using: &generator)
    }
  }

  /// The names of the seven automata in `Examples/Automata`.
  public static let knownAutomata: [String] = DrawnMachine.known.keys.sorted()

  /// Returns drawing number `index` of `writer`, from 0, or `nil` if the writer's characters are not
  /// enough for names and symbols.
  ///
  /// The automaton is random, or the one of ``knownAutomata`` with the name `known`.
  public func drawing(_ index: Int, by writer: Writer, known: String? = nil) -> Example? {
    let knownNumber = known.flatMap(Self.knownAutomata.firstIndex).map { $0 + 1 } ?? 0
    let synthetic = writer.model.source == "synthetic" ? 1 : 0
    for attempt in 0..<100 {
      var generator = SeededGenerator(
        seed: seed, stream: 0xd1a8, UInt64(synthetic), UInt64(writer.number), UInt64(index),
        UInt64(attempt), UInt64(knownNumber))
      let machine =
        known.map { DrawnMachine.known[$0] }
        ?? DrawnMachine.random(writer.characters, using: &generator)
      guard let machine, machine.isWritten(with: writer.characters) else { return nil }
      guard
        let plan = DiagramPlan(machine, hand: writer.hand, using: &generator)
      else { continue }
      var example = example(of: plan, by: writer, using: &generator)
      if let known { example.attributes["known"] = .text(known) }
      return example
    }
    return nil
  }

  private func example(
    of plan: DiagramPlan, by writer: Writer, using generator: inout SeededGenerator
  ) -> Example {
    let elements = plan.elements(by: writer.hand, using: &generator)
    let order = DrawingOrder.random(using: &generator)
    let strokes = order.strokes(of: elements, hand: writer.hand, using: &generator)
    var example = writer.model
    example.content = .drawing(Drawing(strokes.map(\.stroke)))
    example.label = Self.label
    example.attributes = [
      "kind": .text(plan.layout.rawValue), "order": .text(order.rawValue),
      "shapes": .text(writer.shapesName),
    ]
    let diagram = Diagram(
      states: plan.states.enumerated().map { index, state in
        Diagram.State(
          id: "s\(index)", name: state.name?.spelled(markingSubscripts: false) ?? "",
          initial: state.isInitial, final: state.isFinal,
          center: Vector(
            (state.center.x * 10).rounded() / 10, (state.center.y * 10).rounded() / 10),
          radius: (state.radius * 10).rounded() / 10)
      },
      transitions: plan.arrows.map {
        Diagram.Transition(from: "s\($0.from)", to: "s\($0.to)", symbols: $0.symbols)
      },
      strokes: strokes.map(\.role))
    example.attributes.merge(diagram.attributes) { $1 }
    example.origin = "composed from \(writer.model.hand ?? "?")"
    return example
  }
}

extension DiagramComposer {
  /// The characters, rings and arrows of one writer.
  public struct Writer: Sendable {
    let number: Int
    let model: Example
    let characters: Set<Character>
    let hand: DiagramHand
    let shapesName: String

    init(
      number: Int, model: Example, samples: [Character: [Drawing]],
      shapes: (name: String, pieces: StrokeComposer.Pieces)?, using generator: inout SeededGenerator
    ) {
      (self.number, self.model) = (number, model)
      let letters = LineWriter(samples: samples, using: &generator)
      characters = Set(samples.keys).union(letters.drawable)
      hand = DiagramHand(letters: letters, pieces: shapes?.pieces, using: &generator)
      shapesName = shapes?.name ?? "synthetic"
    }
  }
}
