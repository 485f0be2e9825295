/// The breadth-first search of the configurations of a pushdown automaton or Turing machine.
///
/// Stacks, and both sides of a tape, are numbers of nodes that share their ends, so that equal ones
/// have the same number and a configuration has the same size at any depth.
struct MachineSearch: Sendable {
  private struct Configuration: Hashable {
    var state: Int
    var position = 0
    /// The stack, or the cells left of the head, the nearest first.
    var left = 0
    /// The cell under the head.
    var cell: Character = Machine.blank
    /// The cells right of the head, the nearest first.
    var right = 0
  }

  /// A symbol on top of another stack; node 0 is the empty stack.
  private struct Node: Hashable {
    var symbol: Character
    var below: Int
  }

  private struct Way {
    var rule: MachineRule
    var end: Int
    var transition: Int
  }

  private let machine: Machine
  private let word: [Character]
  private let limits: Machine.Limits
  private let ways: [[Way]]

  private var nodes = [Node(symbol: Machine.blank, below: 0)]
  private var heights = [0]
  private var numbers: [Node: Int] = [:]

  private var configurations: [Configuration] = []
  private var known: [Configuration: Int] = [:]
  /// The configuration before each, and the transition between them.
  private var parents: [(configuration: Int, transition: Int)] = []
  private var depths: [Int] = []
  /// The configuration that accepts.
  private var goal: Int?
  /// The limit that ended some ways.
  private var reached: String?
  private var hasBranched = false
  /// The maximum number of nodes, which bounds the memory.
  private static let maximumNodes = 3_000_000
  private var hasRepeated = false

  init(_ machine: Machine, _ word: [Character], _ limits: Machine.Limits) {
    (self.machine, self.word, self.limits) = (machine, word, limits)
    let indices = Dictionary(
      uniqueKeysWithValues: machine.states.enumerated().map { ($1.id, $0) })
    var ways = [[Way]](repeating: [], count: machine.states.count)
    for (index, transition) in machine.transitions.enumerated() {
      for rule in transition.rules {
        ways[indices[transition.start]!].append(
          Way(rule: rule, end: indices[transition.end]!, transition: index))
      }
    }
    self.ways = ways
  }

  var count: Int { configurations.count }

  mutating func run() {
    var first = Configuration(state: 0)
    if machine.kind == .pushdown {
      first.left = node(Machine.bottom, 0)
    } else {
      for symbol in word.dropFirst().reversed() { first.right = cell(symbol, first.right) }
      first.cell = word.first ?? Machine.blank
    }
    for (index, state) in machine.states.enumerated() where state.isInitial {
      hasBranched = hasBranched || !configurations.isEmpty
      first.state = index
      add(first, parent: -1, transition: -1, depth: 0)
    }
    var next = 0
    while next < configurations.count, goal == nil {
      expand(next)
      next += 1
    }
  }

  private mutating func expand(_ index: Int) {
    let now = configurations[index]
    var isFirst = true
    for way in ways[now.state] {
      guard nodes.count < Self.maximumNodes else {
        reached = "\(Self.text(Self.maximumNodes)) symbols on all stacks or tapes"
        return
      }
      guard let then = applied(way, to: now) else { continue }
      if !isFirst { hasBranched = true }
      isFirst = false
      guard depths[index] < limits.steps else {
        reached = Self.counted(limits.steps, "step")
        return
      }
      guard size(of: then) <= limits.cells + (machine.kind == .turing ? word.count : 0) else {
        reached =
          machine.kind == .turing
          ? "\(Self.text(limits.cells)) cells of the tape beside the word"
          : "\(Self.text(limits.cells)) symbols on the stack"
        continue
      }
      guard known[then] == nil else {
        hasRepeated = true
        continue
      }
      guard configurations.count < limits.configurations else {
        reached = Self.counted(limits.configurations, "configuration")
        return
      }
      add(then, parent: index, transition: way.transition, depth: depths[index] + 1)
      if goal != nil { return }
    }
  }

  private mutating func add(_ new: Configuration, parent: Int, transition: Int, depth: Int) {
    known[new] = configurations.count
    if accepts(new) { goal = goal ?? configurations.count }
    configurations.append(new)
    parents.append((parent, transition))
    depths.append(depth)
  }

