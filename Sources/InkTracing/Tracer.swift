import ErrorText
import Foundation
import Ink
import InkImageIO
import InkRaster
import ParallelLoops

/// Turns photographs into ink.
package struct Tracer: Sendable {
  private let loop: ParallelLoop

  /// The most pixels that are worked on; a larger picture is made smaller.
  private static let maximumPixels = 6_000_000
  /// The width of the ink, in pixels, above which a picture is made smaller.
  private static let wideInk = 9.0
  /// The width of the ink, in pixels, below which a picture is made larger, so that lines that are near each
  /// other stay apart; a smaller one has at least this.
  private static let narrowInk = 4.0
  /// The width of the ink, in pixels of the picture, below which a picture with more pixels is read better.
  ///
  /// Of 360 validation photographs made smaller, 60 % of those below it have the right structure, and 80 %
  /// of the others.
  private static let thinInk = 2.0
  /// More strokes than this are noise if half of them are short.
  private static let minimumNoise = 2_000
  /// The length of a short stroke, in widths of the pen.
  private static let shortLine = 3.0
  /// The angle, in radians, up to which a picture counts as straight.
  static let straight = 0.02
  /// The shorter side of a picture in which strokes can be traced, in pixels.
  static let minimumSide = 3
  /// The shorter side, in pixels, that a picture with too much detail has when it is made smaller, at least.
  private static let minimumSmallerSide = 256
  /// The most strokes of a drawing.
  package static let maximumStrokes = 20_000

  /// Creates a tracer that uses so many cores.
  package init(workers: Int = ProcessInfo.processInfo.activeProcessorCount) {
    loop = ParallelLoop(workers: workers)
  }

  /// Traces the ink of `photograph`.
  ///
  /// - Throws: `TracingError` if the picture has more detail than any drawing.
  package func trace(_ photograph: Photograph) throws(TracingError) -> TracedDrawing {
    try trace(photograph, page: photograph.page)
  }

  /// Traces the ink of a photograph whose page is known.
  func trace(_ photograph: Photograph, page: Bitmap) throws(TracingError) -> TracedDrawing {
    var result = TracedDrawing(
      drawing: Drawing([]), traces: [], width: photograph.width, height: photograph.height,
      penWidth: 0, rotation: nil, remarks: photograph.isDamaged ? [.damaged] : [], page: page)
    let pixels = Double(photograph.width * photograph.height)
    let reduction = max(1, Int((pixels / Double(Self.maximumPixels)).squareRoot().rounded(.up)))
    guard min(photograph.width, photograph.height) / reduction >= Self.minimumSide else {
      result.remarks.append(.noInk)
      return result
    }
    var ink = inkOf(photograph, reduction: reduction)
    var enlargement = 1.0
    if ink.mask.meanWidth < Self.narrowInk, reduction == 1, pixels * 4 <= Double(Self.maximumPixels)
    {
      ink = inkOf(photograph.enlarged, reduction: 1)
      enlargement = 2
    }
    let lines: FoundLines
    do {
      lines = try self.lines(in: ink.mask, of: ink.picture)
    } catch {
      // The noise of a camera in weak light is finer than lines.
      let smaller = 2 * ink.picture.reduction
      guard min(photograph.width, photograph.height) / smaller >= Self.minimumSmallerSide else {
        throw error
      }
      ink = inkOf(photograph, reduction: smaller)
      enlargement = 1
      guard let found = try? self.lines(in: ink.mask, of: ink.picture), !found.lines.isEmpty else {
        throw error
      }
      lines = found
    }
    result.rotation = ink.rotation
    let scale = Double(ink.picture.reduction) / enlargement
    let deviation = max(1, lines.penWidth / 2)
    for line in lines.lines {
      let line = line.smoothed(deviation: deviation, spacing: 2)
      result.drawing.strokes.append(Stroke(through: line.points.map { $0 * scale }))
      result.traces.append(
        .init(width: line.width * scale, grey: ink.picture.grey(along: line.points)))
    }
    result.penWidth = lines.penWidth * scale
    result.pixels = TracedPixels(
      contrast: ink.picture.ink, width: ink.picture.width, height: ink.picture.height, scale: scale)
    if result.drawing.strokes.isEmpty {
      result.remarks.append(.noInk)
    } else if result.penWidth < Self.thinInk {
      result.remarks.append(.thin)
    }
    if lines.printed > 0 { result.remarks.append(.printed(lines: lines.printed)) }
    if let rotation = result.rotation, abs(rotation) > Self.straight {
      result.remarks.append(.turned(degrees: rotation * 180 / .pi))
    }
    return result
  }

  /// Finds the ink, in a smaller picture if it is wide.
  private func inkOf(
    _ photograph: Photograph, reduction: Int
  ) -> (picture: EvenedPicture, mask: InkMask, rotation: Double?) {
    var picture = EvenedPicture(photograph, reduction: reduction, loop: loop)
    let rotation = picture.removePaperLines(loop: loop)
    var mask = InkMask(picture, loop: loop)
    mask.clean(contrast: picture.ink)
    guard mask.meanWidth > Self.wideInk else { return (picture, mask, rotation) }
    var skeleton = mask
    skeleton.thin()
    let penWidth = Self.penWidth(of: skeleton, distances: mask.distances())
    let smaller = reduction * Int(penWidth / Self.narrowInk)
    guard penWidth > Self.wideInk, min(photograph.width, photograph.height) / smaller >= 64 else {
      return (picture, mask, rotation)
    }
    return inkOf(photograph, reduction: smaller)
  }

  /// Lines, the usual width of the pen, and how many printed lines were left out.
  private typealias FoundLines = (lines: [TracedLine], penWidth: Double, printed: Int)

  /// Traces the lines of `mask`; `isCleared` tells whether printed lines were removed.
  private func lines(
    in mask: InkMask, of picture: EvenedPicture, isCleared: Bool = false
  ) throws(TracingError) -> FoundLines {
    var ink = mask
    var mask = mask
    let meanWidth = mask.meanWidth
    let holes = RoundHoles(in: mask, minimumSide: Int(3.5 * meanWidth))
    let distances = mask.distances()
    var skeleton = mask
    skeleton.thin()
    let penWidth = Self.penWidth(of: skeleton, distances: distances)
    let areas = FilledAreas(takenFrom: &mask, distances: distances, penWidth: penWidth)
    if areas.isEmpty {
      mask = skeleton
    } else {
      mask.thin()
    }
    var graph = SkeletonGraph(mask, distances: distances)
    guard graph.edges.count < 4 * Self.maximumStrokes else {
      throw .tooMuchDetail(strokes: graph.edges.count)
    }
    graph.removeSpurs(penWidth: penWidth)
    let paths = StrokePaths(graph, holes: holes, penWidth: penWidth)
    if !isCleared, let printed = PrintedLines(in: paths.lines, of: picture, penWidth: penWidth) {
      printed.remove(from: &ink, of: picture)
      ink.clean(contrast: picture.ink)
      var rest = try lines(in: ink, of: picture, isCleared: true)
      rest.printed = printed.count
      return rest
    }
    var lines = GapJoining(lines: paths.lines, penWidth: penWidth).joined()
    lines.removeAll { picture.isEdge(along: $0) }
    lines = (lines + areas.lines).withoutSpecks(penWidth: penWidth)
    let lengths = lines.map(\.points.pathLength)
    let isNoise =
      lines.count > Self.minimumNoise && (lengths.median() ?? 0) < Self.shortLine * penWidth
    guard lines.count <= Self.maximumStrokes, !isNoise else {
      throw .tooMuchDetail(strokes: lines.count)
    }
    // Nothing but specks is no drawing.
    if (lengths.max() ?? 0) < Self.shortLine * penWidth { lines = [] }
    return (lines, penWidth, 0)
  }

  /// Returns the usual width of the ink whose middle is `skeleton`.
  private static func penWidth(of skeleton: InkMask, distances: [UInt8]) -> Double {
    var counts = [Int](repeating: 0, count: 256)
    for index in skeleton.pixels.indices where skeleton.pixels[index] != 0 {
      counts[Int(distances[index])] += 1
    }
    let usual = counts.value(atRank: counts.reduce(0, +) / 2)
    return usual.map { SkeletonGraph.inkWidth(UInt8($0)) } ?? 1
  }
}

