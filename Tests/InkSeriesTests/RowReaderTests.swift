import Foundation
import Ink
import SeededRandom
import Testing
import TestSupport

@testable import InkSeries

@Suite(.timeLimit(.minutes(2))) struct RowReaderTests {
  /// All rows and errors of a text.
  private struct Table: Equatable {
    var channels: [String] = []
    var rows: [[Float]] = []
    var times: [Double?] = []
    var errors: [String] = []
  }

  private func read(_ text: String, channels: [String]? = nil) throws -> Table {
    let folder = try TemporaryFolder()
    return try read(InputFile(path: folder.write("rows.csv", text)), channels: channels)
  }

  private func read(_ input: InputFile, channels: [String]? = nil) throws -> Table {
    var table = Table()
    var reader = try RowReader(input, channels: channels)
    table.channels = reader.channels
    while true {
      do {
        guard try reader.next() else { return table }
        table.rows.append(reader.values)
        table.times.append(reader.time)
      } catch {
        table.errors.append(
          error.description.replacing("\(input.path), ", with: ""))
      }
    }
  }

  @Test func theHeaderGivesTheChannels() throws {
    let table = try read("ax,ay,az\n1,2,3\n-1.5,2e-3,+4E2\n")
    #expect(table.channels == ["ax", "ay", "az"])
    #expect(table.rows == [[1, 2, 3], [-1.5, 2e-3, 400]])
    #expect(table.times == [nil, nil])
    #expect(table.errors.isEmpty)
  }

  @Test func wantedChannelsAreReorderedAndOtherColumnsAreLeftOut() throws {
    let table = try read(
      "label,ay,time,ax\n\"a, \"\"b\"\"\",2,0,1\nrest,4,0.5,3\n", channels: ["ax", "ay"])
    #expect(table.channels == ["ax", "ay"])
    #expect(table.rows == [[1, 2], [3, 4]])
    #expect(table.times == [0, 0.5])
    #expect(table.errors.isEmpty)
  }

  @Test func timeIsAChannelIfItIsWanted() throws {
    let table = try read("time,x\n5,1\n4,2\n", channels: ["x", "time"])
    #expect(table.rows == [[1, 5], [2, 4]])
    #expect(table.times == [nil, nil])
  }

  @Test(arguments: [
    "x,y\n1,2\n3,4", "x;y\n1;2\n3;4\n", "x\ty\n1\t2\n3\t4\n", "\u{FEFF}x,y\r\n1,2\r\n3,4\r\n",
    "\n \nx,y\n\n1,2\n\n\n3,4\n\n", "\"x\" , \"y\"\n\"1\", \"2\"\n 3 ,4 \n",
  ])
  func formsOfTheSameTable(text: String) throws {
    let table = try read(text)
    #expect(table.channels == ["x", "y"])
    #expect(table.rows == [[1, 2], [3, 4]])
    #expect(table.errors.isEmpty)
  }

  @Test func missingValuesAreNaN() throws {
    let table = try read("x,y\n,1\nnan,2\nNA,3\n?,4\nNaN,5\n")
    #expect(table.rows.allSatisfy { $0[0].isNaN })
    #expect(table.rows.map { $0[1] } == [1, 2, 3, 4, 5])
    #expect(table.errors.isEmpty)
  }

  @Test(arguments: [
    ("1,2", "line 3: expected 3 columns as in the header, found 2 columns"),
    ("1,2,3,4", "line 3: expected 3 columns as in the header, found 4 columns"),
    ("1,2,3,", "line 3: expected 3 columns as in the header, found 4 columns"),
    ("1,left,3", "line 3: expected a number in column `ax`, found `left`"),
    ("1,2,0x10", "line 3: expected a number in column `ay`, found `0x10`"),
    ("1,2,inf", "line 3: expected a number in column `ay`, found `inf`"),
    ("1,1e39,3", "line 3: expected a finite number in column `ax`, found `1e39`"),
    ("1,1e999,3", "line 3: expected a number in column `ax`, found `1e999`"),
    ("1,1.2.3,3", "line 3: expected a number in column `ax`, found `1.2.3`"),
    ("1,1e,3", "line 3: expected a number in column `ax`, found `1e`"),
    ("1,-,3", "line 3: expected a number in column `ax`, found `-`"),
    ("1,.,3", "line 3: expected a number in column `ax`, found `.`"),
    ("1,\"2,3", "line 3: expected a closing quote in column 2, found none"),
    ("-1,2,3", "line 3: expected a time of 0.0 or later, as in the row before, found -1.0"),
    (",2,3", "line 3: expected a time in column `Time`, found none"),
    ("now,2,3", "line 3: expected a number in column `Time`, found `now`"),
    (
      "1,\(String(repeating: "a", count: 100)),3",
      "line 3: expected a number in column `ax`, found `\(String(repeating: "a", count: 40))…`"
    ),
  ])
  func aMalformedRowDoesNotPreventOthersFromBeingRead(row: String, message: String) throws {
    let table = try read("Time,ax,ay\n0,1,2\n\(row)\n2,3,4\n")
    #expect(table.errors == [message])
    #expect(table.rows == [[1, 2], [3, 4]])
    #expect(table.times == [0, 2])
  }

  @Test func aLineThatIsTooLongIsSkipped() throws {
    let long = "1," + String(repeating: "3", count: RowReader.longestLine)
    let table = try read("x,y\n1,2\n\(long)\n3,4\n\(long)")
    let error = "expected a line of at most 1048576 bytes, found a longer one"
    #expect(table.errors == ["line 3: \(error)", "line 5: \(error)"])
    #expect(table.rows == [[1, 2], [3, 4]])
  }

  @Test(arguments: [
    ("", "expected a header row with the names of the channels, found no text"),
    ("\n\n", "expected a header row with the names of the channels, found no text"),
    ("1,2.5\n3,4\n", "line 1: expected a header row with the names of the channels, found numbers"),
    ("x,,y\n", "line 1: expected a name for column 2, found an empty field"),
    ("x,y,x\n", "line 1: expected different names of columns, found `x` twice"),
    ("x,z\n", "line 1: expected a column for channel `y`, found the columns x, z"),
    ("x,\"y\n", "line 1: expected a closing quote in column 2, found none"),
  ])
  func aMalformedHeader(text: String, message: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("rows.csv", text)
    let error = #expect(throws: InkError.self) {
      try RowReader(InputFile(path: path), channels: ["x", "y"])
    }
    #expect(
      error?.description.replacing("\(path), ", with: "").replacing("\(path): ", with: "")
        == message)
  }

  @Test func aTableOfTimesHasNoChannels() throws {
    #expect(throws: InkError.self) { try read("time\n1\n") }
  }

  /// A pipe gives as many bytes as were written, so rows arrive in parts.
  @Test(arguments: 1...20) func rowsDoNotDependOnHowBytesArrive(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var text = "a,b,c\n"
    for _ in 0..<generator.index(below: 200) {
      text += (0..<3).map { _ in "\(Float(generator.normal()))" }.joined(separator: ",")
      text += generator.chance(0.1) ? ",1\n" : "\n"
    }
    var bytes = Array(text.utf8)[...]
    let whole = try read(text)
    let pipe = Pipe()
    var parts: [Data] = []
    while !bytes.isEmpty {
      let part = bytes.prefix(1 + generator.index(below: 30))
      parts.append(Data(part))
      bytes = bytes.dropFirst(part.count)
    }
    let writer = Thread { [parts] in
      for part in parts { try? pipe.fileHandleForWriting.write(contentsOf: part) }
      try? pipe.fileHandleForWriting.close()
    }
    writer.start()
    #expect(try read(InputFile(pipe.fileHandleForReading, name: "pipe")) == whole)
  }

  @Test func aRowThatIsLongerThanTheBufferIsRead() throws {
    let names = (0..<20_000).map { "channel \($0)" }
    let values = names.indices.map { "\($0).5" }
    let text = "\(names.joined(separator: ","))\n\(values.joined(separator: ","))\n"
    let table = try read(text + text.split(separator: "\n")[1])
    let row = names.indices.map { Float($0) + 0.5 }
    #expect(table.rows == [row, row])
  }

  @Test func numbersAreThoseOfTheStandardLibrary() {
    var generator = SeededGenerator(seed: 1)
    var texts = [
      "0", "-0", "1", "+1", ".5", "5.", "1e22", "1e23", "123456789012345", "1234567890123456",
      "9007199254740993", "0.000000000000000000000000000001", "1e-400", "4.9e-324",
      "00000000000000000000001", "1.7976931348623157e308", "1E5", "1e+5", "12345678901234567890e-5",
    ]
    for _ in 0..<20_000 {
      texts.append("\(generator.normal())")
      texts.append("\(Float(generator.normal()))")
      texts.append("\(Double(bitPattern: generator.next() & ~(1 << 62)))")
      texts.append("\(generator.index(below: 1_000_000))e\(generator.index(below: 60) - 30)")
    }
    for text in texts where text != "nan" {
      let value = Array(text.utf8).withUnsafeBytes { DecimalNumber.value(of: $0) }
      #expect(value?.bitPattern == Double(text)?.bitPattern, "\(text)")
    }
  }

  @Test(arguments: [
    "", " ", "e5", "1e", "1e+", "--1", "1 2", "1,5", "0x1p3", "infinity", "nan", "1_000", "１",
  ])
  func otherTextIsNoNumber(text: String) {
    #expect(Array(text.utf8).withUnsafeBytes { DecimalNumber.value(of: $0) } == nil)
  }
}
