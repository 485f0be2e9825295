/// Which label becomes which when data are imported.
public struct LabelMap: Hashable, Sendable {
  /// What happens to a label that the map does not name.
  public enum Unnamed: String, Sendable, CaseIterable {
    /// It stays as it is.
    case keep
    /// Its examples are left out.
    case drop
    /// It becomes `other`.
    case other
  }

  /// The new label of each named one.
  public var names: [String: String]
  /// The labels whose examples are left out in any case.
  public var dropped: Set<String>
  /// What happens to the others.
  public var unnamed: Unnamed

  /// Makes a map.
  public init(
    _ names: [String: String] = [:], dropped: Set<String> = [], unnamed: Unnamed = .keep
  ) {
    self.names = names
    self.dropped = dropped
    self.unnamed = unnamed
  }

  /// The new label, or `nil` where the example is to be left out.
  public func apply(to label: String) -> String? {
    if dropped.contains(label) { return nil }
    if let name = names[label] { return name }
    switch unnamed {
    case .keep: return label
    case .drop: return nil
    case .other: return "other"
    }
  }

  /// The labels that it names and that are not among `labels`, in alphabetical order.
  public func unknownLabels(among labels: some Sequence<String>) -> [String] {
    dropped.union(names.keys).subtracting(labels).sorted()
  }
}
