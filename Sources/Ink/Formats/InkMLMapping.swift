import XMLTree

/// The mappings of InkML (section 5): identities and affine maps; tables and formulas are not read.
struct InkMLMapping {
  /// Everything that can be referred to, by its id.
  let elements: [String: XMLElementTree]

  /// The maximum number of mappings that refer to each other.
  private static let longestChain = 100

  /// Returns the map of the coordinates, or `nil` if `mapping` is no usable one.
  ///
  /// `channels` are those of the trace, to which the columns of a matrix without bindings belong.
  func transform(_ mapping: XMLElementTree, channels: [String]) -> Transform? {
    var mapping = mapping
    for _ in 0..<Self.longestChain {
      guard let reference = mapping.attributes["mappingRef"] else {
        return transform(ofWhole: mapping, channels: channels)
      }
      guard let target = elements[reference.fragment], target.name == "mapping" else { return nil }
      mapping = target
    }
    return nil
  }

  private func transform(ofWhole mapping: XMLElementTree, channels: [String]) -> Transform? {
    switch mapping.attributes["type"] {
    case "identity": return .identity
    case "affine":
      return Self.affine(mapping, channels: channels, of: .identity).flatMap(Self.usable)
    case "product":
      var result = Transform.identity
      for part in mapping.children(named: "mapping") {
        switch part.attributes["type"] {
        case "identity": continue
        case "affine":
          guard let next = Self.affine(part, channels: channels, of: result) else { return nil }
          result = next
        default: return nil
        }
      }
      return Self.usable(result)
    default: return nil
    }
  }

  /// The factor and the summand of a mapping of one channel, or `nil` if it is no usable one.
  static func line(_ mapping: XMLElementTree) -> (scale: Double, offset: Double)? {
    switch mapping.attributes["type"] {
    case "identity": return (1, 0)
    case "affine":
      guard let row = rows(of: mapping)?.first, (1...2).contains(row.count), row[0] != 0 else {
        return nil
      }
      return (row[0], row.count > 1 ? row[1] : 0)
    default: return nil
    }
  }

  /// A map that keeps the drawing a plane.
  private static func usable(_ transform: Transform) -> Transform? {
    let area = transform.a * transform.d - transform.b * transform.c
    return area != 0 && area.isFinite ? transform : nil
  }

  /// The rows of the matrix, one for each target, with the translation at the end.
  private static func rows(of mapping: XMLElementTree) -> [[Double]]? {
    guard let text = mapping.children(named: "affine").first?.text else { return nil }
    var rows: [[Double]] = []
    for line in text.split(separator: ",") {
      let words = line.split(whereSeparator: \.isWhitespace)
      let numbers = words.compactMap { Double($0) }.filter(\.isFinite)
      guard numbers.count == words.count else { return nil }
      if !numbers.isEmpty { rows.append(numbers) }
    }
    return rows.isEmpty ? nil : rows
  }

  /// Returns `transform` with the rows of an affine mapping in place of its own.
  private static func affine(
    _ mapping: XMLElementTree, channels: [String], of transform: Transform
  ) -> Transform? {
    guard let rows = rows(of: mapping) else { return nil }
    let binds = mapping.children(named: "bind")
    var sources = binds.compactMap { $0.attributes["source"] }
    var targets = binds.compactMap { $0.attributes["target"] }
    if sources.isEmpty { sources = rows[0].count <= 3 ? ["X", "Y"] : channels }
    if targets.isEmpty { targets = rows.count <= 2 ? ["X", "Y"] : channels }
    guard rows.count == targets.count else { return nil }
    var result = transform
    for (target, row) in zip(targets, rows) where ["X", "Y"].contains(target) {
      guard row.count == sources.count || row.count == sources.count + 1 else { return nil }
      var factors = ["X": 0.0, "Y": 0.0]
      for (source, factor) in zip(sources, row) where factor != 0 {
        // Pressure or tilt do not move a point.
        guard factors[source] != nil else { return nil }
        factors[source] = factor
      }
      let offset = row.count > sources.count ? row[sources.count] : 0
      if target == "X" {
        (result.a, result.c, result.tx) = (factors["X"]!, factors["Y"]!, offset)
      } else {
        (result.b, result.d, result.ty) = (factors["X"]!, factors["Y"]!, offset)
      }
    }
    return result
  }
}
