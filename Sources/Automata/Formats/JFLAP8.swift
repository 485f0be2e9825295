import XMLTree

/// The files of JFLAP 8: nested elements `structure`, each with a type.
enum JFLAP8 {
  /// Reads a finite automaton.
  ///
  /// - Throws: `AutomatonError` for any other machine.
  static func read(
    _ root: XMLElementTree, of file: XMLFile
  ) throws(AutomatonError) -> PlacedAutomaton {
    let structures = descendants(of: root).filter { $0.name == "structure" }
    guard let fsa = structures.first(where: { $0.attributes["type"] == "fsa" }) else {
      // The innermost structures are the parts of a machine.
      let types = structures.compactMap { structure in
        structure.children.contains { $0.name == "structure" }
          ? structure.attributes["type"] : nil
      }
      throw file.refusal(
        root,
        "a finite automaton (of JFLAP 8's files, no other machine is read; save it with JFLAP 7)",
        "type \((types.last ?? root.attributes["type"]) ?? "")")
    }
    func part(_ type: String) -> [XMLElementTree] {
      fsa.children.first { $0.attributes["type"] == type }?.children ?? []
    }
    var builder = AutomatonBuilder(file: file.name)
    func state(_ element: XMLElementTree) throws(AutomatonError) -> String {
      guard let id = element.children(named: "id").first?.trimmedText, !id.isEmpty else {
        throw file.refusal(element, "a state with an id", "none")
      }
      guard builder.contains(id) else { throw file.refusal(element, "a state `\(id)`", "none") }
      return id
    }
    func givenName(of element: XMLElementTree) -> String {
      element.children(named: "name").first?.text ?? ""
    }
    var taken = Set(part("state_set").map(givenName))
    for element in part("state_set") {
      let id = element.children(named: "id").first?.trimmedText ?? ""
      guard !id.isEmpty, !builder.contains(id) else {
        throw file.refusal(
          element, "a state with a unique id", id.isEmpty ? "none" : "`\(id)` again")
      }
      var name = givenName(of: element)
      if name.isEmpty { name = Automaton.freeName("q\(id)", besides: &taken) }
      builder.state(id) { [name] in $0.name = name }
    }
    guard !builder.isEmpty else { throw file.refusal(fsa, "a state", "none") }
    for element in part("start_state") {
      builder.state(try state(element)) { $0.isInitial = true }
    }
    for element in part("final_states") {
      builder.state(try state(element)) { $0.isFinal = true }
    }
    builder.alphabet = part("input_alph").map(\.text).filter { !$0.isEmpty }
    for element in part("transition_set") {
      guard let from = element.children(named: "from").first,
        let to = element.children(named: "to").first
      else {
        throw file.refusal(element, "a transition with `from` and `to`", "one that lacks them")
      }
      let label = element.children(named: "input").first?.text ?? ""
      if label.count > 1 { builder.labelSyntax = .jflap }
      builder.transition(
        try state(from), try state(to), symbol: label.isEmpty ? nil : label)
    }
    var drawn = PlacedAutomaton(automaton: try builder.automaton())
    try drawn.automaton.checkLabels(at: file.name)
    for element in descendants(of: root) where element.name == "state_point" {
      guard let id = element.children(named: "state").first?.trimmedText,
        let point = element.children(named: "point").first
      else { continue }
      drawn.places[id] = try file.place(of: point)
    }
    return drawn
  }

  /// Returns an element and all elements below it, in the order of the file.
  private static func descendants(of element: XMLElementTree) -> [XMLElementTree] {
    [element] + element.children.flatMap(descendants)
  }
}
