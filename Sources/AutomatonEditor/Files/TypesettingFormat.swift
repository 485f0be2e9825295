/// A language in which documents and web pages describe pictures.
public enum TypesettingFormat: String, Hashable, Sendable, CaseIterable {
  /// LaTeX with TikZ.
  case tikz = "tex"
  /// Mermaid, as in Markdown.
  case mermaid = "mmd"

  /// The extension of file names.
  public var ending: String { rawValue }

  /// Creates the language that the ending of `path` names, or `nil` if it names none.
  public init?(path: String) {
    let path = path.lowercased()
    guard let form = Self.allCases.first(where: { path.hasSuffix(".\($0.ending)") }) else {
      return nil
    }
    self = form
  }

  /// The name of the language for people.
  public var title: String {
    switch self {
    case .tikz: "LaTeX, TikZ"
    case .mermaid: "Mermaid"
    }
  }

  /// Returns `document` in this language.
  public func text(of document: Document) -> String {
    switch self {
    case .tikz: document.tikz
    case .mermaid: document.automaton.mermaid(of: document.kind)
    }
  }
}
