import Foundation
import InkDiagram
import InkImageIO
import InkRaster
import ParallelLoops

extension DiagramRecognizer {
  /// Recognises the automaton in a photograph, whichever way it lies.
  ///
  /// With several workers, the network looks at it while its strokes are traced: much of the tracing needs one core.
  /// Both may use all workers then.
  ///
  /// - Parameters:
  ///   - vocabulary: Names and symbols that are likely in it.
  ///   - alphabet: The only symbols in it besides `ε`; empty if any symbol can be.
  ///   - workers: The number of cores that trace the strokes, look at the page and read the writing.
  /// - Returns: The diagram of the upright drawing of the traced photograph as it is returned.
  /// - Throws: `TracingError` if the picture has more detail than any drawing.
  package func recognize(
    _ photograph: Photograph, vocabulary: [String] = [], alphabet: [String] = [],
    workers: Int = ProcessInfo.processInfo.activeProcessorCount
  ) throws(TracingError) -> (diagram: Diagram, upright: TracedDrawing) {
    let page = photograph.page
    // Nothing is looked at where nothing can be traced.
    guard workers > 1, min(photograph.width, photograph.height) >= Tracer.minimumSide else {
      return recognize(
        try Tracer(workers: workers).trace(photograph, page: page), vocabulary: vocabulary,
        alphabet: alphabet, workers: workers)
    }
    let (seen, traced) = ParallelLoop(workers: workers).both {
      see(page, workers: workers)
    } _: {
      Result { () throws(TracingError) in
        try Tracer(workers: workers).trace(photograph, page: page)
      }
    }
    return recognize(
      try traced.get(), seen: seen, vocabulary: vocabulary, alphabet: alphabet, workers: workers)
  }
}

extension Photograph {
  /// The longer side of ``page``, in pixels, at most.
  private static let pageSide = 2048

  /// The picture in grey, with its longer side of ``pageSide`` pixels at most.
  var page: Bitmap {
    let grey = grey
    return max(grey.width, grey.height) > Self.pageSide
      ? PagePreparation.scaled(grey, longerSide: Self.pageSide) : grey
  }
}