  private func accepts(_ now: Configuration) -> Bool {
    let isFinal = machine.states[now.state].isFinal
    guard machine.kind == .pushdown else { return isFinal }
    guard now.position == word.count else { return false }
    return switch machine.acceptance {
    case .finalState: isFinal
    case .emptyStack: now.left == 0
    case .either: isFinal || now.left == 0
    }
  }

  private mutating func applied(_ way: Way, to now: Configuration) -> Configuration? {
    var then = now
    then.state = way.end
    switch way.rule {
    case .read, .write: return nil
    case .stack(let read, let pop, let push):
      guard word[now.position...].starts(with: read) else { return nil }
      then.position += read.count
      for symbol in pop {
        guard then.left != 0, nodes[then.left].symbol == symbol else { return nil }
        then.left = nodes[then.left].below
      }
      for symbol in push.reversed() { then.left = node(symbol, then.left) }
    case .tape(let read, let write, let move):
      guard now.cell == read else { return nil }
      then.cell = write
      switch move {
      case .stay: break
      case .right:
        then.left = cell(write, now.left)
        (then.cell, then.right) = (nodes[now.right].symbol, nodes[now.right].below)
      case .left:
        then.right = cell(write, now.right)
        (then.cell, then.left) = (nodes[now.left].symbol, nodes[now.left].below)
      }
    }
    return then
  }

  private func size(of configuration: Configuration) -> Int {
    heights[configuration.left] + heights[configuration.right]
  }

  /// Returns a stack with `symbol` on top of another one.
  private mutating func node(_ symbol: Character, _ below: Int) -> Int {
    let node = Node(symbol: symbol, below: below)
    if let number = numbers[node] { return number }
    numbers[node] = nodes.count
    nodes.append(node)
    heights.append(heights[below] + 1)
    return nodes.count - 1
  }

  /// Returns a side of the tape with another cell; the blank cells at its end do not count.
  private mutating func cell(_ symbol: Character, _ below: Int) -> Int {
    symbol == Machine.blank && below == 0 ? 0 : node(symbol, below)
  }

  /// The symbols of a stack from its top.
  private func text(_ number: Int) -> String {
    var symbols: [Character] = []
    var number = number
    while number != 0 {
      symbols.append(nodes[number].symbol)
      number = nodes[number].below
    }
    return String(symbols)
  }

  func step(_ index: Int) -> Machine.Step {
    let now = configurations[index]
    let transition = parents[index].transition
    var step = Machine.Step(
      transition: transition < 0 ? nil : machine.transitions[transition].id,
      state: machine.states[now.state].id, position: now.position)
    if machine.kind == .pushdown {
      step.stack = text(now.left)
    } else {
      step.tape = Machine.Tape(
        left: String(text(now.left).reversed()), head: now.cell, right: text(now.right))
    }
    return step
  }

  /// The configurations of the accepting way, or of the one that reads furthest and is longest.
  var way: [Int] {
    let furthest = configurations.indices.max {
      (configurations[$0].position, $0) < (configurations[$1].position, $1)
    }
    var way: [Int] = []
    var index = goal ?? furthest ?? -1
    while index >= 0 {
      way.append(index)
      index = parents[index].configuration
    }
    return way.reversed()
  }

  var outcome: Machine.Outcome {
    if goal != nil { return .accepted }
    if let reached { return .undecided(reached) }
    guard !hasBranched else {
      return .rejected(
        "none of the \(Self.counted(configurations.count, "configuration")) that it can reach accepts"
      )
    }
    let last = configurations[configurations.count - 1]
    let name = machine.name(of: machine.states[last.state].id)
    if hasRepeated { return .rejected("it repeats a configuration in \(name) and never ends") }
    if machine.kind == .turing {
      return .rejected("it halts in \(name), which is not final, with \(last.cell) under the head")
    }
    guard last.position < word.count else {
      let top = "\(nodes[last.left].symbol) on the stack"
      return switch machine.acceptance {
      case .finalState: .rejected("it ends in \(name), which is not final")
      case .emptyStack: .rejected("it ends in \(name) with \(top)")
      case .either: .rejected("it ends in \(name), which is not final, with \(top)")
      }
    }
    let top = last.left == 0 ? "an empty stack" : "\(nodes[last.left].symbol) on the stack"
    return .rejected(
      "it stops in \(name) at symbol \(last.position + 1), \(word[last.position]), with \(top)")
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(text(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  /// Returns a number with commas between thousands.
  private static func text(_ count: Int) -> String {
    var text = ""
    for (index, digit) in String(count).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}
