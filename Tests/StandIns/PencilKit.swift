// swift-format-ignore-file
// What the snippets of the documentation use of PencilKit, so that `scripts/check snippets` can check
// them on Linux. The declarations are those of Apple's documentation; nothing works.

@_exported import UIKit

public struct PKStrokePoint {
  public let location: CGPoint
  public let timeOffset: TimeInterval
  public let force: CGFloat
}

public struct PKStrokePath: RandomAccessCollection {
  public let creationDate: Date

  public var startIndex: Int { 0 }

  public var endIndex: Int { 0 }

  public subscript(index: Int) -> PKStrokePoint { fatalError("a stand-in has no points") }
}

public struct PKStroke {
  public var path: PKStrokePath
}

public struct PKDrawing {
  public var strokes: [PKStroke] = []

  public init() {}
}

@MainActor public protocol PKCanvasViewDelegate: AnyObject {
  func canvasViewDrawingDidChange(_ canvasView: PKCanvasView)
}

@MainActor open class PKCanvasView: UIScrollView {
  public weak var delegate: (any PKCanvasViewDelegate)?
  public var drawing = PKDrawing()
}