/// A picture that cannot be traced.
package enum TracingError: DescribedError, Hashable {
  /// There are more strokes than in any drawing.
  case tooMuchDetail(strokes: Int)

  /// The error in one line.
  package var description: String { "expected a drawing, found \(found)" }

  /// What was found instead of a drawing.
  package var found: String {
    switch self {
    case .tooMuchDetail(let strokes):
      "\(strokes) strokes without any order: this is noise, print or a picture of something else"
    }
  }
}

extension InkMask {
  /// Removes specks of ink and of paper.
  mutating func clean(contrast: [UInt8]) {
    let dot = meanWidth * meanWidth
    let ink = Components(of: self, contrast: contrast)
    // Specks can be more than all strokes.
    let lines = ink.parts.filter { Double($0.area) > 12 * dot }
    let strokes = lines.isEmpty ? ink.parts : lines
    let area = strokes.reduce(0) { $0 + $1.area }
    let usual = Double(strokes.reduce(0) { $0 + $1.contrast }) / Double(max(1, area))
    set(ink, to: 0) { part in
      let area = Double(part.area)
      let isPale = Double(part.contrast) < 0.6 * usual * area
      return area < max(4, 0.25 * dot) || isPale && area < 4 * dot
    }
    let paper = Components(of: self, contrast: [], value: 0)
    set(paper, to: 1) { Double($0.area) < max(3, 0.8 * dot) }
  }
}
