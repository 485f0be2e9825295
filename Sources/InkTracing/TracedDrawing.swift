import Foundation
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
  /// The angle by which the lines of the paper are turned clockwise, in radians; `nil` if it has none.
  public var rotation: Double?
  /// What a person should know about the picture.
  public var remarks: [Remark]

  /// What a person should know about a picture.
  public enum Remark: Hashable, Sendable {
    /// The file is damaged or ends early.
    case damaged
    /// There is no ink.
    case noInk
    /// The picture was not taken straight.
    case turned(degrees: Double)

    /// The remark in one sentence.
    public var message: String {
      switch self {
      case .damaged: "the file is damaged or ends early; only what is there was traced"
      case .noInk: "there is no ink in this picture: nothing stands out from its surroundings"
      case .turned(let degrees):
        "the paper is turned by \(Int(abs(degrees).rounded()))° "
          + (degrees > 0 ? "clockwise" : "anticlockwise")
      }
    }
  }

  /// The drawing with the lines of the paper upright, turned around the middle of the picture.
  public var uprightDrawing: Drawing {
    guard let rotation, abs(rotation) > Tracer.straight else { return drawing }
    let (sine, cosine) = (sin(-rotation), cos(-rotation))
    let (middleX, middleY) = (Double(width) / 2, Double(height) / 2)
    return drawing.mapPoints { _, point in
      let (x, y) = (point.x - middleX, point.y - middleY)
      return Point(middleX + x * cosine - y * sine, middleY + x * sine + y * cosine)
    }
  }

  /// The drawing as a recording, with the size of the picture, the widths and the greys of its strokes
  /// as attributes.
  public var recording: Recording {
    func list(_ numbers: [Double]) -> Recording.Attribute {
      .list(numbers.map { .number(($0 * 10).rounded() / 10) })
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
