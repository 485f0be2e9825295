import InkSeries

/// A mapping of labels during import.
public struct LabelMap: Hashable, Sendable {
  /// The treatment of labels that are not in the map.
  public enum Unnamed: String, Sendable, CaseIterable {
    /// They are kept.
    case keep
    /// Their examples are left out.
    case drop
    /// They become `other`.
    case other
  }

  /// The new label of each old label.
  public var names: [String: String]
  /// The labels whose examples are left out.
  public var dropped: Set<String>
  /// The treatment of all other labels.
  public var unnamed: Unnamed

  /// Creates a map.
  public init(
    _ names: [String: String] = [:], dropped: Set<String> = [], unnamed: Unnamed = .keep
  ) {
    self.names = names
    self.dropped = dropped
    self.unnamed = unnamed
  }

  /// Returns the new label, or `nil` if the example is left out.
  public func apply(to label: String) -> String? {
    if dropped.contains(label) { return nil }
    if let name = names[label] { return name }
    switch unnamed {
    case .keep: return label
    case .drop: return nil
    case .other: return "other"
    }
  }

  /// Returns the spans with their new labels, without those that are left out.
  ///
  /// Neighbours that get the same label become one span.
  func apply(to spans: [Span]) -> [Span] {
    spans.reduce(into: []) { result, span in
      guard let label = apply(to: span.label) else { return }
      if label != span.label, let last = result.last, last.label == label,
        last.range.upperBound == span.range.lowerBound
      {
        result[result.count - 1].range = last.range.lowerBound..<span.range.upperBound
      } else {
        result.append(Span(span.range, label: label))
      }
    }
  }

  /// Returns the labels of the map that are not in `labels`, in alphabetical order.
  public func unknownLabels(among labels: some Sequence<String>) -> [String] {
    dropped.union(names.keys).subtracting(labels).sorted()
  }
}
