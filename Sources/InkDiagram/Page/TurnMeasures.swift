import Ink
import InkRaster

/// How a page looks at each quarter turn, for fitting the weights by which the turn is chosen
/// (``PageNumbers/turnLegibility``).
package struct TurnMeasures: Encodable, Sendable {
  /// A page after some quarter turns.
  struct Turn: Encodable {
    /// How its writing looks; absent where there is hardly any.
    let writing: DiagramRecognizer.Uprightness?
    /// How sure the network is of what it sees.
    let sureness: Double
  }

  /// The name of the picture.
  let picture: String
  /// The page after 0 to 3 quarter turns clockwise; none if there is no ink.
  let turns: [Turn]

  /// Measures a picture as `recognizer` sees it.
  ///
  /// - Parameter picture: The picture, or `nil` for one without ink.
  package init(
    of picture: (some DiagramPicture)?, named name: String, with recognizer: DiagramRecognizer
  ) {
    self.picture = name
    guard let picture, !picture.uprightDrawing.traces.isEmpty else {
      turns = []
      return
    }
    let seen = recognizer.see(picture.page, workers: 1)
    turns = zip(
      recognizer.uprightness(of: picture, seen: seen.page, workers: 1), seen.sureness
    ).map(Turn.init)
  }
}
