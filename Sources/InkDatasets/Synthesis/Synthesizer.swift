import Foundation
import Ink
import SeededRandom

/// Generates drawings of automaton elements or digits by synthetic writers.
///
/// Each writer has habits that all their drawings share. The pen moves like a human hand (see
/// `HandMovement`). The `source` of all drawings is `synthetic`.
public struct Synthesizer: Sendable {
  /// The set of classes that the writers draw.
  public enum Repertoire: String, Hashable, Sendable, CaseIterable {
    /// States, transitions, cycles and other shapes.
    case automata
    /// The digits from 0 to 9.
    case digits

    /// The classes that are drawn.
    public var labels: [String] {
      switch self {
      case .automata: ["cycle", "other", "state", "transition"]
      case .digits: (0...9).map(String.init)
      }
    }
  }

  /// The random seed.
  public let seed: UInt64
  /// The classes that the writers draw.
  public let repertoire: Repertoire

  /// Creates a synthesiser with a random seed.
  public init(seed: UInt64, repertoire: Repertoire = .automata) {
    self.seed = seed
    self.repertoire = repertoire
  }

  /// Drawing number `index` of `label` by writer number `writer`, both from 0.
  ///
  /// - Precondition: `label` is one of the repertoire's.
  public func recording(label: String, writer: Int, index: Int) -> Recording {
    guard let number = repertoire.labels.firstIndex(of: label) else {
      preconditionFailure("the repertoire has no label `\(label)`")
    }
    var habits = SeededGenerator(seed: seed, stream: 1, UInt64(writer))
    let hand = Hand(using: &habits)
    var generator = SeededGenerator(
      seed: seed, stream: 2, UInt64(writer), UInt64(number), UInt64(index))
    var shape: Shape =
      switch (repertoire, label) {
      case (.automata, "state"): .state(hand, using: &generator)
      case (.automata, "transition"): .transition(hand, using: &generator)
      case (.automata, "cycle"): .cycle(hand, using: &generator)
      case (.automata, _): .other(hand, using: &generator)
      case (.digits, _): .digit(number, hand, using: &generator)
      }
    shape.place(hand, using: &generator)
    let drawing = HandMovement(hand).draw(shape, using: &generator)
    return Recording(
      drawing, label: label, writer: "synthetic-\(writer + 1)", device: hand.device,
      source: "synthetic", attributes: ["kind": .text(shape.kind)])
  }

  /// Returns `perClass` drawings of each label by each of `writers` writers.
  public func recordings(writers: Int, perClass: Int) -> [Recording] {
    (0..<writers).flatMap { recordings(by: $0, perClass: perClass) }
  }

  /// Returns `perClass` drawings of each label by writer number `writer`, from 0.
  public func recordings(by writer: Int, perClass: Int) -> [Recording] {
    repertoire.labels.flatMap { label in
      (0..<perClass).map { recording(label: label, writer: writer, index: $0) }
    }
  }
}

/// The ideal movement of the pen: strokes made of smooth pieces between corners, in canvas points.
struct Shape {
  /// A more precise name than the label.
  let kind: String
  /// Stroke, piece, point.
  var strokes: [[[Point]]]
  var stance = Stance.free

  /// How a shape may be placed.
  enum Stance {
    /// At its own position and size.
    case fixed
    /// Approximately upright.
    case upright
    /// At any angle.
    case free
  }

  /// Gives the shape, drawn at about unit size, the hand's slant and a size, angle and position.
  mutating func place(_ hand: Hand, using generator: inout SeededGenerator) {
    guard stance != .fixed else { return }
    let size = hand.size * exp(0.25 * generator.normal())
    let angle =
      stance == .free ? generator.uniform(-.pi ... .pi) : 0.06 * generator.normal()
    let transform = Transform.rotation(angle)
      .then(.shear(hand.slant + 0.03 * generator.normal()))
      .then(.scale(x: hand.roundness, y: 1 / hand.roundness))
      .then(.scale(x: size, y: size))
      .then(.translation(x: generator.uniform(200...1800), y: generator.uniform(200...1800)))
    for stroke in strokes.indices {
      for piece in strokes[stroke].indices {
        strokes[stroke][piece] = strokes[stroke][piece].map(transform.apply)
      }
    }
  }
}
