import Foundation
import Ink
import InkRaster
import Testing
import TestSupport

/// Pictures of all sizes in the frame of the pictures that a network has learnt.
@Suite(.timeLimit(.minutes(30))) struct PictureFrameTests {
  /// A six, whose centre of mass is not the middle of its box.
  private static let six = Drawing([
    Stroke([Point(40, 0), Point(0, 40), Point(0, 100), Point(60, 100), Point(60, 60), Point(0, 60)])
  ])

  /// The six on a picture of `size` pixels with `margin`, both in pixels; the pen is in proportion to it.
  private static func picture(size: Int, margin: Double) throws -> Bitmap {
    try Rasterizer(size: size, margin: margin, penWidth: (Double(size) - 2 * margin) / 8).render(
      six)
  }

  private static func meanDifference(_ a: Bitmap, _ b: Bitmap) -> Double {
    zip(a.pixels, b.pixels).reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) }
      / Double(a.pixels.count)
  }

  /// The frame of MNIST: ink of 20 pixels, centred by its mass.
  private static func mnist() throws -> Rasterizer {
    try Rasterizer(
      margin: 4, pictures: PictureFrame(side: 20, sides: 19...20, drift: 0.6, centersMass: true))
  }

  @Test(arguments: [28, 56, 112, 300]) func everySizeAndMarginGivesTheSamePicture(
    size: Int
  ) throws {
    let unit = Double(size) / 28
    for rasterizer in [
      try Self.mnist(), try Rasterizer(pictures: .margin(4, size: 28)),
      try Rasterizer(pictures: .margin(1, size: 28)),
    ] {
      let usual = rasterizer.fit(try Self.picture(size: 28 * 8, margin: 4 * 8))
      #expect(usual.width == 28 && usual.height == 28)
      for margin in [4.0, 1, 7] where size > 28 || margin == 4 {
        let fitted = rasterizer.fit(try Self.picture(size: size, margin: margin * unit))
        #expect(
          Self.meanDifference(fitted, usual) < 9,
          "\(size), margin \(margin): \(Self.meanDifference(fitted, usual))")
      }
    }
  }

  @Test func whatIsInTheFrameIsNotTouched() throws {
    let rasterizer = try Self.mnist()
    let framed = rasterizer.fit(try Self.picture(size: 56, margin: 2))
    #expect(rasterizer.fit(framed) == framed)
    // As wide as the frame, and less high.
    var low = Bitmap(width: 28, height: 20)
    for row in 2..<18 { for column in 4..<24 { low[row, column] = 255 } }
    #expect(rasterizer.fit(low).width == 28 && rasterizer.fit(low).height == 28)
    // Twice as large, it is scaled as a whole, to the same bytes.
    var doubled = Bitmap(width: 56, height: 56)
    for row in 0..<56 {
      for column in 0..<56 { doubled[row, column] = framed[row / 2, column / 2] }
    }
    #expect(
      Self.meanDifference(rasterizer.fit(doubled), framed) == 0,
      "\(Self.meanDifference(rasterizer.fit(doubled), framed))")
    // The rasteriser's own pictures are in the frame of its margin.
    let own = try Rasterizer(pictures: .margin(1, size: 28))
    let drawn = try own.render(Self.six)
    #expect(own.fit(drawn) == drawn)
  }

  @Test func inkIsCentredByItsMassAndStaysOnThePicture() throws {
    let rasterizer = try Self.mnist()
    for bitmap in [
      rasterizer.fit(try Self.picture(size: 90, margin: 3)), try rasterizer.render(Self.six),
    ] {
      let ink = try #require(InkPlacement(of: bitmap))
      #expect(abs(ink.mass.x - 14) < 0.5 && abs(ink.mass.y - 14) < 0.5, "\(ink.mass)")
      #expect(abs(ink.middle.x - 14) > 0.5 || abs(ink.middle.y - 14) > 0.5)
    }
    // Nearly all of the mass is at the right end.
    var heavy = Bitmap(width: 60, height: 60)
    for column in 5..<55 { heavy[30, column] = 255 }
    for row in 20..<40 { for column in 50..<55 { heavy[row, column] = 255 } }
    let large = try Rasterizer(
      pictures: PictureFrame(side: 26, sides: 25...26, drift: 0.5, centersMass: true))
    let ink = try #require(InkPlacement(of: large.fit(heavy)))
    #expect(ink.columns.lowerBound <= 2 && ink.columns.count >= 25)
  }

  @Test func aWholeFrameScalesEveryPicture() throws {
    let rasterizer = try Rasterizer(pictures: .whole(size: 28))
    var corner = Bitmap(width: 56, height: 56)
    for row in 0..<4 { for column in 0..<4 { corner[row, column] = 200 } }
    let fitted = rasterizer.fit(corner)
    #expect(fitted[0, 0] == 200 && fitted[1, 1] == 200 && fitted[2, 2] == 0)
    #expect(fitted.pixels.count { $0 > 0 } == 4)
    // A picture that is not square keeps its aspect ratio, in the middle.
    let wide = rasterizer.fit(Bitmap(width: 56, height: 28, filledWith: 90))
    #expect(wide[6, 3] == 0 && wide[7, 0] == 90 && wide[20, 27] == 90 && wide[21, 3] == 0)
  }

  @Test func aFrameIsStoredAndEarlierModelsHaveNone() throws {
    let rasterizer = try Self.mnist()
    let data = try JSONEncoder().encode(rasterizer)
    #expect(try JSONDecoder().decode(Rasterizer.self, from: data) == rasterizer)
    let text = String(decoding: try JSONEncoder().encode(Rasterizer.standard), as: UTF8.self)
    #expect(!text.contains("pictures"))
    let earlier = Data(#"{"size": 28, "margin": 1, "penWidth": 1.75}"#.utf8)
    #expect(try JSONDecoder().decode(Rasterizer.self, from: earlier) == .standard)
    for bad in [
      #"{"side": 0, "sides": [1, 2], "drift": 0, "centersMass": false}"#,
      #"{"side": 5, "sides": [-1, 2], "drift": 0, "centersMass": false}"#,
      #"{"side": 5, "sides": [1, 2], "drift": -1, "centersMass": false}"#,
      #"{"side": 5, "sides": [3, 2], "drift": 1, "centersMass": false}"#,
    ] {
      #expect(throws: (any Error).self) {
        try JSONDecoder().decode(PictureFrame.self, from: Data(bad.utf8))
      }
    }
  }

  @Test(arguments: [(1, 1), (3, 70), (33, 65)]) func aPictureIsTurnedByQuarters(
    width: Int, height: Int
  ) {
    let picture = Bitmap(
      width: width, height: height,
      pixels: (0..<width * height).map { UInt8(truncatingIfNeeded: 7 * $0) })
    let turned = picture.turned(byQuarters: 1)
    #expect(turned.width == height && turned.height == width)
    // Clockwise: the first column from below becomes the first row.
    for row in 0..<height {
      for column in 0..<width {
        #expect(turned[column, height - 1 - row] == picture[row, column])
      }
    }
    #expect(picture.turned(byQuarters: 5) == turned)
    #expect(turned.turned(byQuarters: -1) == picture)
    #expect(picture.transposed().transposed() == picture)
  }
}
