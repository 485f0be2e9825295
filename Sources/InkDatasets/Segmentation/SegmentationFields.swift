/// The names of numbers that are known of some cells beside their class.
public struct SegmentationFieldNames: Hashable, Sendable, Codable {
  /// Fields that are known of the same cells.
  public struct Group: Hashable, Sendable, Codable {
    /// The name, such as `state`.
    public var name: String
    /// The names of the fields, in order.
    public var fields: [String]

    /// Creates a group.
    public init(name: String, fields: [String]) {
      (self.name, self.fields) = (name, fields)
    }
  }

  /// The groups, in order.
  public var groups: [Group]

  /// Creates names.
  public init(groups: [Group]) {
    self.groups = groups
  }

  /// No fields.
  public static let none = SegmentationFieldNames(groups: [])

  /// The names of all fields, in order.
  public var all: [String] { groups.flatMap(\.fields) }

  /// The number of fields.
  public var count: Int { groups.reduce(0) { $0 + $1.fields.count } }

  /// The fields of pages.
  ///
  /// Of the cells of a state's rings and of its inside, `centerX` and `centerY` are the way from the middle
  /// of the cell to the state's centre, in units of 32 px; `halfWidth` and `halfHeight` are the natural
  /// logarithms of the half sides of its upright frame in these units; `final` is 1 if it is final, otherwise
  /// 0. Of the cells of lines and heads, `towardsX` and `towardsY` are the unit vector along the arrow towards
  /// its tip.
  public static let pages = SegmentationFieldNames(groups: [
    Group(name: "state", fields: ["centerX", "centerY", "halfWidth", "halfHeight", "final"]),
    Group(name: "arrow", fields: ["towardsX", "towardsY"]),
  ])

  /// The pixels that a unit of lengths in ``pages`` has.
  public static let pageUnit = 32.0
}

/// The numbers that are known of the cells of a picture beside their classes.
public struct SegmentationFields: Hashable, Sendable {
  /// The names.
  public let names: SegmentationFieldNames
  /// The numbers of each cell, `[height, width, fields]`; 0 where they are not known.
  public var values: [Float]
  /// Whether those of a group are known, 1 or 0: `[height, width, groups]`.
  public var known: [UInt8]

  /// Creates fields of which nothing is known.
  public init(_ names: SegmentationFieldNames, cells: Int) {
    self.names = names
    values = [Float](repeating: 0, count: cells * names.count)
    known = [UInt8](repeating: 0, count: cells * names.groups.count)
  }
}
