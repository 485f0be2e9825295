import ErrorText
import Ink
import InkNetwork
import InkRaster
import InkSeries

/// How a drawing or recording becomes an input of a network.
///
/// The model stores it, so training and use agree.
public enum Preprocessing: Hashable, Sendable {
  /// A grey picture of 0…255, times `scale`.
  case raster(Rasterizer, scale: Float)
  /// A line of writing as a grey picture of a fixed height, perhaps with planes of the pen directions, all with values
  /// of 0…255, times `scale`.
  case line(LineRasterizer, scale: Float)
  /// The strokes of a drawing as a series.
  case strokes(StrokeEncoder, SeriesPreparation)
  /// A recording of sensors; `window` has the training windows, or is `nil` if whole recordings were
  /// used.
  case series(SeriesPreparation, window: SlidingWindows?)
  /// A picture of a whole page, of any size.
  case page(PagePreparation)

  /// Draws with `rasterizer`; grey values become numbers from 0 to 1.
  public static func raster(_ rasterizer: Rasterizer) -> Preprocessing {
    .raster(rasterizer, scale: 1 / 255)
  }

  /// Draws lines of writing with `rasterizer`; grey values become numbers from 0 to 1.
  public static func line(_ rasterizer: LineRasterizer) -> Preprocessing {
    .line(rasterizer, scale: 1 / 255)
  }

  /// What draws pictures, for a picture.
  public var rasterizer: Rasterizer? {
    if case .raster(let rasterizer, _) = self { rasterizer } else { nil }
  }

  /// What the grey values of a picture or a line are multiplied with, or `nil` for series.
  package var greyScale: Float? {
    switch self {
    case .raster(_, let scale), .line(_, let scale): scale
    case .strokes, .series, .page: nil
    }
  }

  /// What prepares pictures of whole pages, for a page.
  public var page: PagePreparation? {
    if case .page(let preparation) = self { preparation } else { nil }
  }

  /// The channels of a series, the planes of a line; 1 for another picture.
  public var channelCount: Int {
    switch self {
    case .raster, .page: 1
    case .line(let line, _): line.planeCount
    case .strokes(_, let preparation), .series(let preparation, _): preparation.channels.count
    }
  }

  /// What happens to a drawing or a recording, in a line.
  public var summary: String {
    switch self {
    case .raster(let raster, let scale):
      return "\(raster.size) × \(raster.size) pixels, margin \(raster.margin), "
        + "pen \(raster.penWidth), grey × \(scale)"
        + (raster.pictures.map { "; pictures: \($0.summary)" } ?? "")
    case .line(let line, let scale):
      return
        "lines of \(line.height) pixels, stretch \(line.stretch), margin \(line.margin), "
        + "pen \(line.penWidth), grey × \(scale)"
        + (line.showsDirections ? ", with the pen directions" : "")
    case .strokes(let encoder, _):
      let steps =
        switch encoder.sampling {
        case .steps(let steps): steps.counted("step")
        case .distance(let share): "a step every \(share) of the size"
        case .time(let interval): "a step every \(interval) ms"
        }
      return "strokes as \(encoder.channels.map(\.rawValue).joined(separator: ", ")), \(steps), "
        + "at most \(encoder.maxSteps)"
    case .series(let preparation, let window):
      return preparation.channels.joined(separator: ", ")
        + (preparation.rate.map { ", \($0.shortText) steps a second" } ?? "")
        + (window.map { ", windows of \($0.length) steps every \($0.stride)" } ?? "")
    case .page(let preparation): return preparation.summary
    }
  }

  /// The kind of input, in the plural.
  var words: String {
    switch self {
    case .raster: "drawings or pictures"
    case .line: "drawings or pictures of lines"
    case .strokes: "drawings"
    case .series: "recordings"
    case .page: "pictures of whole pages"
    }
  }

