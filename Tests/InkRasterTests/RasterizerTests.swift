import Foundation
import Ink
import InkDatasets
import InkRaster
import SeededRandom
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30))) struct RasterizerTests {
  private struct Reference: Decodable {
    var name: String
    var strokes: [[[Double]]]
    var size: Int
    var margin: Double
    var penWidth: Double
    var pixels: [UInt8]
  }

  /// Made by `scripts/reference/make-bitmap-references.py`.
  @Test func referenceBitmapsAreDrawnToTheByte() throws {
    let url = Bundle.module.bundleURL.appendingPathComponent("References/bitmaps.json")
    let references = try JSONDecoder().decode([Reference].self, from: Data(contentsOf: url))
    #expect(references.count == 9)
    for reference in references {
      let rasterizer = try Rasterizer(
        size: reference.size, margin: reference.margin, penWidth: reference.penWidth)
      let drawing = Drawing(
        reference.strokes.map { Stroke($0.map { Point($0[0], $0[1]) }) })
      #expect(try rasterizer.render(drawing).pixels == reference.pixels, "\(reference.name)")
    }
  }

  private func render(_ points: [Point]) throws -> Bitmap {
    try Rasterizer.standard.render(Drawing([Stroke(points)]))
  }

  private func greatestDifference(_ a: Bitmap, _ b: Bitmap) -> Int {
    zip(a.pixels, b.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }

  private var dot: Bitmap {
    get throws { try render([Point(0, 0)]) }
  }

  @Test func nothingIsBlank() throws {
    #expect(try Rasterizer.standard.render(Drawing([])).pixels.allSatisfy { $0 == 0 })
    #expect(try render([]).pixels.allSatisfy { $0 == 0 })
  }

  @Test func onePointAndCoincidentPointsAreADotInTheMiddle() throws {
    let dot = try dot
    #expect(dot[13, 13] > 150 && dot[14, 14] > 150)
    #expect(dot.pixels.count { $0 > 0 } <= 12)
    #expect(try render([Point(5, 5), Point(5, 5), Point(5, 5)]) == dot)
    #expect(try render([Point(1e9, -1e9)]) == dot)
    // An extent that no number can be divided by is none.
    #expect(try render([Point(0, 0), Point(.leastNonzeroMagnitude, 0)]) == dot)
  }

  @Test func verticalAndHorizontalLinesStayLines() throws {
    let horizontal = try render([Point(10, 50), Point(90, 50)])
    let vertical = try render([Point(50, 10), Point(50, 90)])
    for row in 0..<28 {
      for column in 0..<28 {
        #expect(horizontal[row, column] == vertical[column, row])
        if !(12...15).contains(row) { #expect(horizontal[row, column] == 0) }
      }
    }
    #expect((3..<25).allSatisfy { horizontal[13, $0] > 200 && horizontal[14, $0] > 200 })
    #expect(horizontal[13, 0] == 0 && horizontal[13, 27] == 0)
  }

  @Test(arguments: 0..<40) func sizeAndPlaceDoNotShow(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let label = Synthesizer.Repertoire.automata.labels[seed % 4]
    let drawing = Synthesizer(seed: 5).recording(label: label, writer: seed, index: 0).drawing
    let bounds = try #require(drawing.bounds)
    try #require(bounds.longerSide > 10)
    let small = drawing.transformed(
      by: .scale(x: 40 / bounds.longerSide, y: 40 / bounds.longerSide))
    let large = drawing.transformed(
      by: Transform.scale(x: 4000 / bounds.longerSide, y: 4000 / bounds.longerSide)
        .then(.translation(x: generator.normal() * 1e5, y: 1e6)))
    let difference = greatestDifference(
      try Rasterizer.standard.render(small), try Rasterizer.standard.render(large))
    #expect(difference <= 2)
  }

  @Test(arguments: [1e9, 1e-9, 1e-300, 1e300]) func anyMagnitudeIsFramed(scale: Double) throws {
    let one = try Rasterizer.standard.render(circle(radius: 1))
    let other = try Rasterizer.standard.render(
      circle(radius: 1).transformed(by: .scale(x: scale, y: scale)))
    #expect(greatestDifference(one, other) <= 2)
  }

  @Test func farFromTheOriginIsFramed() throws {
    let one = try Rasterizer.standard.render(circle(radius: 50))
    let far = try Rasterizer.standard.render(circle(x: 1e9, y: -1e9, radius: 50))
    #expect(greatestDifference(one, far) <= 2)
  }

  @Test func aMillionPointsAreDrawn() throws {
    let many = try Rasterizer.standard.render(circle(radius: 100, count: 1_000_000))
    let few = try Rasterizer.standard.render(circle(radius: 100, count: 1000))
    #expect(greatestDifference(many, few) <= 2)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func whatIsNotFiniteIsNamed(value: Double) throws {
    let drawing = Drawing([Stroke([Point(0, 0)]), Stroke([Point(1, 1), Point(2, value)])])
    do {
      _ = try Rasterizer.standard.render(drawing)
      Issue.record("a drawing with \(value) was drawn")
    } catch .notFinite(let stroke, let point, let x, _) {
      #expect(stroke == 2 && point == 2 && x == 2)
    } catch {
      Issue.record("\(error)")
    }
    #expect(throws: RasterError.tooFarApart) {
      try Rasterizer.standard.render(Drawing([Stroke([Point(-1e308, 0), Point(1.7e308, 0)])]))
    }
  }

  @Test func thePenWidthIsThatOfTheOutput() throws {
    for (width, least, most) in [(1.0, 0.9, 1.1), (2.0, 1.9, 2.1), (3.0, 2.9, 3.1)] {
      let rasterizer = try Rasterizer(penWidth: width)
      for length in [40.0, 400] {
        let line = try rasterizer.render(Drawing([Stroke([Point(0, 0), Point(length, 0)])]))
        let ink = (0..<28).reduce(0.0) { $0 + Double(line[$1, 13]) / 255 }
        #expect((least...most).contains(ink))
      }
    }
  }

  @Test(arguments: [
    (7, 1.0, 2.0), (513, 1, 2), (28, -1, 2), (28, 1, 0.1), (28, 13, 2), (28, .nan, 2),
  ])
  func parametersOutOfRangeAreRefused(size: Int, margin: Double, penWidth: Double) {
    #expect(throws: RasterError.self) {
      try Rasterizer(size: size, margin: margin, penWidth: penWidth)
    }
  }

  @Test func foreignPicturesAreFitted() throws {
    // A frame of ink, 60 pixels wide and 30 high, somewhere on a large picture.
    var picture = Bitmap(width: 200, height: 100)
    for column in 100..<160 {
      for row in 20..<50 where row < 24 || row >= 46 || column < 104 || column >= 156 {
        picture[row, column] = 255
      }
    }
    let fitted = Rasterizer.standard.fit(picture)
    #expect(fitted.width == 28 && fitted.height == 28)
    #expect((0..<28).allSatisfy { fitted[0, $0] == 0 && fitted[$0, 0] == 0 })
    #expect(fitted[14, 1] > 200 && fitted[14, 26] > 200 && fitted[14, 14] == 0)
    #expect(fitted[8, 14] > 200 && fitted[19, 14] > 200 && fitted[6, 14] == 0)
    #expect(Rasterizer.standard.fit(fitted) == fitted)
    #expect(Rasterizer.standard.fit(Bitmap(width: 5, height: 9)).pixels.allSatisfy { $0 == 0 })
    for (width, height) in [(28, 40), (40, 28)] {
      let oneSide = Rasterizer.standard.fit(Bitmap(width: width, height: height))
      #expect(oneSide.width == 28 && oneSide.height == 28)
    }
  }

  @Test func faintDirtDoesNotCountAsInk() throws {
    var picture = Bitmap(width: 200, height: 200)
    for row in 100..<140 { for column in 100..<140 { picture[row, column] = 250 } }
    let clean = Rasterizer.standard.fit(picture)
    // A tenth of the brightest pixel is dirt, what is brighter is ink.
    picture[3, 3] = 25
    #expect(Rasterizer.standard.fit(picture) == clean)
    picture[3, 3] = 26
    #expect(Rasterizer.standard.fit(picture) != clean)
  }

  // MARK: Bitmaps

  // Which of the two takes a property is decided by whether it can be set from here.
  private func canBeSet<Value>(_ path: WritableKeyPath<Bitmap, Value>) -> Bool { true }
  private func canBeSet<Value>(_ path: KeyPath<Bitmap, Value>) -> Bool { false }

  @Test func pixelsCannotBecomeMoreOrFewer() {
    // Whoever could set them all could set too few, and the PNG writer would read past their end.
    #expect(!canBeSet(\Bitmap.pixels) && !canBeSet(\Bitmap.width) && canBeSet(\Bitmap.[0, 0]))
    var bitmap = Bitmap(width: 3, height: 2, filledWith: 7)
    bitmap[1, 2] = 9
    #expect(bitmap.pixels == [7, 7, 7, 7, 7, 9])
  }

  @Test func maximumPixelsDecideWhetherInkIsDark() {
    #expect(!Bitmap(width: 2, height: 2, pixels: [128, 128, 127, 127]).isDarkOnLight)
    #expect(Bitmap(width: 3, height: 1, pixels: [128, 128, 127]).isDarkOnLight)
    #expect(!Bitmap(width: 1, height: 1, pixels: [127]).isDarkOnLight)
    #expect(!Bitmap(width: 0, height: 0).isDarkOnLight)
    let bitmap = Bitmap(width: 2, height: 2, pixels: [0, 255, 100, 51])
    #expect(bitmap.inverted().pixels == [255, 0, 155, 204])
    #expect(bitmap.dimmed(to: 0.5).pixels == [0, 128, 50, 26])
    #expect(bitmap.characters == "  @@\n--..")
  }
}
