import Automata
import Foundation
import SeededRandom
import TestSupport
import Testing

/// Operations on random automata against an oracle that tries words; `scripts/stress numbers automata`
/// tries more.
@Suite struct RandomOperationTests {
  /// The number of checked operations of a case, counted by ``operationsOnRandomAutomata()``.
  static let operationsPerCase = 23

  @Test func operationsOnRandomAutomata() throws {
    for seed in RandomCases.seeds(150) {
      var checked = 0
      var generator = SeededGenerator(seed: seed, stream: 77)
      let states = 1 + generator.index(below: 6)
      let one = try randomAutomaton(seed: seed, states: states).addingToAlphabet(["a", "b"])
      let other = try randomAutomaton(seed: seed + 1 << 40, states: 1 + generator.index(below: 4))
        .addingToAlphabet(["a", "b"])
      let (mine, theirs) = (AutomatonOracle(one), AutomatonOracle(other))
      let (language, second) = (mine.language, theirs.language)
      func check(_ name: String, _ holds: Bool) {
        checked += 1
        if !holds { Issue.record("\(name), case \(seed): \(one), \(other)") }
      }
      /// Checks what an operation accepts, and what else is said of its result.
      func check(
        _ name: String, _ result: Automaton, _ expected: UInt64, _ property: Bool = true
      ) { check(name, AutomatonOracle(result).language == expected && property) }

      let words = AutomatonOracle.words
      check(
        "run", words.indices.allSatisfy { one.accepts(words[$0]) == (language >> $0 & 1 == 1) })
      let withoutEpsilon = try one.withoutEpsilon()
      check(
        "without ε", withoutEpsilon, language,
        withoutEpsilon.transitions.allSatisfy { !$0.includesEpsilon })
      let determinized = try one.determinized()
      check("determinised", determinized, language, determinized.isDeterministic)
      let trapped = try one.determinized(addsTrap: true)
      check("with a trap", trapped, language, trapped.isDeterministic)
      let completed = try one.completed()
      check(
        "completed", completed, language,
        completed.transitions.reduce(0) { $0 + $1.symbols.count } == 2 * completed.states.count)
      check("trimmed", one.trimmed, language)
      let minimized = try one.minimized()
      check("minimised", minimized, language, minimized.states.count == mine.minimalStateCount)
      check("complement", try one.complement(), ~language & AutomatonOracle.everything)
      let reversed = Dictionary(uniqueKeysWithValues: words.enumerated().map { ($1, $0) })
      let backwards = words.indices.reduce(into: UInt64(0)) { result, index in
        result |= (language >> reversed[words[index].reversed()]! & 1) << index
      }
      check("reversed", one.reversed, backwards)
      let expression = try one.regularExpression().automaton
      check(
        "regular expression", expression, language,
        AutomatonOracle(expression).isEquivalent(to: mine))
      let accepted = words.indices.filter { language >> $0 & 1 == 1 }.map { words[$0] }
      let first = try one.acceptedStrings(first: 12)
      check(
        "first words",
        Array(first.filter { $0.count <= 5 }) == Array(accepted.prefix(12))
          && first.allSatisfy(one.accepts))
      if let word = accepted.first {
        check("shortest word", one.shortestWord == word)
      } else {
        check("shortest word", one.shortestWord.map { $0.count > 5 && one.accepts($0) } ?? true)
      }
      let isEmpty = mine.isEquivalent(
        to: AutomatonOracle(try Automaton(states: [.init("e")], transitions: [])))
      check("any word", one.acceptsAnyWord != isEmpty)
      check("union", try one.combined(with: other, by: .union), language | second)
      check("intersection", try one.combined(with: other, by: .intersection), language & second)
      check("difference", try one.combined(with: other, by: .difference), language & ~second)
      let difference = try one.counterexample(to: other)
      if let index = words.indices.first(where: { (language ^ second) >> $0 & 1 == 1 }) {
        check("counterexample", difference == words[index])
      } else {
        check(
          "counterexample",
          difference.map { $0.count > 5 && one.accepts($0) != other.accepts($0) }
            ?? mine.isEquivalent(to: theirs))
      }
      check("equivalence", try one.isEquivalent(to: other) == mine.isEquivalent(to: theirs))
      let share = Double((~(language ^ second) & AutomatonOracle.everything).nonzeroBitCount) / 63
      check("agreement", abs(try one.agreement(with: other, upTo: 5) - share) < 1e-12)
      for format in [Format.jflap, .dot, .table] {
        let data = try format.write(PlacedAutomaton(automaton: one))
        check(format.rawValue, try format.read(data, name: "case").automaton, language)
      }
      let data = try Format.exchange.write(PlacedAutomaton(automaton: completed))
      check("exchange", try Format.exchange.read(data, name: "case").automaton, language)
      #expect(checked == Self.operationsPerCase)
    }
  }
}
