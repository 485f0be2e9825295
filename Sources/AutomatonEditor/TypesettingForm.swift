/// A language in which documents and web pages describe pictures, and which can only be written.
public enum TypesettingForm: String, Hashable, Sendable, CaseIterable {
  /// LaTeX with TikZ.
  case tikz = "tex"
  /// Mermaid, as in Markdown.
  case mermaid = "mmd"

  /// The extension of file names.
  public var ending: String { rawValue }

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
    case .mermaid: document.automaton.mermaid
    }
  }
}