  /// Checks that input number `index` of a network takes what this makes.
  func check(for architecture: Architecture, input index: Int, path: String) throws(ModelError) {
    let input = architecture.inputs[index]
    func refuse(_ field: String, _ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: field, expected: expected, found: found)
    }
    let channels: Int
    switch self {
    case .raster(let rasterizer, let scale):
      guard case .image(1, let height, .fixed(let width)) = input.form, width == height else {
        throw refuse(
          "architecture", "one square grey picture as the input `\(input.name)`", "another input")
      }
      guard rasterizer.size == height else {
        throw refuse("raster", "a size of \(height)", "\(rasterizer.size)")
      }
      guard scale.isFinite, scale > 0 else {
        throw refuse("scale", "a positive number", "\(scale)")
      }
      return
    case .line(let line, let scale):
      guard case .image(line.planeCount, line.height, .variable(let widths)) = input.form else {
        throw refuse(
          "architecture",
          "\(line.planeCount.counted("plane")) of \(line.height) rows and any width as the input "
            + "`\(input.name)`", "another input")
      }
      guard widths.contains(line.minWidth), widths.contains(line.maxWidth) else {
        throw refuse(
          "line", "widths of \(widths.lowerBound) to \(widths.upperBound)",
          "\(line.minWidth) to \(line.maxWidth)")
      }
      guard scale.isFinite, scale > 0 else {
        throw refuse("scale", "a positive number", "\(scale)")
      }
      return
    case .strokes(let encoder, let preparation):
      guard encoder.channels.map(\.rawValue) == preparation.channels else {
        throw refuse(
          "preprocessing", "channels \(encoder.channels.map(\.rawValue).joined(separator: ", "))",
          preparation.channels.joined(separator: ", "))
      }
      channels = preparation.channels.count
    case .series(let preparation, _): channels = preparation.channels.count
    case .page:
      let isPage =
        switch input.form {
        case .page(1, _, _), .image(1, _, .fixed): true
        case .page, .image, .series, .vector: false
        }
      guard isPage else {
        throw refuse(
          "architecture", "a grey picture of any size as the input `\(input.name)`",
          "another input")
      }
      guard case .distributionPerCell = architecture.output, architecture.cellSize != nil else {
        throw refuse(
          "architecture", "an answer for each cell of whole pixels, as for pages", "another output")
      }
      return
    }
    guard case .series(channels, _) = input.form else {
      throw refuse(
        "architecture", "a series of \(channels) channels as the input `\(input.name)`",
        "another input")
    }
  }
}

/// `{"kind": "raster", "raster": {"size": 28, "margin": 1, "penWidth": 1.75}, "scale": 0.003921569}`,
/// `{"kind": "line", "line": {"height": 32, …}, "scale": 0.003921569}`,
/// `{"kind": "strokes", "encoder": {…}, "preparation": {…}}`,
/// `{"kind": "series", "preparation": {…}, "window": {"length": 120, "stride": 60}}` or
/// `{"kind": "page", "page": {"longerSide": 1024, "radius": 24}}`
extension Preprocessing: Codable {
  private enum CodingKeys: CodingKey {
    case kind, raster, line, scale, encoder, preparation, window, page
  }

