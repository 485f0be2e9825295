import Foundation
import InkRaster
import TestSupport
import Testing

@testable import InkImageIO

@Suite(.timeLimit(.minutes(30))) struct PNGTests {
  @Test(arguments: [(1, 1), (28, 28), (300, 2)]) func whatIsWrittenIsReadBack(
    width: Int, height: Int
  ) throws {
    let bitmap = Bitmap(
      width: width, height: height,
      pixels: (0..<width * height).map { UInt8(truncatingIfNeeded: $0 &* 97) })
    #expect(try PNG.decode(PNG.encode(bitmap), path: "test") == bitmap)
  }

  /// Two by one pixels, dark and bright, in the forms that PNG has; made with Pillow 11.
  @Test(arguments: [
    (
      "grey, 1 bit",
      "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABAQAAAADcWUInAAAACklEQVR4nGNwAAAAQgBBKTf07wAAAABJRU5ErkJggg=="
    ),
    (
      "grey, 16 bit",
      "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABEAAAAACB2fwVAAAADUlEQVR4nGNgYPj/HwADAgH/5ncLrgAAAABJRU5ErkJggg=="
    ),
    (
      "colour",
      "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGNgYGD4//8/AAYBAv4CsjmuAAAAAElFTkSuQmCC"
    ),
    (
      "palette",
      "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABAQMAAADO7O3JAAAABlBMVEUAAAD///+l2Z/dAAAACklEQVR4nGNwAAAAQgBBKTf07wAAAABJRU5ErkJggg=="
    ),
  ])
  func everyFormBecomesGrey(name: String, base64: String) throws {
    let bitmap = try PNG.decode(#require(Data(base64Encoded: base64)), path: name)
    #expect(bitmap == Bitmap(width: 2, height: 1, pixels: [0, 255]))
  }

  @Test(arguments: [
    (
      "black on nothing",
      "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAADElEQVR4nGNggID/AAEIAQBNGY85AAAAAElFTkSuQmCC",
      [UInt8(255), 0]
    ),
    (
      "white on nothing",
      "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAAEUlEQVR4nGNgYGBg+P///38ACf8D/WhvSqAAAAAASUVORK5CYII=",
      [0, 255]
    ),
    (
      "white on much of nothing",
      "iVBORw0KGgoAAAANSUhEUgAAAAQAAAABCAQAAABTNcdGAAAADUlEQVR4nGP4/58BDAAO+gH/A7cs+gAAAABJRU5ErkJggg==",
      [255, 0, 0, 0]
    ),
  ])
  func transparentGroundContrastsWithTheInk(name: String, base64: String, pixels: [UInt8]) throws {
    let bitmap = try PNG.decode(#require(Data(base64Encoded: base64)), path: name)
    #expect(bitmap.pixels == pixels)
  }

  @Test func filesAreReadFromPipes() throws {
    let folder = try TemporaryFolder()
    let bitmap = Bitmap(width: 3, height: 2, pixels: [1, 2, 3, 4, 5, 6])
    let path = "\(folder.path)/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    let data = try PNG.encode(bitmap)
    Thread.detachNewThread {
      let descriptor = open(path, O_WRONLY)
      defer { close(descriptor) }
      for byte in data {
        guard write(descriptor, [byte], 1) == 1 else { return }
      }
    }
    #expect(try PNG.read(path: path) == bitmap)
    #expect(throws: PictureError.self) { try PNG.read(path: folder.path) }
  }

  @Test func aBombIsRefusedBeforeItUnfolds() throws {
    var bomb = try PNG.encode(Bitmap(width: 28, height: 28))
    // The header's width and height, 60,000 each, with the checksum that belongs to them.
    bomb.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
    bomb.replaceSubrange(29..<33, with: crc32(bomb[12..<29]))
    #expect {
      try PNG.decode(bomb, path: "bomb.png")
    } throws: { error in
      "\(error)" == "bomb.png: expected at most 67108864 pixels, found 60000 × 60000"
    }
  }

  @Test func aChunkThatEndsTooEarlyIsRefusedBeforeItGetsMemory() throws {
    var file = try PNG.encode(Bitmap(width: 5, height: 4))
    // After the header, 1 GiB of names of colours.
    file.insert(contentsOf: [0x40, 0, 0, 0] + Array("sPLT".utf8), at: 33)
    for data in [file, file.prefix(44)] {
      #expect {
        try PNG.decode(data, path: "a.png")
      } throws: { error in
        "\(error)"
          == "a.png: expected a whole PNG, found a file that ends in a chunk of 1073741824 bytes"
      }
    }
  }

  /// libpng would unpack each of a thousand texts to 8 MB.
  @Test func textsAreLeftOut() throws {
    let bitmap = Bitmap(width: 5, height: 4, pixels: (0..<20).map { UInt8($0) })
    let file = try PNG.encode(bitmap)
    var withTexts = file
    for name in ["zTXt", "iTXt", "tEXt"] {
      let text = Data(name.utf8) + Data(repeating: 65, count: 9)
      withTexts.insert(contentsOf: [0, 0, 0, 9] + text + crc32(text), at: 33)
    }
    #expect(try PNG.withoutTexts(withTexts, path: "a.png") == file)
    // Also where the bytes are a part of others.
    #expect(try PNG.withoutTexts((Data([0]) + withTexts).dropFirst(), path: "a.png") == file)
    #expect(try PNG.decode(withTexts, path: "a.png") == bitmap)
  }

  @Test func damagedFilesAreNamed() throws {
    let whole = try PNG.encode(Bitmap(width: 28, height: 28))
    for (data, found) in [
      (Data(), "an empty file"), (Data("hello".utf8), "something else"),
      (whole.prefix(20), "ends in a chunk of 13 bytes"), (whole.prefix(34), "libpng: "),
      (whole.prefix(45), "ends in a chunk of 1 bytes"), (whole.dropLast(30), "libpng: "),
    ] {
      #expect {
        try PNG.decode(data, path: "a.png")
      } throws: { error in
        "\(error)".hasPrefix("a.png: expected a") && "\(error)".contains(found)
      }
    }
    #expect(throws: PictureError.self) { try PNG.read(path: "/nowhere/at/all.png") }
  }

  private func crc32(_ bytes: Data) -> [UInt8] {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return withUnsafeBytes(of: (~crc).bigEndian) { Array($0) }
  }
}
