import Foundation
import InkDatasets
import InkImageIO
import XMLTree

/// A self-contained HTML page that shows each picture of an evaluation, the class of each of its cells, and the
/// automaton that was recognised, side by side.
public struct PictureReport: Sendable {
  private var figures: [String] = []

  /// Creates a report without pictures.
  public init() {}

  /// Adds a picture.
  ///
  /// - Parameters:
  ///   - picture: The result.
  ///   - cells: The picture, small and in grey, and the same with the classes as colours over it.
  ///   - svg: The automaton as an SVG picture; `nil` if there is none.
  /// - Throws: `PictureError` if a picture cannot be made.
  public mutating func add(
    _ picture: PictureEvaluation.Picture, cells: (picture: ColorPicture, overlay: ColorPicture),
    svg: String?
  ) throws {
    var images = try [cells.picture, cells.overlay].map { picture in
      "data:image/png;base64,\(try PNG.encode(picture).base64EncodedString())"
    }
    if let svg {
      images.append("data:image/svg+xml;base64,\(Data(svg.utf8).base64EncodedString())")
    }
    let shown = images.map { "<img style=\"width:32%;background:#fff\" src=\"\($0)\" alt=\"\">" }
    figures.append(
      "<h3>\(picture.line.escapedForMarkup)</h3><p>\(shown.joined(separator: " "))</p>")
  }

  /// Returns the page with the sums of `evaluation` first.
  public func html(_ evaluation: PictureEvaluation, of folder: String) -> String {
    let sums = evaluation.summary.map { "<li>\($0.escapedForMarkup)</li>" }.joined()
    let legend = ReportPage.legend(of: SegmentationClass.pages)
    return ReportPage(
      "<h1>Pictures of <code>\(folder.escapedForMarkup)</code></h1><ul>\(sums)</ul>"
        + "<p>Each picture, what the network sees (\(legend)) and the automaton.</p>"
        + figures.joined()
    ).html
  }
}
