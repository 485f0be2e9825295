import Ink

/// The ink that was traced in a picture.
public struct TracedDrawing: Hashable, Sendable {
  /// What is known of a stroke besides its points.
  public struct Trace: Hashable, Sendable {
    /// The width of the ink, in pixels of the picture.
    public var width: Double
    /// The brightness of the ink, from 0 for black to 255.
    public var grey: UInt8
  }

  /// The strokes, without times, in pixels of the picture.
  public var drawing: Drawing
  /// What is known of each stroke.
  public var traces: [Trace]
  /// The number of columns of the picture.
  public var width: Int
  /// The number of rows of the picture.
  public var height: Int
  /// The usual width of the ink, in pixels of the picture; 0 if there is none.
  public var penWidth: Double
  /// Whether the ink is lighter than what it is on.
  public var isLightOnDark: Bool
  /// What a person should know about the picture.
  public var remarks: [Remark]

  /// What a person should know about a picture.
  public enum Remark: Hashable, Sendable {
    /// The file is damaged or ends early.
    case damaged
    /// There is no ink.
    case noInk

    /// The remark in one sentence.
    public var message: String {
      switch self {
      case .damaged: "the file is damaged or ends early; only what is there was traced"
      case .noInk: "there is no ink in this picture: nothing stands out from its surroundings"
      }
    }
  }

  /// The drawing as a recording, with the size of the picture, the widths and the greys of its strokes
  /// as attributes.
  public var recording: Recording {
    func list(_ numbers: [Double]) -> Recording.Attribute {
      .text(numbers.map { String(($0 * 10).rounded() / 10) }.joined(separator: " "))
    }
    return Recording(
      drawing,
      attributes: [
        "pictureWidth": .number(Double(width)), "pictureHeight": .number(Double(height)),
        "penWidth": .number(penWidth), "widths": list(traces.map(\.width)),
        "greys": list(traces.map { Double($0.grey) }),
      ])
  }
}
