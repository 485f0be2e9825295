import Foundation
import InkDatasets
import InkEvaluation
import InkRaster
import InkRecognizer

/// What the network for whole pages sees in a photograph, as the page shows it.
struct SeenPage: Encodable {
  /// A class of cells.
  struct Class: Encodable {
    var name: String
    /// Its colour, such as `#d62728`.
    var color: String
    /// Its share of the cells.
    var share: Double
  }

  /// The rows of cells.
  var rows: Int
  /// The columns of cells.
  var columns: Int
  /// The number of the class of each cell, `[rows, columns]`.
  var cells: Data
  /// The classes; the first one is that of cells where nothing is drawn.
  var classes: [Class]

  /// Looks at the PNG or JPEG in `data` with one core, so that the studio answers others meanwhile.
  ///
  /// - Throws: `StudioError` if it is neither, damaged or too large, or nobody waits for the answer any more.
  init(
    _ data: Data, by recognizer: PageRecognizer, _ cancellation: Cancellation
  ) throws(StudioError) {
    let picture: Bitmap
    do {
      picture = try recognizer.readPicture(data, path: "The photograph")
    } catch { throw StudioError("\(error).", .unprocessableContent) }
    try cancellation.check()
    let answers = recognizer.recognize(picture).cells
    (rows, columns, cells) = (answers.rows, answers.columns, Data(answers.classes))
    classes = zip(SegmentationClass.classes(of: recognizer.model), answers.shares).map {
      Class(name: $0.name, color: $0.hexColor, share: $1)
    }
  }
}
