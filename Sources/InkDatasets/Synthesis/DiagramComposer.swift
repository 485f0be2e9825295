import Foundation
import Ink
import InkDiagram
import SeededRandom

/// Composes drawings of given and of random automata, stroke by stroke, with their truth.
///
/// The automata are random, or the seven automata in `Examples/Automata`. They are drawn as pages are
/// (``PageComposer``), but as most people draw them, in several orders and mostly with times; large ones go on outside
/// the page. All characters of a drawing come from one writer, who is also the writer of the drawing.
/// The attributes `automaton` and `strokes` hold the truth (`Diagram`), `kind` the layout, `order`
/// the order of drawing, `shapes` the writer of the rings and arrows, and `known` the name of one of the seven automata.
public struct DiagramComposer: Sendable {
  /// The random seed.
  public let seed: UInt64

  /// The label of a drawing.
  public static let label = "automaton"

  /// The names of the seven automata in `Examples/Automata`.
  public static let knownAutomata: [String] = DrawnMachine.known.keys.sorted()

  /// The sides of the page, in canvas points.
  private static let (width, height) = (1600, 1000)
  /// The number of characters without which no state has a name: the digits.
  private static let digitCount = 10
  /// The share of writers whose rings and arrows are drawn although there are recorded ones.
  private static let drawnShapes = 0.33
  /// How often an automaton is laid out, at most, until it fits.
  private static let attempts = 100

  /// Creates a composer with a random seed.
  public init(seed: UInt64) {
    self.seed = seed
  }

  /// One writer, with the rings and arrows of another one, or with drawn ones.
  public struct Writer: Sendable {
    /// The number among the writers, from 0.
    fileprivate let number: Int
    /// A recording, whose attributes the drawings get.
    fileprivate let model: Example
    /// The characters.
    fileprivate let letters: PageWriter
    /// The rings and arrows; `nil` if they are drawn.
    fileprivate let shapes: PageShapes?

    /// The variety of the drawings: a writer without letters writes no titles and remarks.
    fileprivate var variety: PageVariety {
      var variety = PageVariety.plain
      if !letters.characters.contains(where: { $0.isASCII && $0.isLetter }) {
        variety[.title] = .chance(0)
        variety[.remarks] = .only(0)
      }
      return variety
    }
  }

  /// Returns the writers whose recorded characters are in `characters`.
  ///
  /// The rings and arrows of a third of the writers are drawn, and the others have those of one of `shapes`.
  public func writers(of characters: Dataset, shapes: [PageShapes] = []) -> [Writer] {
    // Longer labels are words, or not writing at all.
    let characters = Dataset(characters.examples.filter { $0.label.count == 1 })
    return writers(
      PageWriter.all(in: characters, seed: seed, fewestCharacters: Self.digitCount),
      shapes: shapes)
  }

  /// Returns synthetic writers.
  public func syntheticWriters(count: Int, shapes: [PageShapes] = []) -> [Writer] {
    writers(PageWriter.synthetic(count: count, seed: seed), shapes: shapes)
  }

  private func writers(_ all: [PageWriter], shapes: [PageShapes]) -> [Writer] {
    all.enumerated().map { number, letters in
      var generator = SeededGenerator(seed: seed, stream: 0xd1a6, UInt64(number))
      let isDrawn = shapes.isEmpty || generator.chance(Self.drawnShapes)
      return Writer(
        number: number, model: letters.model!, letters: letters,
        shapes: isDrawn ? nil : generator.pick(shapes))
    }
  }

  /// Returns drawing number `index` of `writer`, from 0, or `nil` if the writer's characters are not
  /// enough for names and symbols, or the automaton finds no place.
  ///
  /// The automaton is random, or the one of ``knownAutomata`` with the name `known`.
  public func drawing(_ index: Int, by writer: Writer, known: String? = nil) -> Example? {
    let knownNumber = known.flatMap(Self.knownAutomata.firstIndex).map { $0 + 1 } ?? 0
    let synthetic = writer.model.source == "synthetic" ? 1 : 0
    let (characters, variety) = (writer.letters.characters, writer.variety)
    for attempt in 0..<Self.attempts {
      var generator = SeededGenerator(
        seed: seed, stream: 0xd1a8, UInt64(synthetic), UInt64(writer.number), UInt64(index),
        UInt64(attempt), UInt64(knownNumber))
      let machine =
        known.map { DrawnMachine.known[$0] } ?? DrawnMachine.random(characters, using: &generator)
      guard let machine, machine.isWritten(with: characters) else { return nil }
      var draft = PageDraft(
        width: Self.width, height: Self.height, writer: writer.letters, shapes: writer.shapes,
        dice: PageDice(variety, generator: generator))
      guard draft.draw(machine) else { continue }
      var example = example(of: draft, by: writer)
      if let known { example.attributes["known"] = .text(known) }
      return example
    }
    return nil
  }

  /// Returns the strokes of a page, in an order, with their truth.
  private func example(of draft: PageDraft, by writer: Writer) -> Example {
    var generator = draft.dice.generator
    let page = draft.page
    let order = DrawingOrder.random(using: &generator)
    let strokes = order.strokes(of: page.parts(using: &generator), using: &generator)
    let transitions = page.arrows.filter { $0.from != nil }
    func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
    let diagram = Diagram(
      states: zip(page.states, draft.ovals).enumerated().map { index, state in
        Diagram.State(
          id: "s\(index)", name: state.0.name, initial: state.0.isInitial, final: state.0.isFinal,
          center: Vector(rounded(state.1.center.x), rounded(state.1.center.y)),
          radius: rounded(state.1.radius))
      },
      transitions: transitions.map { arrow in
        Diagram.Transition(
          from: "s\(arrow.from!)", to: "s\(arrow.to)",
          symbols: arrow.symbols.split(separator: ",").map(String.init))
      },
      strokes: strokes.map(\.role))
    let layout = PageLayout(rawValue: Int(draft.dice.drawn[PageTrait.layout.rawValue][0]))!
    var example = writer.model
    example.content = .drawing(Drawing(strokes.map(\.stroke)))
    example.label = Self.label
    example.attributes = [
      "kind": .text("\(layout)"), "order": .text(order.rawValue),
      "shapes": .text(writer.shapes?.name ?? "synthetic"),
    ]
    example.attributes.merge(diagram.attributes) { $1 }
    example.origin = "composed from \(writer.model.hand ?? "?")"
    return example
  }
}
