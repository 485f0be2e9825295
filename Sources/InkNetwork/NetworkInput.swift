/// A named value that goes into a network, one an example.
public struct NetworkInput: Hashable, Sendable {
  /// What an input is made of.
  public enum Form: Hashable, Sendable {
    /// A picture: `[channels, height, width]`.
    case image(channels: Int, height: Int, width: Extent)
    /// A picture of any height and width within bounds: `[channels, height, width]`.
    case page(channels: Int, heights: ClosedRange<Int>, widths: ClosedRange<Int>)
    /// Values over time: `[length, channels]`.
    case series(channels: Int, length: Extent)
    /// `[count]`.
    case vector(count: Int)
  }

  /// The length of an axis.
  public enum Extent: Hashable, Sendable {
    /// The same for all examples.
    case fixed(Int)
    /// That of each example, within these bounds.
    case variable(ClosedRange<Int>)

    /// The shortest and the longest.
    public var bounds: ClosedRange<Int> {
      switch self {
      case .fixed(let length): length...length
      case .variable(let bounds): bounds
      }
    }
  }

  /// What it is called.
  public let name: String
  /// What it is made of.
  public let form: Form

  /// Makes an input.
  public init(name: String, form: Form) {
    self.name = name
    self.form = form
  }

  /// One grey picture of `size` × `size`.
  public static func picture(size: Int) -> NetworkInput {
    NetworkInput(name: "image", form: .image(channels: 1, height: size, width: .fixed(size)))
  }

  /// The values of a step of a series, or of a column of pictures of different widths; anything else is one
  /// step.
  package var valuesPerStep: Int {
    switch form {
    case .series(let channels, _): channels
    case .image(let channels, let height, .variable): channels * height
    case .image(let channels, let height, .fixed(let width)): channels * height * width
    case .page(let channels, let heights, let widths):
      channels * heights.upperBound * widths.upperBound
    case .vector(let count): count
    }
  }

  /// The allowed numbers of steps.
  package var stepBounds: ClosedRange<Int> {
    switch form {
    case .series(_, let length): length.bounds
    case .image(_, _, .variable(let width)): width
    case .image(_, _, .fixed), .page, .vector: 1...1
    }
  }

  /// The same input for pictures with at most `longest` columns.
  func limited(to longest: Int) -> NetworkInput {
    guard case .image(let channels, let height, .variable(let width)) = form else { return self }
    let most = min(width.upperBound, max(width.lowerBound, longest))
    return NetworkInput(
      name: name,
      form: .image(channels: channels, height: height, width: .variable(width.lowerBound...most)))
  }

  /// The same input for pictures of one size, where it reads pictures of many.
  func sized(height: Int, width: Int) -> NetworkInput {
    guard case .page(let channels, _, _) = form else { return self }
    return NetworkInput(
      name: name, form: .image(channels: channels, height: height, width: .fixed(width)))
  }

  /// The shape of the smallest example.
  var smallestShape: Shape {
    if case .page(let channels, let heights, let widths) = form {
      return .planes(
        channels: channels, height: heights.lowerBound, width: widths.lowerBound)
    }
    return shape(steps: stepBounds.lowerBound)
  }

  /// The shape of an example with `steps` steps; that of a page at its largest.
  func shape(steps: Int) -> Shape {
    switch form {
    case .series(let channels, _): .series(length: steps, channels: channels)
    case .image(let channels, let height, .variable):
      .planes(channels: channels, height: height, width: steps)
    case .image(let channels, let height, .fixed(let width)):
      .planes(channels: channels, height: height, width: width)
    case .page(let channels, let heights, let widths):
      .planes(channels: channels, height: heights.upperBound, width: widths.upperBound)
    case .vector(let count): .vector(count)
    }
  }

