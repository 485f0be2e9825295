import Ink
import InkDiagram
import InkRaster

/// The ink that was traced in a picture.
package struct TracedDrawing: Hashable, Sendable, DiagramPicture {
  /// What is known of a stroke besides its points.
  package struct Trace: Hashable, Sendable {
    /// The width of the ink, in pixels of the picture.
    package var width: Double
    /// The brightness of the ink, from 0 for black to 255.
    package var grey: UInt8
  }

  /// The strokes, without times, in pixels of the picture.
  package var drawing: Drawing
  /// What is known of each stroke.
  package var traces: [Trace]
  /// The number of columns of the picture.
  package var width: Int
  /// The number of rows of the picture.
  package var height: Int
  /// The usual width of the ink, in pixels of the picture; 0 if there is none.
  package var penWidth: Double
  /// The angle by which the lines of the paper are turned clockwise, in radians; `nil` if it has none.
  package var rotation: Double?
  /// The quarter turns clockwise from the picture to the upright drawing, besides ``rotation``.
  package private(set) var quarterTurns = 0
  /// What a person should know about the picture.
  package var remarks: [Remark]
  /// The pixels of the ink.
  var pixels: TracedPixels?
  /// The picture in grey; a large one is smaller here.
  package let page: Bitmap

  /// What a person should know about a picture.
  package enum Remark: Hashable, Sendable {
    /// The file is damaged or ends early.
    case damaged
    /// There is no ink.
    case noInk
    /// The picture was not taken straight.
    case turned(degrees: Double)
    /// The writing is upright after quarter turns clockwise.
    case lying(quarters: Int)
    /// Pale straight lines are not among the strokes.
    case printed(lines: Int)
    /// The lines are so thin that some may have been lost; the picture is small.
    case thin

    /// The remark in one sentence.
    package var message: String {
      switch self {
      case .damaged: "the file is damaged or ends early; only what is there was traced"
      case .noInk: "there is no ink in this picture: nothing stands out from its surroundings"
      case .turned(let degrees):
        "the paper is turned by \(Int(abs(degrees).rounded()))° "
          + (degrees > 0 ? "clockwise" : "anticlockwise")
      case .lying(let quarters):
        "the picture lies: its writing is upright when it is turned by "
          + (quarters == 3 ? "90° anticlockwise" : "\(90 * quarters)° clockwise")
      case .printed(let lines):
        "\(lines) pale straight lines were taken for lines of the paper"
      case .thin:
        "the lines are thin, so that some may be lost: a picture with more pixels is read better"
      }
    }
  }

  /// The drawing with the lines of the paper, or the writing, upright, turned around the middle of the picture.
  package var uprightDrawing: Drawing {
    turn == 0 ? drawing : drawing.transformed(by: uprightTransform)
  }

  /// Returns what was traced with the upright drawing turned clockwise by quarter turns from what it was.
  package func turned(byQuarters quarters: Int) -> TracedDrawing {
    var turned = self
    turned.quarterTurns = (quarterTurns + quarters) & 3
    turned.remarks.removeAll { if case .lying = $0 { true } else { false } }
    if turned.quarterTurns > 0 { turned.remarks.append(.lying(quarters: turned.quarterTurns)) }
    return turned
  }

  /// The map from the picture to the upright drawing.
  package var uprightTransform: Transform { turned(by: -turn) }

  /// The map from the upright drawing back to the picture.
  package var pictureTransform: Transform { turned(by: turn) }

  /// Cuts ink out of the picture: writing is read better from such a strip than from its traced strokes.
  package func strip(
    ofCells cells: [Vector], besides others: [Vector], cellSize: Double, turnedBy angle: Double
  ) -> Bitmap? {
    func dots(_ places: [Vector]) -> [Stroke] {
      places.map { Stroke(through: [pictureTransform.apply(to: $0)]) }
    }
    return pixels?.strip(
      of: dots(cells), besides: dots(others), border: 0.75 * cellSize, reach: 1.5 * cellSize,
      turnedBy: angle - turn)
  }

  /// The size of a pixel of ``page`` in pixels of the picture.
  private var pageScale: Double {
    Double(max(width, height)) / Double(max(page.width, page.height))
  }

  /// Returns the place in the upright drawing of a place of ``page``.
  package func drawingPlace(ofPixel pixel: Vector) -> Vector {
    uprightTransform.apply(to: pixel * pageScale)
  }

  /// Returns the place of ``page`` of a place in the upright drawing.
  package func pixel(at place: Vector) -> Vector {
    pictureTransform.apply(to: place) * (1 / pageScale)
  }

  /// The angle by which the picture is turned clockwise, in radians; 0 if nobody would see it.
  private var turn: Double {
    let quarters = -Double(quarterTurns) * .pi / 2
    guard let rotation, abs(rotation) > Tracer.straight else { return quarters }
    return rotation + quarters
  }

  private func turned(by angle: Double) -> Transform {
    Transform.rotation(angle).about(Point(Double(width) / 2, Double(height) / 2))
  }

  /// The drawing as a recording, with the size of the picture, the widths and the greys of its strokes
  /// as attributes.
  package var recording: Recording {
    func list(_ numbers: [Double]) -> JSONValue {
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
