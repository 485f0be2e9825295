import Foundation
import Ink
import InkRaster
import SeededRandom
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30))) struct LineRasterizerTests {
  private let rasterizer = LineRasterizer.standard

  // MARK: Writing

  /// An `o` of a height, on a baseline at y 0.
  private func ring(x: Double, height: Double, baseline: Double = 0) -> Stroke {
    Stroke(
      (0...24).map { index in
        let angle = 2 * Double.pi * Double(index) / 24
        return Point(
          x + 0.35 * height * (1 + cos(angle)), baseline - height / 2 * (1 + sin(angle)))
      })
  }

  private func bar(x: Double, height: Double, baseline: Double = 0) -> Stroke {
    Stroke([Point(x, baseline - height), Point(x, baseline)])
  }

  /// Ten letters in a row, of which every third is high.
  private var word: Drawing {
    Drawing(
      (0..<10).map { index -> Stroke in
        let x = Double(index) * 30
        return index % 3 == 1 ? bar(x: x + 10, height: 40) : ring(x: x, height: 22)
      })
  }

  private func rows(_ bitmap: Bitmap, columns: Range<Int>? = nil) -> ClosedRange<Int>? {
    let inked = (0..<bitmap.height).filter { row in
      (columns ?? 0..<bitmap.width).contains { bitmap[row, $0] > 127 }
    }
    return inked.isEmpty ? nil : inked[0]...inked[inked.count - 1]
  }

  private func columns(_ bitmap: Bitmap) -> ClosedRange<Int>? {
    let inked = (0..<bitmap.width).filter { column in
      (0..<bitmap.height).contains { bitmap[$0, column] > 127 }
    }
    return inked.isEmpty ? nil : inked[0]...inked[inked.count - 1]
  }

  private func greatestDifference(_ a: Bitmap, _ b: Bitmap) -> Int {
    guard a.width == b.width, a.height == b.height else { return 256 }
    return zip(a.pixels, b.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }

  @Test func theWidthFollowsTheWriting() throws {
    let one = try rasterizer.render(Drawing([ring(x: 0, height: 22)])).bitmap
    #expect(one.height == 32 && (20...30).contains(one.width))
    let three = try rasterizer.render(
      Drawing([0, 30, 60].map { ring(x: $0, height: 22) })
    ).bitmap
    #expect((90...110).contains(three.width))
    for bitmap in [one, three] {
      // The ink fills the height and the width between the margins.
      #expect(rows(bitmap) == 2...29)
      #expect(columns(bitmap) == 2...bitmap.width - 3)
    }
  }

  @Test func aStretchMakesLinesWiderAndNotHigher() throws {
    let wide = try LineRasterizer(stretch: 2)
    let (plain, stretched) = (try rasterizer.render(word), try wide.render(word))
    let ink = Double(plain.bitmap.width) - 2 * rasterizer.margin - rasterizer.penWidth
    #expect(abs(Double(stretched.bitmap.width - plain.bitmap.width) - ink) <= 2)
    #expect(rows(stretched.bitmap) == rows(plain.bitmap))
    #expect(abs(stretched.unitsPerColumn - plain.unitsPerColumn / 2) < 1e-9)
    // The strip of a stretched picture's strokes looks like them.
    let strip = try LineRasterizer(height: 64).render(word).bitmap
    let fromStrip = try wide.render(strip).bitmap
    #expect(abs(fromStrip.width - stretched.bitmap.width) <= 6)
    let (top, bottom) = (rows(fromStrip)?.lowerBound ?? 0, rows(fromStrip)?.upperBound ?? 0)
    #expect((1...4).contains(top) && (27...30).contains(bottom))
    let stored = try JSONEncoder().encode(wide)
    #expect(try JSONDecoder().decode(LineRasterizer.self, from: stored) == wide)
    #expect(throws: RasterError.self) { try LineRasterizer(stretch: 0.5) }
  }

  @Test func aViewMakesALineWiderLetsItRiseAndLean() throws {
    let strip = try LineRasterizer(height: 96, penWidth: 6).render(word).bitmap
    let bars = Drawing([bar(x: 0, height: 30), bar(x: 100, height: 30)])
    let barStrip = try LineRasterizer(height: 96, penWidth: 6).render(bars).bitmap
    func images(_ view: LineView) throws -> [Bitmap] {
      [
        try rasterizer.render(word, isTraced: false, view: view).bitmap,
        try rasterizer.render(StripInk(strip), view: view).bitmap,
      ]
    }
    for (plain, wide) in zip(try images(.plain), try images(LineView(stretch: 1.2))) {
      #expect(abs(Double(wide.width) - 1.2 * Double(plain.width)) <= 3)
      #expect(rows(wide) == rows(plain))
    }
    for slope in [0.05, -0.05] {
      for bitmap in try images(LineView(slope: slope)) {
        let left = try #require(rows(bitmap, columns: 0..<bitmap.width / 4))
        let right = try #require(rows(bitmap, columns: bitmap.width * 3 / 4..<bitmap.width))
        let rise = Double(left.upperBound - right.upperBound) / Double(bitmap.width)
        #expect((0.6...0.9).contains(rise / slope), "\(rise)")
      }
    }
    // The stretch of the rasteriser makes the slant wider.
    let wide = try LineRasterizer(stretch: 1.5)
    for slant in [0.5, -0.5] {
      for image in [
        try wide.render(bars, isTraced: false, view: LineView(slant: slant)),
        try wide.render(StripInk(barStrip), view: LineView(slant: slant)),
      ] {
        // No ink is cut off, and the upper end of a bar lies to the right.
        let ink = try #require(columns(image.bitmap))
        #expect(ink.lowerBound >= 1 && ink.upperBound <= image.bitmap.width - 2)
        let ends = try [0..<8, 24..<32].map { rows in
          let inked = (0..<image.bitmap.width / 2).filter { column in
            rows.contains { image.bitmap[$0, column] > 128 }
          }
          return Double(try #require(inked.first) + inked.last!) / 2
        }
        #expect(abs((ends[0] - ends[1]) / slant - 33) < 4, "\(ends)")
      }
    }
  }

  /// A long line that rose by the slope of a view would become small, and its ends flat.
  @Test func aLongLineRisesLittleInAView() throws {
    let long = Drawing((0..<40).map { ring(x: 30 * Double($0), height: 22) })
    let heights = try [LineView.plain, LineView(slope: 0.07)].map { view in
      let bitmap = try rasterizer.render(long, isTraced: false, view: view).bitmap
      return Double(try #require(rows(bitmap, columns: 0..<bitmap.width / 40)).count)
    }
    #expect((0.65...0.95).contains(heights[1] / heights[0]), "\(heights)")
  }

  @Test(arguments: [1e-9, 1, 1e9]) func sizeAndPlaceDoNotShow(scale: Double) throws {
    let one = try rasterizer.render(word)
    let other = try rasterizer.render(
      word.transformed(
        by: Transform.scale(x: scale, y: scale).then(.translation(x: 3 * scale, y: -9 * scale))))
    #expect(greatestDifference(one.bitmap, other.bitmap) <= 2)
    // The first ring starts at x 0, which is 3 after the translation.
    for (image, x, unit) in [(one, 0, 1.0), (other, 3 * scale, scale)] {
      let first = try #require(columns(image.bitmap)).lowerBound
      #expect(abs(image.x(column: first + 1) - x) < 1.5 * unit)
    }
  }

  @Test func relativeSizesAndTheDropOfASubscriptStay() throws {
    let image = try rasterizer.render(
      Drawing([ring(x: 0, height: 40), ring(x: 32, height: 20, baseline: 10)])
    ).bitmap
    let middle = image.width * 30 / 46
    let large = try #require(rows(image, columns: 0..<middle))
    let small = try #require(rows(image, columns: middle..<image.width))
    #expect(large.lowerBound == 2 && small.upperBound == 29)
    #expect(abs(Double(small.count) / Double(large.count) - 0.55) < 0.08)
    #expect(small.upperBound - large.upperBound >= 4)
  }

  @Test(arguments: [-0.35, -0.2, 0.1, 0.3]) func aSlopingLineIsLevelled(slope: Double) throws {
    let level = try rasterizer.render(word).bitmap
    let sloping = Drawing(
      word.strokes.map { Stroke($0.points.map { Point($0.x, $0.y + slope * $0.x) }) })
    let bitmap = try rasterizer.render(sloping).bitmap
    #expect(abs(Double(bitmap.width - level.width)) <= 0.12 * Double(level.width))
    // The left and the right end are at the same height.
    let left = try #require(rows(bitmap, columns: 0..<bitmap.width / 4))
    let right = try #require(rows(bitmap, columns: bitmap.width * 3 / 4..<bitmap.width))
    #expect(abs(left.upperBound - right.upperBound) <= 2)
  }

  @Test func shortOrStraightInkIsNotLevelled() throws {
    // A slash stays a slash, a dash that rises stays one, and a subscript stays below.
    let slash = try rasterizer.render(Drawing([Stroke([Point(0, 20), Point(40, 0)])])).bitmap
    let left = try #require(rows(slash, columns: 0..<slash.width / 3))
    let right = try #require(rows(slash, columns: slash.width * 2 / 3..<slash.width))
    #expect(left.lowerBound > right.upperBound)
    let name = try rasterizer.render(
      Drawing([ring(x: 0, height: 30), bar(x: 30, height: 18, baseline: 10)])
    ).bitmap
    let letter = try #require(rows(name, columns: 0..<name.width / 2))
    #expect(try #require(rows(name)).upperBound - letter.upperBound >= 4)
  }

  @Test func oneTallStrokeDoesNotMakeTheOthersSmall() throws {
    let plain = try rasterizer.render(word).bitmap
    var tall = word
    tall.strokes.append(bar(x: 310, height: 200, baseline: 80))
    let bitmap = try rasterizer.render(tall).bitmap
    let letters = try #require(rows(bitmap, columns: 0..<bitmap.width / 2)).count
    // Scaled to the whole extent, the letters would have a fifth of the height.
    #expect(letters >= 10 && rows(plain)?.count == 28)
    #expect(rows(bitmap) == 2...29)
  }

  // MARK: Bad input

  @Test func withoutPointsThePictureIsBlank() throws {
    for drawing in [Drawing([]), Drawing([Stroke([])])] {
      let image = try rasterizer.render(drawing)
      #expect(image.isBlank && image.bitmap.width == 8 && image.bitmap.height == 32)
    }
  }

  @Test func aDotIsADotInTheMiddle() throws {
    let dot = try rasterizer.render(Drawing([Stroke([Point(5, 5)])]))
    #expect(dot.bitmap.width == 8 && dot.bitmap[15, 3] > 150 && dot.bitmap[16, 4] > 150)
    #expect(dot.bitmap.pixels.count { $0 > 0 } <= 16)
    let same = Drawing([Stroke([Point(1e9, -1e9), Point(1e9, -1e9)])])
    #expect(try rasterizer.render(same).bitmap == dot.bitmap)
  }

  @Test func dashesAndDotsKeepASensibleSize() throws {
    let dash = Stroke([Point(0, 0), Point(30, 1)])
    #expect((24...40).contains(try rasterizer.render(Drawing([dash])).bitmap.width))
    let twice = Stroke([Point(0, 0), Point(30, 0.2), Point(0, 0), Point(30, 0)])
    #expect((24...40).contains(try rasterizer.render(Drawing([twice])).bitmap.width))
    let equals = Drawing([dash, Stroke([Point(0, 8), Point(30, 9)])])
    let bitmap = try rasterizer.render(equals).bitmap
    #expect((24...40).contains(bitmap.width) && bitmap[16, bitmap.width / 2] == 0)
    let dots = try rasterizer.render(Drawing([0, 10, 20].map { Stroke([Point($0, 0)]) })).bitmap
    #expect(dots.width < 800)
    let inked = (0..<dots.width).map { column in (0..<dots.height).contains { dots[$0, column] > 0 }
    }
    #expect(zip(inked, inked.dropFirst() + [false]).count { $0 && !$1 } == 3)
  }

  @Test func manyPointsAreDrawnAndTooLongALineIsRefused() throws {
    let few = try rasterizer.render(circle(radius: 50, count: 1000)).bitmap
    #expect(
      greatestDifference(try rasterizer.render(circle(radius: 50, count: 100_000)).bitmap, few) <= 2
    )
    let letters = Drawing((0..<200).map { ring(x: Double($0) * 30, height: 22) })
    do {
      _ = try rasterizer.render(letters)
      Issue.record("6,000 columns were drawn")
    } catch .tooLong(let columns, let limit) {
      #expect((6000...8000).contains(columns) && limit == 2048)
    } catch {
      Issue.record("\(error)")
    }
    // Ups and downs that are tiny for the width.
    let noise = Stroke((0..<100_000).map { Point(Double($0), Double($0 % 2)) })
    #expect(throws: RasterError.self) { try rasterizer.render(Drawing([noise])) }
  }

  @Test func whatIsNotFiniteIsNamed() throws {
    let drawing = Drawing([ring(x: 0, height: 9), Stroke([Point(1, 1), Point(.nan, 2)])])
    do {
      _ = try rasterizer.render(drawing)
      Issue.record("a drawing with nan was drawn")
    } catch .notFinite(let stroke, let point, _, let y) {
      #expect(stroke == 2 && point == 2 && y == 2)
    } catch {
      Issue.record("\(error)")
    }
    #expect(throws: RasterError.tooFarApart) {
      try rasterizer.render(Drawing([Stroke([Point(-1e308, 0), Point(1.7e308, 0)])]))
    }
    let huge = try rasterizer.render(Drawing([Stroke([Point(-8e307, 0), Point(8e307, 8e307)])]))
    #expect(!huge.isBlank && huge.bitmap.width < 100)
  }

  @Test(arguments: 0..<60) func anyInkStaysOnThePicture(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let drawing = Drawing(
      (0..<1 + generator.index(below: 8)).map { _ in
        let (x, y) = (100 * generator.normal(), 20 * generator.normal())
        return Stroke(
          (0..<generator.index(below: 20)).map { _ in
            Point(x + 20 * generator.normal(), y + 20 * generator.normal())
          })
      })
    let image = try rasterizer.render(drawing)
    let bitmap = image.bitmap
    #expect(bitmap.height == 32 && (8...2048).contains(bitmap.width))
    #expect(image.isBlank == (drawing.bounds == nil))
    // The margins are 2 pixels wide.
    for column in 0..<bitmap.width {
      #expect([0, 1, 30, 31].allSatisfy { bitmap[$0, column] == 0 })
    }
    for row in 0..<32 {
      #expect(
        [0, 1].allSatisfy { bitmap[row, $0] == 0 && bitmap[row, bitmap.width - 1 - $0] == 0 })
    }
  }

  @Test(arguments: [
    (15, 2.0, 2.0, 8, 2048), (257, 2, 2, 8, 2048), (32, -1, 2, 8, 2048), (32, 2, 0.1, 8, 2048),
    (32, 12, 2, 8, 2048), (32, .nan, 2, 8, 2048), (32, 2, 2, 3, 2048), (32, 2, 2, 9, 8),
    (32, 2, 2, 8, 20_000),
  ])
  func parametersOutOfRangeAreRefused(
    height: Int, margin: Double, penWidth: Double, minWidth: Int, maxWidth: Int
  ) throws {
    #expect(throws: RasterError.self) {
      try LineRasterizer(
        height: height, margin: margin, penWidth: penWidth, minWidth: minWidth, maxWidth: maxWidth)
    }
    let json =
      #"{"height":\#(height),"margin":\#(margin.isNaN ? -1 : margin),"penWidth":\#(penWidth),"#
      + #""minWidth":\#(minWidth),"maxWidth":\#(maxWidth)}"#
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(LineRasterizer.self, from: Data(json.utf8))
    }
  }

  @Test func theParametersAreStored() throws {
    let own = try LineRasterizer(
      height: 48, margin: 3, penWidth: 2.5, minWidth: 16, maxWidth: 1024)
    let decoded = try JSONDecoder().decode(
      LineRasterizer.self, from: JSONEncoder().encode(own))
    #expect(decoded == own && decoded != rasterizer)
    #expect(try own.with(penWidth: 1).penWidth == 1 && own.with(margin: 1).height == 48)
    #expect(try own.render(word).bitmap.height == 48)
  }

  // MARK: Strips

  /// A strip on which `bitmap` is dark ink, with light that falls from left to right.
  private func strip(
    _ bitmap: Bitmap, margin: Int = 12, paper: Double = 230, shade: Double = 90, ink: Double = 100,
    noise: Double = 0, seed: UInt64 = 1
  ) -> Bitmap {
    var generator = SeededGenerator(seed: seed)
    var strip = Bitmap(width: bitmap.width + 2 * margin, height: bitmap.height + margin)
    for row in 0..<strip.height {
      for column in 0..<strip.width {
        let (y, x) = (row - margin / 2, column - margin)
        let isInside = (0..<bitmap.height).contains(y) && (0..<bitmap.width).contains(x)
        let share = isInside ? Double(bitmap[y, x]) / 255 : 0
        let light = paper - shade * Double(column) / Double(strip.width)
        let value = light - ink * share + noise * generator.normal()
        strip[row, column] = UInt8(min(255, max(0, value)))
      }
    }
    return strip
  }

  /// The share of the ink of each of two pictures, centred on each other, that is at most a pixel from
  /// ink of the other: the smaller one.
  private func agreement(_ a: Bitmap, _ b: Bitmap) -> Double {
    func covered(_ a: Bitmap, by b: Bitmap) -> Double {
      let shift = (b.width - a.width) / 2
      var (near, all) = (0, 0)
      for row in 0..<a.height {
        for column in 0..<a.width where a[row, column] > 127 {
          all += 1
          let rows = max(0, row - 1)...min(b.height - 1, row + 1)
          let columns = max(0, column + shift - 1)...min(b.width - 1, column + shift + 1)
          if rows.contains(where: { row in columns.contains { b[row, $0] > 127 } }) { near += 1 }
        }
      }
      return Double(near) / Double(all)
    }
    return min(covered(a, by: b), covered(b, by: a))
  }

  @Test func aStripLooksLikeItsStrokes() throws {
    let drawn = try rasterizer.render(word).bitmap
    let large = try LineRasterizer(height: 96, margin: 6, penWidth: 6).render(word).bitmap
    for source in [drawn, large] {
      let dark = strip(source)
      for (picture, name) in [
        (dark, "dark"), (dark.inverted(), "light"), (strip(source, noise: 5), "noise"),
        (strip(source, paper: 140, shade: 60, ink: 60), "dim"),
      ] {
        let image = try rasterizer.render(picture)
        #expect(image.bitmap.height == 32)
        #expect(abs(image.bitmap.width - drawn.width) <= 6, "\(name)")
        #expect(agreement(drawn, image.bitmap) > 0.97, "\(name)")
        // The strip has a margin of 12 pixels to the left of the source's own margin.
        let first = try #require(columns(image.bitmap)).lowerBound
        let left = 12 + Double(try #require(columns(source)).lowerBound)
        #expect(abs(image.x(column: first) - left) < 4)
      }
    }
  }

  @Test(arguments: [1, 2, 4]) func aThinPenOnALargeStripIsDrawnWider(penWidth: Double) throws {
    let drawn = try rasterizer.render(word).bitmap
    let large = try LineRasterizer(height: 160, margin: 10, penWidth: penWidth).render(word).bitmap
    let image = try rasterizer.render(strip(large)).bitmap
    #expect(agreement(drawn, image) > 0.9)
    // At least half of the ink of the strokes' own pen.
    func ink(_ bitmap: Bitmap) -> Int { bitmap.pixels.reduce(0) { $0 + Int($1) } }
    #expect(2 * ink(image) > ink(drawn) && ink(image) < ink(drawn))
  }

  @Test(arguments: [false, true]) func boldInkIsFound(isLight: Bool) throws {
    // Ink covers more of the strip than the background, except at the ends.
    var bold = Bitmap(width: 140, height: 48, filledWith: 190)
    for column in 8..<132 where (column - 8) % 14 < 10 {
      for row in 2..<46 { bold[row, column] = UInt8(30 + row % 3) }
    }
    let image = try rasterizer.render(isLight ? bold.inverted() : bold)
    // The bars are ink, drawn with a thinner pen, and the gaps are not.
    func value(x: Double) -> UInt8 {
      image.bitmap[16, Int((x - image.left) / image.unitsPerColumn)]
    }
    for bar in 0..<8 {
      #expect(value(x: 13 + 14 * Double(bar)) > 200)
      #expect(value(x: 20 + 14 * Double(bar)) < 60)
    }
  }

  @Test func aSlopingStripIsLevelled() throws {
    let sloping = Drawing(
      word.strokes.map { Stroke($0.points.map { Point($0.x, $0.y + 0.2 * $0.x) }) })
    // Drawn as it is: 300 wide and 100 high.
    var picture = Bitmap(width: 340, height: 130, filledWith: 220)
    for stroke in sloping.strokes {
      for point in stroke.resampled(spacing: 0.5).points {
        for dy in 0...1 {
          for dx in 0...1 { picture[Int(point.y) + 50 + dy, Int(point.x) + 20 + dx] = 40 }
        }
      }
    }
    let level = try rasterizer.render(word).bitmap
    let bitmap = try rasterizer.render(picture).bitmap
    #expect(abs(Double(bitmap.width - level.width)) <= 0.12 * Double(level.width))
    #expect(agreement(level, bitmap) > 0.9)
  }

  @Test func dirtAndPaperLinesAreRemoved() throws {
    let source = try LineRasterizer(height: 64, margin: 4, penWidth: 4).render(word).bitmap
    let clean = try rasterizer.render(strip(source)).bitmap
    var dirty = strip(source)
    for (row, column) in [(1, 3), (60, 9), (70, 200), (5, 320)] { dirty[row, column] = 10 }
    #expect(agreement(clean, try rasterizer.render(dirty).bitmap) > 0.97)
    var lined = strip(source)
    for column in 0..<lined.width {
      let row = 48 + column / 150
      for y in row...row + 1 { lined[y, column] = UInt8(max(0, Int(lined[y, column]) - 90)) }
    }
    let without = try rasterizer.render(lined).bitmap
    #expect(abs(without.width - clean.width) <= 4)
    #expect(agreement(clean, without) > 0.9)
  }

  @Test func whatIsLeftOfNeighboursIsRemoved() throws {
    let source = try LineRasterizer(height: 64, margin: 4, penWidth: 4).render(word).bitmap
    let clean = try rasterizer.render(strip(source)).bitmap
    var cut = strip(source)
    // The width of the strip is a bit over 400.
    for column in 40..<300 where column % 40 < 5 {
      for row in 0..<4 { cut[row, column] = 20 }
      for row in 71..<76 { cut[row, column + 10] = 20 }
    }
    #expect(agreement(clean, try rasterizer.render(cut).bitmap) > 0.97)
  }

  @Test func stripsWithoutWritingAreBlank() throws {
    var generator = SeededGenerator(seed: 2)
    let noise = [6.0, 12].map { deviation in
      var noise = Bitmap(width: 200, height: 48)
      for row in 0..<48 {
        for column in 0..<200 {
          noise[row, column] = UInt8(200 + min(50, max(-50, deviation * generator.normal())))
        }
      }
      return noise
    }
    var ramp = Bitmap(width: 200, height: 48)
    for row in 0..<48 { for column in 0..<200 { ramp[row, column] = UInt8(50 + column) } }
    for strip in [
      Bitmap(width: 0, height: 0), Bitmap(width: 1, height: 1, filledWith: 200),
      Bitmap(width: 1, height: 1), Bitmap(width: 200, height: 48, filledWith: 128), ramp,
      Bitmap(width: 20_000, height: 48, filledWith: 255), Bitmap(width: 3, height: 500),
    ] + noise {
      let image = try rasterizer.render(strip)
      #expect(image.isBlank && image.bitmap.width == 8 && image.bitmap.height == 32)
    }
  }

  @Test func wideAndHighStripsAreCroppedOrRefused() throws {
    let source = try LineRasterizer(height: 48).render(word).bitmap
    var wide = Bitmap(width: 20_000, height: 60, filledWith: 240)
    for row in 0..<source.height {
      for column in 0..<source.width where source[row, column] > 100 {
        wide[row + 6, column + 15_000] = 30
      }
    }
    let image = try rasterizer.render(wide)
    #expect(image.bitmap.width < 400)
    #expect(abs(image.x(column: 2) - 15_002) < 5)
    let full = Bitmap(
      width: 20_000, height: 60,
      pixels: (0..<60 * 20_000).map { index in
        let (row, column) = (index / 20_000, index % 20_000)
        return column % 30 < 3 && (10..<50).contains(row) ? 20 : 240
      })
    #expect(throws: RasterError.self) { try rasterizer.render(full) }
    let high = try LineRasterizer(height: 256, margin: 16, penWidth: 16).render(word).bitmap
    var larger = Bitmap(width: high.width * 2, height: 512, filledWith: 250)
    for row in 0..<512 {
      for column in 0..<larger.width where high[row / 2, column / 2] > 127 {
        larger[row, column] = 20
      }
    }
    #expect(
      agreement(try rasterizer.render(word).bitmap, try rasterizer.render(larger).bitmap) > 0.97)
  }
}
