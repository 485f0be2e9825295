import ErrorText
import Foundation
import InkRaster

/// Renders SVG as grey pictures with librsvg, which includes text layout (Pango) and fonts.
///
/// The library is loaded at its first use, because loading it would slow down commands that do not
/// draw.
public struct SVGRenderer: Sendable {
  /// The maximum number of pixels; a larger picture is drawn smaller.
  public static let maximumPixels = 1 << 24

  /// The maximum width and height; a larger picture is drawn smaller.
  ///
  /// Cairo allows 32,767.
  public static let longestSide = 1 << 14

  private typealias NewHandle =
    @convention(c) (UnsafePointer<UInt8>?, Int, UnsafeMutableRawPointer?) -> OpaquePointer?
  private typealias IntrinsicSize =
    @convention(c) (OpaquePointer, UnsafeMutablePointer<Double>, UnsafeMutablePointer<Double>)
    -> CInt
  private typealias RenderDocument =
    @convention(c) (OpaquePointer, OpaquePointer, UnsafePointer<Double>, UnsafeMutableRawPointer?)
    -> CInt
  private typealias Release = @convention(c) (OpaquePointer) -> Void
  private typealias CreateSurface = @convention(c) (CInt, CInt, CInt) -> OpaquePointer
  private typealias StreamWriter =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, CUnsignedInt) -> CInt
  private typealias CreatePDF =
    @convention(c) (StreamWriter, UnsafeMutableRawPointer?, Double, Double) -> OpaquePointer?
  private typealias SurfaceStatus = @convention(c) (OpaquePointer) -> CInt
  private typealias CreateContext = @convention(c) (OpaquePointer) -> OpaquePointer
  private typealias SurfaceStride = @convention(c) (OpaquePointer) -> CInt
  private typealias SurfaceData = @convention(c) (OpaquePointer) -> UnsafePointer<UInt8>?

  private let newHandle: NewHandle
  private let intrinsicSize: IntrinsicSize
  private let renderDocument: RenderDocument
  private let releaseHandle: Release
  private let createSurface: CreateSurface
  private let createPDF: CreatePDF
  private let finishSurface: Release
  private let surfaceStatus: SurfaceStatus
  private let destroySurface: Release
  private let flushSurface: Release
  private let surfaceStride: SurfaceStride
  private let surfaceData: SurfaceData
  private let createContext: CreateContext
  private let destroyContext: Release

  private static let loaded = Result { () throws(SVGError) in try SVGRenderer() }

  /// The machine's librsvg, loaded at the first call.
  ///
  /// - Throws: ``SVGError/missingLibrary`` where there is none.
  public static func load() throws(SVGError) -> SVGRenderer { try loaded.get() }

  private init() throws(SVGError) {
    let names = ["librsvg-2.so.2", "librsvg-2.2.dylib", "/opt/homebrew/lib/librsvg-2.2.dylib"]
    // Symbols of Cairo and GObject, which librsvg depends on, are found through its handle.
    guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
      throw .missingLibrary
    }
    func symbol<Function>(_ name: String, _: Function.Type) throws(SVGError) -> Function {
      guard let address = dlsym(library, name) else { throw .missingLibrary }
      return unsafeBitCast(address, to: Function.self)
    }
    newHandle = try symbol("rsvg_handle_new_from_data", NewHandle.self)
    intrinsicSize = try symbol("rsvg_handle_get_intrinsic_size_in_pixels", IntrinsicSize.self)
    renderDocument = try symbol("rsvg_handle_render_document", RenderDocument.self)
    releaseHandle = try symbol("g_object_unref", Release.self)
    createSurface = try symbol("cairo_image_surface_create", CreateSurface.self)
    createPDF = try symbol("cairo_pdf_surface_create_for_stream", CreatePDF.self)
    finishSurface = try symbol("cairo_surface_finish", Release.self)
    surfaceStatus = try symbol("cairo_surface_status", SurfaceStatus.self)
    destroySurface = try symbol("cairo_surface_destroy", Release.self)
    flushSurface = try symbol("cairo_surface_flush", Release.self)
    surfaceStride = try symbol("cairo_image_surface_get_stride", SurfaceStride.self)
    surfaceData = try symbol("cairo_image_surface_get_data", SurfaceData.self)
    createContext = try symbol("cairo_create", CreateContext.self)
    destroyContext = try symbol("cairo_destroy", Release.self)
  }

  /// Draws an SVG document in grey on white, `scale` pixels a unit of the document.
  ///
  /// The document has a width and a height. One that would have more than ``longestSide`` rows or
  /// columns, or more than ``maximumPixels``, is drawn smaller.
  ///
  /// - Throws: `SVGError` if librsvg cannot read or draw the document.
  public func bitmap(_ svg: String, scale: Double = 1) throws(SVGError) -> Bitmap {
    try translucent(svg, scale: scale, shrinks: true).onWhite
  }

  /// A grey picture with alpha.
  struct Translucent {
    var width: Int
    var height: Int
    /// The grey of each pixel, multiplied by its alpha, and the alpha.
    var samples: [UInt8]

    /// The picture on white, which shows through where the document covers nothing.
    var onWhite: Bitmap {
      let pixels = stride(from: 0, to: samples.count, by: 2).map { index -> UInt8 in
        let paper: Int = 255 - Int(samples[index + 1])
        return UInt8(min(255, Int(samples[index]) + paper))
      }
      return Bitmap(width: width, height: height, pixels: pixels)
    }
  }

  /// Draws an SVG document in grey with alpha, `scale` pixels a unit of the document.
  ///
  /// A document that would be too large is drawn smaller if `shrinks`.
  ///
  /// - Throws: `SVGError` if librsvg cannot read or draw the document, or it would be too large.
  func translucent(
    _ svg: String, scale wish: Double, shrinks: Bool
  ) throws(SVGError) -> Translucent {
    precondition(wish.isFinite && wish > 0, "a scale is a positive number")
    let (handle, documentWidth, documentHeight) = try open(svg)
    defer { releaseHandle(handle) }
    let scale = min(
      wish, (Double(Self.maximumPixels) / (documentWidth * documentHeight)).squareRoot(),
      Double(Self.longestSide) / max(documentWidth, documentHeight))
    guard shrinks || scale == wish else {
      throw .tooLarge(width: documentWidth * wish, height: documentHeight * wish, most: scale)
    }
    let width = max(1, Int(documentWidth * scale))
    let height = max(1, Int(documentHeight * scale))

    let surface = createSurface(Self.argb32, CInt(width), CInt(height))
    defer { destroySurface(surface) }
    let context = createContext(surface)
    defer { destroyContext(context) }
    // `RsvgRectangle`: x, y, width and height on the surface, in pixels.
    let viewport = [0, 0, Double(width), Double(height)]
    guard renderDocument(handle, context, viewport, nil) != 0 else { throw .unreadableDocument }
    flushSurface(surface)
    guard let data = surfaceData(surface) else { throw .unreadableDocument }

    // Each pixel is a native-endian 0xAARRGGBB, its colours multiplied by alpha. The picture is
    // grey, so green stands for all three.
    let stride = Int(surfaceStride(surface))
    var samples = [UInt8](repeating: 0, count: 2 * width * height)
    for row in 0..<height {
      for column in 0..<width {
        let pixel = UnsafeRawPointer(data + row * stride + column * 4).load(as: UInt32.self)
        let index = 2 * (row * width + column)
        (samples[index], samples[index + 1]) = (UInt8(pixel >> 8 & 0xFF), UInt8(pixel >> 24))
      }
    }
    return Translucent(width: width, height: height, samples: samples)
  }

  /// Returns a PDF file of one page as large as an SVG document, with its lines and its text.
  ///
  /// - Throws: `SVGError` if librsvg cannot read or draw the document.
  public func pdf(_ svg: String) throws(SVGError) -> Data {
    let (handle, documentWidth, documentHeight) = try open(svg)
    defer { releaseHandle(handle) }
    // PDF has 72 units an inch, SVG 96. A page may have 14,400 (PDF 32000-1, annex C).
    let scale = min(0.75, 14_400 / max(documentWidth, documentHeight))
    let (width, height) = (documentWidth * scale, documentHeight * scale)
    let output = Output()
    let closure = Unmanaged.passUnretained(output).toOpaque()
    let surface = createPDF(
      { closure, bytes, count in
        guard let closure, let bytes else { return 0 }
        Unmanaged<Output>.fromOpaque(closure).takeUnretainedValue().data.append(
          bytes, count: Int(count))
        return 0
      }, closure, width, height)
    guard let surface else { throw .unreadableDocument }
    defer { destroySurface(surface) }
    let context = createContext(surface)
    let isDrawn = renderDocument(handle, context, [0, 0, width, height], nil) != 0
    destroyContext(context)
    finishSurface(surface)
    guard isDrawn, surfaceStatus(surface) == 0 else { throw .unreadableDocument }
    return withExtendedLifetime(output) { output.data }
  }

  /// The bytes that Cairo writes.
  private final class Output { var data = Data() }

  /// Reads an SVG document with a width and a height; the handle has to be released.
  private func open(
    _ svg: String
  ) throws(SVGError) -> (handle: OpaquePointer, width: Double, height: Double) {
    let bytes = Array(svg.utf8)
    guard let handle = newHandle(bytes, bytes.count, nil) else { throw .unreadableDocument }
    var (width, height) = (0.0, 0.0)
    guard intrinsicSize(handle, &width, &height) != 0, width > 0, height > 0 else {
      releaseHandle(handle)
      throw .unreadableDocument
    }
    return (handle, width, height)
  }

  /// `CAIRO_FORMAT_ARGB32`.
  private static let argb32: CInt = 0
}

/// Why an SVG document could not be drawn.
public enum SVGError: DescribedError, Hashable {
  /// librsvg is not installed, or too old.
  case missingLibrary
  /// librsvg cannot read or draw the document.
  case unreadableDocument
  /// The picture would have too many pixels; `most` is the largest scale that it can have.
  case tooLarge(width: Double, height: Double, most: Double)

  /// The error in one line.
  public var description: String {
    switch self {
    case .missingLibrary:
      "PNG and PDF pictures of automata need librsvg 2.52 or later, which is not installed; run "
        + "scripts/set-up, or write SVG instead"
    case .tooLarge(let width, let height, let most):
      "a picture has at most \(SVGRenderer.longestSide) rows and columns and "
        + "\(SVGRenderer.maximumPixels >> 20) million pixels, and this would have "
        + "\(width.rounded().formatted(.number.grouping(.never))) × "
        + "\(height.rounded().formatted(.number.grouping(.never))); use a scale of at most "
        + "\((most * 10).rounded(.down) / 10)"
    case .unreadableDocument: "librsvg cannot draw this SVG document"
    }
  }
}
