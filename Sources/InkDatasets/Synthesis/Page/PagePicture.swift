import Foundation
import Ink
import InkImageIO
import SeededRandom

/// A page as a picture, with the class of each cell.
public struct PagePicture: Sendable {
  /// The grey picture.
  public let photograph: Photograph
  /// The classes, a cell for 2 × 2 px.
  public let mask: SegmentationMask
  /// What is known of the cells beside their classes.
  public let fields: SegmentationFields
  /// The page in px of the photograph.
  public let page: Page
  /// What it was drawn on, such as `white` paper or a `blackboard`.
  public let surface: String
  /// What was drawn for each trait of the paper, the light and the camera.
  package let drawn: [[Double]]
}

extension PageComposer {
  /// Returns page number `index`, from 0, as a picture.
  public func picture(_ index: Int) -> PagePicture {
    var dice = PageDice(
      variety, generator: SeededGenerator(seed: seed, stream: 0x9a70, UInt64(index)))
    return PagePicture(of: page(index), enlargement: enlargement, using: &dice)
  }
}

extension PagePicture {
  init(of flat: Page, enlargement: Double, using dice: inout PageDice) {
    let surface: PageSurface = dice.choose(.surface)
    self.surface = "\(surface)"
    let quarter = Double.pi / 2
    let camera = Camera(
      width: flat.width, height: flat.height,
      tilt: surface.isExact ? 0 : dice.number(.tilt) * .pi / 180,
      slope: dice.generator.uniform(0...2 * Double.pi),
      turn: surface.isExact ? (flat.turn / quarter).rounded() * quarter : flat.turn,
      distance: dice.generator.uniform(1.2...2.2))
    let middle = Point(Double(flat.width) / 2, Double(flat.height) / 2)
    let perspective = camera.map(about: middle)
    var page = flat.moved(by: perspective)
    page.turn = camera.turn

    // The original is as much smaller as it was enlarged.
    let size = enlargement * (surface.isExact ? 1 : dice.number(.originalSize))
    let (width, height) = (
      max(16, Int(Double(page.width) * size)), max(16, Int(Double(page.height) * size))
    )
    let scale = Double(width) / Double(page.width)
    let blur = dice.number(.blur) * scale * (surface.isExact ? 0.5 : 1)

    var scene = PageScene(
      width: width, height: height, surface: surface, scale: scale, using: &dice)
    var lines = CoverPlane(width: width, height: height)
    if surface.isPaper {
      let paper = PaperGround(middle: middle, perspective: perspective, scale: scale)
      paper.drawLines(on: &lines, using: &dice)
      scene.holes = paper.holes(size: page, using: &dice)
      if blur > 0.15 { lines.blur(deviation: blur) }
    }
    var ink = CoverPlane(width: width, height: height)
    for stroke in page.strokes { ink.draw(stroke, scale: scale, using: &dice.generator) }
    if blur > 0.15 { ink.blur(deviation: blur) }
    scene.develop(ink: ink, lines: lines, using: &dice)

    var mask = PageMask(of: page)
    var fields = PageFields(of: page)
    if scene.hasCovers {
      mask.clear { scene.isCovered($0 * scale) }
      fields.clear { scene.isCovered($0 * scale) }
    }
    (self.mask, self.fields) = (mask.mask, fields.fields)
    self.page = page.enlarged(by: enlargement)
    let isCompressed = dice.happens(.compressed)
    let quality = isCompressed ? Int(dice.number(.jpegQuality)) : nil
    photograph = scene.photograph(quality: quality, using: &dice)
      .enlarged(width: self.page.width, height: self.page.height)
    drawn = dice.drawn
  }
}

extension CoverPlane {
  /// Draws a stroke of a page with the unevenness of a pen.
  fileprivate mutating func draw(
    _ stroke: Page.Stroke, scale: Double, using generator: inout SeededGenerator
  ) {
    let path = stroke.path.map { $0 * scale }
    let width = max(0.7, stroke.width * scale)
    if stroke.isFilled { fill(path, cover: stroke.strength) }
    let phase = generator.uniform(0...6.28)
    var along = 0.0
    guard var last = path.first else { return }
    if path.count == 1 { mark(last, last, radius: width / 2, cover: stroke.strength) }
    for point in path.dropFirst() {
      let wave = sin(along / (14 * width) + phase)
      line(
        last, point, radius: 0.5 * width * (1 + 0.12 * wave),
        cover: stroke.strength * (0.93 + 0.07 * wave))
      along += last.distance(to: point)
      last = point
    }
  }
}

extension Photograph {
  /// Returns a grey picture enlarged with linear interpolation.
  fileprivate func enlarged(width newWidth: Int, height newHeight: Int) -> Photograph {
    guard width != newWidth || height != newHeight else { return self }
    var enlarged = [UInt8](repeating: 0, count: newWidth * newHeight)
    /// The two source pixels of a pixel, and the share of the second.
    func sources(_ index: Int, _ count: Int, _ newCount: Int) -> (Int, Int, Float) {
      let place = (Float(index) + 0.5) * Float(count) / Float(newCount) - 0.5
      let first = max(0, min(count - 1, Int(place)))
      return (first, min(count - 1, first + 1), max(0, min(1, place - Float(first))))
    }
    let columns = (0..<newWidth).map { sources($0, width, newWidth) }
    for row in 0..<newHeight {
      let (upper, lower, down) = sources(row, height, newHeight)
      for (column, (left, right, across)) in columns.enumerated() {
        func mixed(_ row: Int) -> Float {
          let (a, b) = (Float(samples[row * width + left]), Float(samples[row * width + right]))
          return a + (b - a) * across
        }
        let (a, b) = (mixed(upper), mixed(lower))
        enlarged[row * newWidth + column] = UInt8(a + (b - a) * down + 0.5)
      }
    }
    return Photograph(width: newWidth, height: newHeight, channels: 1, samples: enlarged)
  }
}
