import Foundation
import InkNetwork
import InkRaster

/// Classifies each cell of pictures of whole pages with one model.
///
/// It is deterministic, reads no files after its creation, and can be shared between threads.
public struct PageRecognizer: Sendable {
  /// The model that decides.
  public let model: Model
  private let network: CellNetwork
  private let preparation: PagePreparation

  /// The largest picture, in pixels.
  public static let maximumPixels = 50_000_000

  /// Makes a recogniser that decides with `model`; errors call it `name`.
  ///
  /// - Throws: `ModelError` where the model does not answer for each cell of a page.
  public init(model: Model, name: String = "model") throws(ModelError) {
    guard model.answersCells, let preparation = model.preprocessing.lazy.compactMap(\.page).first
    else {
      throw ModelError(
        path: name,
        problem:
          "the model does not answer for each cell of a page, as those that are trained with "
          + "--architecture page do")
    }
    self.model = model
    self.preparation = preparation
    network = CellNetwork(model.network)
  }

  /// Makes a recogniser with the model file at `path`.
  ///
  /// - Throws: `ModelError` where the file is not a model that answers for each cell of a page.
  public init(modelPath path: String) throws(ModelError) {
    try self.init(model: Model.read(path: path), name: path)
  }

  /// The longer side, in pixels, with which the network looks at larger pictures.
  public var longerSide: Int { preparation.longerSide }

  /// The rows and columns of pixels in a cell.
  public var cellSize: Int { network.cellSize }

  /// The picture that the network looks at: `bitmap` as it is, or smaller, or with its longer side of
  /// `longerSide` pixels where that is given.
  public func picture(of bitmap: Bitmap, longerSide: Int? = nil) -> Bitmap {
    longerSide.map { PagePreparation.scaled(bitmap, longerSide: $0) }
      ?? preparation.scaled(bitmap)
  }

  /// Classifies the cells of `bitmap`, grey values as photographed, on `workers` cores.
  ///
  /// - Precondition: the picture has at least one pixel.
  public func recognize(
    _ bitmap: Bitmap, longerSide: Int? = nil, workers: Int = 1
  ) -> PageRecognition {
    let picture = picture(of: bitmap, longerSide: longerSide)
    return PageRecognition(
      picture: picture,
      cells: network.answers(
        to: preparation.values(of: picture), height: picture.height, width: picture.width,
        temperature: model.decision.temperature, workers: workers))
  }
}

/// What a model says about the cells of a picture.
public struct PageRecognition: Hashable, Sendable {
  /// The picture that the network looked at.
  public let picture: Bitmap
  /// The answers for its cells.
  public let cells: CellAnswers
}