  /// Checks the lengths of the axes.
  func check() throws(ArchitectureError) {
    func refuse(_ expected: String, _ found: String) -> ArchitectureError {
      ArchitectureError(layer: nil, expected: expected, found: found)
    }
    guard !name.isEmpty else { throw refuse("inputs with names", "one without") }
    func check(
      _ what: String, _ lengths: ClosedRange<Int>, _ allowed: ClosedRange<Int>
    ) throws(ArchitectureError) {
      guard allowed.contains(lengths.lowerBound), allowed.contains(lengths.upperBound) else {
        let found =
          lengths.count == 1
          ? "\(lengths.lowerBound)" : "\(lengths.lowerBound) to \(lengths.upperBound)"
        throw refuse(
          "an input with \(what) of \(allowed.lowerBound) to \(allowed.upperBound)", found)
      }
    }
    switch form {
    case .image(let channels, let height, let width):
      try check("channels", channels...channels, 1...64)
      try check("a height", height...height, 4...1 << 12)
      try check("a width", width.bounds, 4...1 << 14)
    case .page(let channels, let heights, let widths):
      try check("channels", channels...channels, 1...64)
      try check("a height", heights, 4...1 << 12)
      try check("a width", widths, 4...1 << 12)
    case .series(let channels, let length):
      try check("channels", channels...channels, 1...4096)
      try check("a length", length.bounds, 1...1 << 20)
    case .vector(let count): try check("a count", count...count, 1...1 << 20)
    }
  }
}

/// `{"name": "image", "form": "image", "channels": 1, "height": 28, "width": 28}`; a length that varies
/// is `{"least": 8, "most": 512}`. A height that varies makes a page of an image.
extension NetworkInput: Codable {
  private enum CodingKeys: CodingKey {
    case name, form, channels, height, width, length, count
  }

  private enum Kind: String, Codable, CaseIterable {
    case image, series, vector
  }

  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError` where it is not that form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    switch try container.decode(Kind.self, forKey: .form) {
    case .image:
      let channels = try container.decode(Int.self, forKey: .channels)
      let width = try container.decode(Extent.self, forKey: .width)
      switch try container.decode(Extent.self, forKey: .height) {
      case .fixed(let height): form = .image(channels: channels, height: height, width: width)
      case .variable(let heights):
        form = .page(channels: channels, heights: heights, widths: width.bounds)
      }
    case .series:
      form = .series(
        channels: try container.decode(Int.self, forKey: .channels),
        length: try container.decode(Extent.self, forKey: .length))
    case .vector: form = .vector(count: try container.decode(Int.self, forKey: .count))
    }
  }

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    switch form {
    case .image(let channels, let height, let width):
      try container.encode(Kind.image, forKey: .form)
      try container.encode(channels, forKey: .channels)
      try container.encode(height, forKey: .height)
      try container.encode(width, forKey: .width)
    case .page(let channels, let heights, let widths):
      try container.encode(Kind.image, forKey: .form)
      try container.encode(channels, forKey: .channels)
      try container.encode(Extent.variable(heights), forKey: .height)
      try container.encode(Extent.variable(widths), forKey: .width)
    case .series(let channels, let length):
      try container.encode(Kind.series, forKey: .form)
      try container.encode(channels, forKey: .channels)
      try container.encode(length, forKey: .length)
    case .vector(let count):
      try container.encode(Kind.vector, forKey: .form)
      try container.encode(count, forKey: .count)
    }
  }
}

/// A number, or `{"least": …, "most": …}`.
extension NetworkInput.Extent: Codable {
  private enum CodingKeys: CodingKey {
    case least, most
  }

  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError` where it is not that form.
  public init(from decoder: any Decoder) throws {
    if let length = try? decoder.singleValueContainer().decode(Int.self) {
      self = .fixed(length)
      return
    }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let least = try container.decode(Int.self, forKey: .least)
    let most = try container.decode(Int.self, forKey: .most)
    guard least <= most else {
      throw DecodingError.dataCorruptedError(
        forKey: .most, in: container, debugDescription: "the most is less than the least")
    }
    self = .variable(least...most)
  }

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .fixed(let length):
      var container = encoder.singleValueContainer()
      try container.encode(length)
    case .variable(let bounds):
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(bounds.lowerBound, forKey: .least)
      try container.encode(bounds.upperBound, forKey: .most)
    }
  }
}
