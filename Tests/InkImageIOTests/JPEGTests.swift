import CJPEG
import Foundation
import InkImageIO
import InkRaster
import Testing

@Suite(.timeLimit(.minutes(30))) struct JPEGTests {
  /// A JPEG of 32 × 16 pixels, white with a quarter at the top left in `ink`.
  private func encode(
    ink: [UInt8], format: TJPF, subsampling: TJSAMP = TJSAMP_444, flags: Int32 = 0
  ) -> Data {
    let channels = ink.count
    var samples = [UInt8](repeating: 255, count: 32 * 16 * channels)
    for row in 0..<8 {
      for column in 0..<16 {
        for (channel, value) in ink.enumerated() {
          samples[(row * 32 + column) * channels + channel] = value
        }
      }
    }
    let encoder = tjInitCompress()
    defer { tjDestroy(encoder) }
    var file: UnsafeMutablePointer<UInt8>?
    var size: UInt = 0
    tjCompress2(
      encoder, samples, 32, 0, 16, format.rawValue, &file, &size,
      Int32(subsampling.rawValue), 90, flags)
    defer { tjFree(file) }
    return Data(bytes: file!, count: Int(size))
  }

  private var red: Data { encode(ink: [200, 30, 30], format: TJPF_RGB) }

  private func color(_ picture: Photograph, row: Int, column: Int) -> [Int] {
    let start = (row * picture.width + column) * picture.channels
    return picture.samples[start..<start + picture.channels].map(Int.init)
  }

  private func isNear(_ color: [Int], _ other: [Int]) -> Bool {
    color.count == other.count && zip(color, other).allSatisfy { abs($0 - $1) <= 6 }
  }

  @Test(arguments: ["baseline", "progressive", "grey", "CMYK"]) func everyFormIsRead(
    form: String
  ) throws {
    let (data, ink) =
      switch form {
      case "progressive":
        (encode(ink: [200, 30, 30], format: TJPF_RGB, flags: TJFLAG_PROGRESSIVE), [200, 30, 30])
      case "grey": (encode(ink: [40], format: TJPF_GRAY, subsampling: TJSAMP_GRAY), [40])
      // As Adobe writes it: 255 is no ink.
      case "CMYK": (encode(ink: [200, 30, 30, 128], format: TJPF_CMYK), [100, 15, 15])
      default: (red, [200, 30, 30])
      }
    let picture = try Photograph.decode(data, path: form)
    #expect((picture.width, picture.height) == (32, 16))
    #expect(isNear(color(picture, row: 2, column: 3), ink))
    #expect(isNear(color(picture, row: 12, column: 28), ink.map { _ in 255 }))
    #expect(!picture.isDamaged)
  }

  /// Where the quarter with ink is when the picture is upright.
  @Test(arguments: [
    (1, false, false), (2, true, false), (3, true, true), (4, false, true), (5, false, false),
    (6, true, false), (7, true, true), (8, false, true),
  ])
  func picturesAreTurnedUpright(orientation: Int, isRight: Bool, isBottom: Bool) throws {
    // The segment that cameras write: TIFF with one entry, the orientation.
    let exif: [UInt8] =
      [0xFF, 0xE1, 0, 34] + Array("Exif\0\0".utf8) + Array("MM".utf8)
      + [0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0]
      + [0, 0, 0, 0]
    let picture = try Photograph.decode(red.prefix(2) + exif + red.dropFirst(2), path: "a.jpg")
    #expect((picture.width, picture.height) == (orientation < 5 ? (32, 16) : (16, 32)))
    let isRed = color(
      picture, row: isBottom ? picture.height - 3 : 2, column: isRight ? picture.width - 3 : 2)
    #expect(isNear(isRed, [200, 30, 30]))
    let isWhite = color(
      picture, row: isBottom ? 2 : picture.height - 3, column: isRight ? 2 : picture.width - 3)
    #expect(isNear(isWhite, [255, 255, 255]))
  }

  /// A JPEG of waves in grey and another colour at each place, with the mean of its pixels.
  @Test(arguments: [TJSAMP_420, TJSAMP_444, TJSAMP_GRAY]) func aLargePictureIsReadSmaller(
    subsampling: TJSAMP
  ) throws {
    let (width, height) = (141, 102)
    let channels = subsampling == TJSAMP_GRAY ? 1 : 3
    var samples: [UInt8] = []
    for row in 0..<height {
      for column in 0..<width {
        let wave = 128 + 60 * sin(Double(column) / 9) + 50 * cos(Double(row) / 7)
        for channel in 0..<channels { samples.append(UInt8(wave) + UInt8(5 * channel)) }
      }
    }
    let data = try JPEG.encode(
      Photograph(width: width, height: height, channels: channels, samples: samples), quality: 97)
    let whole = try Bitmap.decode(data, path: "a.jpg")
    #expect(Photograph.size(of: data).map { [$0.width, $0.height] } == [width, height])
    for (longerSide, parts) in [(141, 1), (71, 1), (70, 2), (36, 2), (35, 4), (17, 8), (1, 8)] {
      let picture = try Bitmap.decode(data, path: "a.jpg", longerSide: longerSide)
      #expect(picture.width == (width + parts - 1) / parts, "\(longerSide)")
      #expect(picture.height == (height + parts - 1) / parts, "\(longerSide)")
      var largest = 0.0
      // Without the places at the edges, of which the file has only a part.
      for row in 0..<height / parts {
        for column in 0..<width / parts {
          var sum = 0
          for place in 0..<parts * parts {
            sum += Int(whole[row * parts + place / parts, column * parts + place % parts])
          }
          let mean = Double(sum) / Double(parts * parts)
          largest = max(largest, abs(mean - Double(picture[row, column])))
        }
      }
      #expect(largest <= 6, "\(longerSide): \(largest)")
    }
  }

  @Test func aSmallerPictureIsUprightAndWholeToo() throws {
    let exif: [UInt8] =
      [0xFF, 0xE1, 0, 34] + Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1]
      + [1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
    let turned = try Bitmap.decode(
      red.prefix(2) + exif + red.dropFirst(2), path: "a.jpg", longerSide: 16)
    #expect((turned.width, turned.height) == (8, 16))
    // 0.299 · 200 + 0.587 · 30 + 0.114 · 30
    #expect(abs(Int(turned[1, 6]) - 81) <= 6 && turned[14, 1] >= 249)
    let adobe = encode(ink: [200, 30, 30, 128], format: TJPF_CMYK)
    let picture = try Bitmap.decode(adobe, path: "a.jpg", longerSide: 16)
    #expect((picture.width, picture.height) == (16, 8))
    #expect(abs(Int(picture[1, 1]) - 40) <= 6 && picture[6, 14] >= 249)
    #expect {
      try Bitmap.decode(red.dropLast(12), path: "a.jpg", longerSide: 16)
    } throws: {
      "\($0)" == "a.jpg: expected a whole JPEG, found the start of one"
    }
  }

  @Test func aFileThatEndsEarlyGivesWhatIsThere() throws {
    let picture = try Photograph.decode(red.dropLast(12), path: "a.jpg")
    #expect(picture.isDamaged)
    #expect(isNear(color(picture, row: 2, column: 3), [200, 30, 30]))
  }

  /// The file with another width and height in its header.
  private func resized(_ data: Data, width: Int, height: Int) throws -> Data {
    var data = data
    let frame = try #require(data.firstRange(of: Data([0xFF, 0xC0])))
    data.replaceSubrange(
      frame.upperBound + 3..<frame.upperBound + 7,
      with: [height >> 8, height & 255, width >> 8, width & 255].map(UInt8.init))
    return data
  }

  @Test func aPictureThatLiesAboutItsSizeIsRefusedBeforeItUnfolds() throws {
    for (width, height, message) in [
      (65_000, 65_000, "a.jpg: expected at most 67108864 pixels, found 65000 × 65000"),
      (8000, 8000, "a.jpg: expected the data of 8000 × 8000 pixels, found"),
    ] {
      let data = try resized(red, width: width, height: height)
      #expect {
        try Photograph.decode(data, path: "a.jpg")
      } throws: {
        "\($0)".hasPrefix(message)
      }
    }
    // Fewer rows than it says.
    #expect(try Photograph.decode(resized(red, width: 32, height: 64), path: "a.jpg").isDamaged)
  }

  @Test func damagedFilesAreNamed() throws {
    for (data, found) in [
      (Data(), "an empty file"), (Data("hello".utf8), "something else"),
      (red.prefix(30), "libjpeg-turbo: "), (Data([0xFF, 0xD8, 0xFF]), "libjpeg-turbo: "),
    ] {
      #expect {
        try Photograph.decode(data, path: "a.jpg")
      } throws: { error in
        "\(error)".hasPrefix("a.jpg: expected a") && "\(error)".contains(found)
      }
    }
  }

  @Test func aPNGKeepsItsColours() throws {
    var picture = ColorPicture(width: 4, height: 3, color: .init(250, 240, 230))
    picture.fill(rows: 1..<2, columns: 2..<3, color: .init(200, 30, 90))
    let read = try Photograph.decode(PNG.encode(picture), path: "a.png")
    #expect(read.channels == 3)
    #expect(read.samples == picture.samples)
    let grey = try Photograph.decode(
      PNG.encode(Bitmap(width: 2, height: 1, pixels: [7, 250])), path: "b.png")
    #expect(grey.channels == 1 && grey.samples == [7, 250])
  }
}
