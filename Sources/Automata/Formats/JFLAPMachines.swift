import XMLTree

/// What JFLAP's files have for machines beyond finite automata: outputs, stacks and tapes.
enum JFLAPMachines {
  /// The types of files, the one that is written first.
  static let types: [(names: [String], kind: Machine.Kind)] = [
    (["moore"], .moore), (["mealy"], .mealy), (["pda"], .pushdown),
    // JFLAP 7.1 calls a Turing machine so in whose states other machines can be.
    (["turing", "turingbb"], .turing),
  ]

  /// Returns the names of the elements in a file of a Turing machine that contain a machine, at any depth.
  ///
  /// As in JFLAP, the content of a state is the first element with the name in its `tag`.
  static func contents(of root: XMLElementTree) -> Set<String> {
    var known: Set<String> = []
    var filled: Set<String> = []
    /// Returns whether a part of a machine is in the element.
    func visit(_ element: XMLElementTree) -> Bool {
      let isNew = known.insert(element.name).inserted
      var hasParts = false
      for child in element.children {
        let isPart = ["block", "state", "transition"].contains(child.name)
        if visit(child) || isPart { hasParts = true }
      }
      if isNew, hasParts { filled.insert(element.name) }
      return hasParts
    }
    for child in root.children { _ = visit(child) }
    return filled
  }

  /// Throws if a state of a Turing machine contains a machine; `contents` are those of the file.
  ///
  /// - Throws: `AutomatonError` with the name of the state.
  static func check(
    _ state: XMLElementTree, _ contents: Set<String>, _ file: XMLFile
  ) throws(AutomatonError) {
    guard let tag = state.children(named: "tag").first?.trimmedText, contents.contains(tag) else {
      return
    }
    throw file.refusal(
      state,
      "a Turing machine without building blocks, which are not run (draw the states of the block in "
        + "the machine itself)",
      "the block `\(state.attributes["name"] ?? tag)` with a machine in it")
  }

  /// Returns the name of a state of a Moore machine, with its output.
  ///
  /// - Throws: `AutomatonError` for an output with a slash, because the last one starts the output.
  static func name(
    _ name: String, of state: XMLElementTree
  ) throws(AutomatonError) -> String {
    let output = state.children(named: "output").first?.text.filter { !$0.isWhitespace }
    guard output?.contains("/") != true else {
      throw AutomatonError(at: "state", expected: "an output without /", found: "`\(output ?? "")`")
    }
    // Otherwise a slash in the name would start an output.
    guard output != nil || name.contains("/") else { return name }
    return MooreName(name, output: output ?? "").text
  }

  /// Returns the rule of a transition.
  ///
  /// - Throws: `AutomatonError` if it is not a rule of this kind, or cannot be written as a label.
  static func rule(
    of element: XMLElementTree, _ kind: Machine.Kind
  ) throws(AutomatonError) -> MachineRule {
    let rule = try content(of: element, kind)
    let again = try MachineRule.rules(rule.text, of: kind)
    guard again == [rule] else {
      throw AutomatonError(
        at: "transition", expected: "symbols that stand alone", found: "`\(rule.text)`")
    }
    return rule
  }

  private static func content(
    of element: XMLElementTree, _ kind: Machine.Kind
  ) throws(AutomatonError) -> MachineRule {
    func text(_ name: String) throws(AutomatonError) -> String {
      let all = element.children(named: name)
      guard all.count <= 1, all.allSatisfy({ $0.attributes["tape"] ?? "1" == "1" }) else {
        throw AutomatonError(at: "transition", expected: "one tape", found: "several")
      }
      return all.first?.text ?? ""
    }
    func symbol(_ name: String) throws(AutomatonError) -> Character {
      let label = try text(name)
      guard label.count == 1, let symbol = label.first else {
        throw AutomatonError(
          at: "transition",
          expected: "one symbol in `\(name)`, because \(kind.noun) reads one in a step",
          found: label.isEmpty ? "none" : "`\(label)`")
      }
      return symbol
    }
    func cell(_ name: String) throws(AutomatonError) -> Character {
      let label = try text(name)
      if label.isEmpty || label == String(Machine.blank) { return Machine.blank }
      guard label.count == 1, let symbol = label.first, symbol != "~" else {
        throw AutomatonError(
          at: "transition",
          expected: "one symbol in `\(name)` (the patterns !a, ~ and a,b}x of JFLAP are not read)",
          found: "`\(label)`")
      }
      return symbol
    }
    switch kind {
    case .moore: return .read(try symbol("read"))
    case .mealy: return .write(try symbol("read"), try text("transout"))
    case .pushdown:
      return .stack(read: try text("read"), pop: try text("pop"), push: try text("push"))
    case .turing:
      if element.attributes["block"] == "true" {
        // A transition between blocks neither writes nor moves.
        let symbol = try cell("read")
        return .tape(symbol, symbol, .stay)
      }
      // JFLAP moves to the right if the file does not say where to.
      let move = element.children(named: "move").isEmpty ? "R" : try text("move")
      guard let move = MachineRule.Move(rawValue: move) else {
        throw AutomatonError(
          at: "transition", expected: "a move: L, R or S",
          found: move.isEmpty ? "none" : "`\(move)`")
      }
      return .tape(try cell("read"), try cell("write"), move)
    }
  }

  /// Returns the elements of a rule and their contents.
  static func elements(of rule: MachineRule) -> [(name: String, content: String)] {
    func text(_ cell: Character) -> String { cell == Machine.blank ? "" : String(cell) }
    return switch rule {
    case .read(let symbol): [("read", String(symbol))]
    case .write(let symbol, let output): [("read", String(symbol)), ("transout", output)]
    case .stack(let read, let pop, let push): [("read", read), ("pop", pop), ("push", push)]
    case .tape(let read, let write, let move):
      [("read", text(read)), ("write", text(write)), ("move", move.rawValue)]
    }
  }
}
