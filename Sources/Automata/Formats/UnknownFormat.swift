/// Text of other programs that no reader knows.
enum UnknownFormat {
  /// The starts of files, and the names of their formats.
  private static let starts = [
    ("HOA:", "HOA (Hanoi omega-automata)"), ("<?xml", "XML"), ("<", "XML or HTML"),
    ("{\\rtf", "rich text"), ("%PDF", "PDF"), ("PK\u{3}", "a ZIP file"), ("never {", "Promela"),
    ("never{", "Promela"), ("graph ", "a graph without directions or a flowchart"),
    ("flowchart", "a flowchart"), ("@startuml", "PlantUML"), ("\\documentclass", "LaTeX"),
    ("\\begin", "LaTeX"), ("#!", "a script"), ("#include", "a program"), ("\\newcommand", "LaTeX"),
    ("digraph", "DOT (name it .dot)"),
    ("strict ", "DOT (name it .dot)"), ("stateDiagram", "Mermaid (name it .mmd)"),
  ]

  /// Throws if the text is not a table, but a format by its first characters.
  static func refuse(_ text: String, file: String) throws(AutomatonError) {
    var place = TextPlace(line: 1, column: 1)
    var rest = text[...]
    if rest.first == "\u{FEFF}" { rest.removeFirst() }
    while let character = rest.first, character.isWhitespace {
      place.line += character.isNewline ? 1 : 0
      rest.removeFirst()
    }
    guard let form = starts.first(where: { rest.hasPrefix($0.0) }),
      !rest.prefix(while: { !$0.isNewline }).contains(where: { "|,;\t".contains($0) })
        || form.0 == "<?xml" || form.0 == "HOA:"
    else { return }
    throw AutomatonError(
      file, place, expected: "a transition table, or the name of another format with --from",
      found: form.1)
  }
}