  private enum Kind: String, Codable, CaseIterable {
    case raster, line, strokes, series, page
  }

  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError` where it is not that form, `RasterError` where the numbers do not fit.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(Kind.self, forKey: .kind) {
    case .raster:
      self = .raster(
        try container.decode(Rasterizer.self, forKey: .raster),
        scale: try container.decode(Float.self, forKey: .scale))
    case .line:
      self = .line(
        try container.decode(LineRasterizer.self, forKey: .line),
        scale: try container.decode(Float.self, forKey: .scale))
    case .strokes:
      self = .strokes(
        try container.decode(StrokeEncoder.self, forKey: .encoder),
        try container.decode(SeriesPreparation.self, forKey: .preparation))
    case .series:
      self = .series(
        try container.decode(SeriesPreparation.self, forKey: .preparation),
        window: try container.decodeIfPresent(SlidingWindows.self, forKey: .window))
    case .page:
      self = .page(try container.decode(PagePreparation.self, forKey: .page))
    }
  }

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .raster(let rasterizer, let scale):
      try container.encode(Kind.raster, forKey: .kind)
      try container.encode(rasterizer, forKey: .raster)
      try container.encode(scale, forKey: .scale)
    case .line(let line, let scale):
      try container.encode(Kind.line, forKey: .kind)
      try container.encode(line, forKey: .line)
      try container.encode(scale, forKey: .scale)
    case .strokes(let strokes, let preparation):
      try container.encode(Kind.strokes, forKey: .kind)
      try container.encode(strokes, forKey: .encoder)
      try container.encode(preparation, forKey: .preparation)
    case .series(let preparation, let window):
      try container.encode(Kind.series, forKey: .kind)
      try container.encode(preparation, forKey: .preparation)
      try container.encodeIfPresent(window, forKey: .window)
    case .page(let preparation):
      try container.encode(Kind.page, forKey: .kind)
      try container.encode(preparation, forKey: .page)
    }
  }
}

/// What a model is asked about.
public enum RecognitionInput: Sendable {
  /// Strokes.
  case drawing(Drawing)
  /// A picture with bright ink on black.
  case bitmap(Bitmap)
  /// A line of writing that was cut from a picture, dark on light or the reverse.
  case strip(Bitmap)
  /// A recording of sensors.
  case series(Series)

  /// What it is, in a word.
  var words: String {
    switch self {
    case .drawing: "a drawing"
    case .bitmap: "a picture"
    case .strip: "a strip with a line of writing"
    case .series: "a recording"
    }
  }
}

/// Why something cannot become the input of a model.
public enum PreparationError: DescribedError, Hashable {
  /// It cannot be drawn.
  case raster(RasterError)
  /// It cannot become a series.
  case series(SeriesError)
  /// The model reads something else.
  case unsuitable(expected: String, found: String)

  /// The error in one line.
  public var description: String {
    switch self {
    case .raster(let error): "\(error)"
    case .series(let error): "\(error)"
    case .unsuitable(let expected, let found): "expected \(expected), found \(found)"
    }
  }
}

extension Preprocessing {
  /// The picture that the network gets for `input`: a picture, or the ink of a line of writing, bright on black; `nil`
  /// if the network gets a series.
  ///
  /// - Throws: `PreparationError` where it is of another kind, or cannot be drawn.
  public func picture(of input: RecognitionInput) throws(PreparationError) -> Bitmap? {
    if greyScale != nil, case .series = input {
      throw .unsuitable(expected: words, found: input.words)
    }
    do throws(RasterError) {
      return switch (self, input) {
      case (.raster(let rasterizer, _), .drawing(let drawing)): try rasterizer.render(drawing)
      case (.raster(let rasterizer, _), .bitmap(let bitmap)): rasterizer.fit(bitmap)
      case (.raster(let rasterizer, _), .strip(let strip)): rasterizer.fit(strip.lightOnDark)
      case (.line(let line, _), .drawing(let drawing)): try line.render(drawing).bitmap
      case (.line(let line, _), .bitmap(let strip)), (.line(let line, _), .strip(let strip)):
        try line.render(strip).bitmap
      case (.raster, .series), (.line, .series), (.strokes, _), (.series, _), (.page, _): nil
      }
    } catch {
      throw .raster(error)
    }
  }

  /// The bytes of `input` for a network that reads lines, before they are multiplied with the scale:
  /// `[planes, height, width]`; `nil` if the network reads something else.
  ///
  /// - Parameters:
  ///   - isTraced: Whether the strokes were traced on a picture; their directions are then unknown and left out.
  ///   - view: How the line is looked at.
  /// - Throws: `PreparationError` where it is of another kind, or cannot be drawn.
  package func linePlanes(
    of input: RecognitionInput, isTraced: Bool = false, view: LineView = .plain
  ) throws(PreparationError) -> [UInt8]? {
    guard case .line(let line, _) = self else { return nil }
    if case .series = input { throw .unsuitable(expected: words, found: input.words) }
    do throws(RasterError) {
      return switch input {
      case .drawing(let drawing):
        try line.render(drawing, isTraced: isTraced, view: view).planes
      case .bitmap(let strip), .strip(let strip):
        try line.render(StripInk(strip), view: view).planes
      case .series: nil
      }
    } catch {
      throw .raster(error)
    }
  }

  /// The values of the ink of a strip in `view` for a network that reads lines, `[planes, height, width]`.
  ///
  /// - Throws: `PreparationError` where the network reads something else, or the ink cannot be drawn.
  package func values(of ink: StripInk?, view: LineView) throws(PreparationError) -> [Float] {
    guard case .line(let line, let scale) = self else {
      throw .unsuitable(expected: words, found: "a strip with a line of writing")
    }
    do { return try line.render(ink, view: view).planes.map { Float($0) * scale } } catch {
      throw .raster(error)
    }
  }

  /// The values of `input` for the network: `[size, size]` of a picture, `[planes, height, width]` of a line,
  /// `[length, channels]` of a series.
  ///
  /// - Parameter isTraced: Whether the strokes were traced on a picture; their directions are then unknown and left
  ///   out.
  /// - Throws: `PreparationError` where it is of another kind, or has values that cannot be used.
  public func values(
    of input: RecognitionInput, isTraced: Bool = false
  ) throws(PreparationError) -> [Float] {
    try values(of: input, isTraced: isTraced, view: .plain)
  }

  /// The values of `input` for the network, where a line is looked at in `view`.
  package func values(
    of input: RecognitionInput, isTraced: Bool, view: LineView
  ) throws(PreparationError) -> [Float] {
    if let scale = greyScale,
      let planes = try linePlanes(of: input, isTraced: isTraced, view: view)
    {
      return planes.map { Float($0) * scale }
    }
    if let scale = greyScale, let picture = try picture(of: input) {
      return picture.pixels.map { Float($0) * scale }
    }
    switch (self, input) {
    case (.strokes(let encoder, let preparation), .drawing(let drawing)):
      do { return try preparation.prepare(encoder.encode(drawing)).values } catch {
        throw .series(error)
      }
    case (.series(let preparation, _), .series(let series)):
      do { return try preparation.prepare(series).values } catch { throw .series(error) }
    case (.strokes, .bitmap), (.strokes, .strip):
      throw .unsuitable(expected: words, found: "\(input.words), which has no strokes")
    case (.page(let preparation), .bitmap(let bitmap)),
      (.page(let preparation), .strip(let bitmap)):
      return preparation.values(of: preparation.scaled(bitmap))
    case (.raster, _), (.line, _), (.page, _), (.strokes, .series), (.series, .drawing),
      (.series, .bitmap),
      (.series, .strip):
      throw .unsuitable(expected: words, found: input.words)
    }
  }
}
