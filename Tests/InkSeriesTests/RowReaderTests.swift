import Foundation
import Ink
import SeededRandom
import Testing
import TestSupport

@testable import InkSeries

@Suite(.timeLimit(.minutes(30))) struct RowReaderTests {
  /// All rows and errors of a text.
  private struct Table: Equatable {
    var rows: [[Float]] = []
    var times: [Double?] = []
    var errors: [String] = []
  }

  private func read(_ text: String, channels: [String] = ["x", "y"]) throws -> Table {
    let folder = try TemporaryFolder()
    return try read(InputFile(path: folder.write("rows.csv", text)), channels: channels)
  }

  private func read(_ input: InputFile, channels: [String] = ["x", "y"]) throws -> Table {
    var table = Table()
    var reader = try RowReader(input, channels: channels)
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

  @Test func wantedChannelsAreReorderedAndOtherColumnsAreLeftOut() throws {
    let table = try read(
      "label,ay,time,ax\n\"a, \"\"b\"\"\",2,0,1\nrest,4,0.5,3\n", channels: ["ax", "ay"])
    #expect(table.rows == [[1, 2], [3, 4]])
    #expect(table.times == [0, 0.5])
    #expect(table.errors.isEmpty)
  }

  @Test func theColumnWithTimesIsFoundInCapitalsToo() throws {
    let folder = try TemporaryFolder()
    let input = try InputFile(path: folder.write("rows.csv", "When,x\n5,1\n"))
    var reader = try RowReader(input, channels: ["x"], timeColumn: "when")
    #expect(try reader.next() && reader.time == 5 && reader.values == [1])
  }

  @Test func timeIsAChannelIfItIsWanted() throws {
    let table = try read("time,x\n5,1\n4,2\n", channels: ["x", "time"])
    #expect(table.rows == [[1, 5], [2, 4]])
    #expect(table.times == [nil, nil])
  }

  @Test(arguments: [
    "x,y\n1,2\n3,4", "x;y\n1;2\n3;4\n", "x\ty\n1\t2\n3\t4\n", "\u{FEFF}x,y\r\n1,2\r\n3,4\r\n",
    "\n \nx,y\n\n1,2\n\n\n3,4\n\n", "\"x\",\"y\"\r\n\"1\", 2\r\n 3 ,\"4\"\r\n",
    ",x,y\n0,1,2\n1,3,4\n",
  ])
  func formsOfTheSameTable(text: String) throws {
    #expect(try read(text) == Table(rows: [[1, 2], [3, 4]], times: [nil, nil]))
  }

  @Test(arguments: ["1,2\n3,4\n", "\u{FEFF}1,2\n\n3,4", "\n1,2\r\n3,4\r\n"])
  func withoutAHeaderChannelsHaveNumbers(text: String) throws {
    #expect(
      try read(text, channels: ["dim_1", "dim_0"])
        == Table(rows: [[2, 1], [4, 3]], times: [nil, nil]))
  }

  @Test(arguments: ["1,2", "\n1,2", "\u{FEFF}1,2\n"])
  func theOnlyRowIsRead(text: String) throws {
    #expect(
      try read(text, channels: ["dim_0", "dim_1"]) == Table(rows: [[1, 2]], times: [nil]))
  }

  @Test func missingValuesAreNaN() throws {
    let table = try read("x,y\n,1\nnan,2\nNA,3\n?,4\nNaN,5\n")
    #expect(table.rows.allSatisfy { $0[0].isNaN })
    #expect(table.rows.map { $0[1] } == [1, 2, 3, 4, 5])
    #expect(table.errors.isEmpty)
  }

  @Test(arguments: ["time", "T", "timestamp", "time_ms", "Time [s]"])
  func aColumnWithTimesIsFoundByItsName(name: String) throws {
    let table = try read("x,\(name),y\n1,5,2\n3,7,4\n")
    #expect(table == Table(rows: [[1, 2], [3, 4]], times: [5, 7]))
  }

  @Test(arguments: [
    ("1,2", "expected 3 cells, as in the first row, found 2"),
    ("1,2,3,4", "expected 3 cells, as in the first row, found 4"),
    ("1,2,3,,4", "expected 3 cells, as in the first row, found 5"),
    ("1,left,3", "expected a finite number in column `ax`, found `left`"),
    ("1,2,0x10", "expected a finite number in column `ay`, found `0x10`"),
    ("1,2,inf", "expected a finite number in column `ay`, found `inf`"),
    ("1,1e39,3", "expected a finite number in column `ax`, found `1e39`"),
    ("1,1e999,3", "expected a finite number in column `ax`, found `1e999`"),
    ("1,1.2.3,3", "expected a finite number in column `ax`, found `1.2.3`"),
    ("1,1e,3", "expected a finite number in column `ax`, found `1e`"),
    ("1,\"2,3", "expected a quotation mark at the end of a quoted cell, found none"),
    (",2,3", "expected a time as a number or text in column `Time`, found ``"),
    ("now,2,3", "expected a time as a number or text in column `Time`, found `now`"),
    (
      "1,\(String(repeating: "a", count: 100)),3",
      "expected a finite number in column `ax`, found `\(String(repeating: "a", count: 40))`"
    ),
  ])
  func aMalformedRowDoesNotPreventOthersFromBeingRead(row: String, message: String) throws {
    let table = try read("Time,ax,ay\n0,1,2\n\(row)\n2,3,4\n", channels: ["ax", "ay"])
    #expect(table.errors == ["line 3: \(message)"])
    #expect(table.rows == [[1, 2], [3, 4]])
    #expect(table.times == [0, 2])
  }

  /// As in a file, cells can end with a delimiter, commas can be decimal points, and a row whose time
  /// goes back is marked.
  @Test func rowsAreReadAsInFiles() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "rows.csv", "when;x;on;\n14:12:30:000;1,5;true;\n14:12:30:020;2;0;\n14:12:30:010;3;1;\n")
    var reader = try RowReader(InputFile(path: path), channels: ["x", "on"])
    #expect(reader.hasTimes)
    #expect(try reader.next())
    #expect(reader.values == [1.5, 1] && reader.time == 51_150_000 && reader.timeUnit == .ms)
    #expect(reader.lateTime == nil)
    #expect(try reader.next())
    #expect(reader.values == [2, 0] && reader.time == 51_150_020)
    #expect(try reader.next())
    #expect(reader.lateTime == "14:12:30:010" && reader.time == 51_150_020)
    #expect(try !reader.next())
  }

  /// The time of a row with an error does not count for the next one.
  @Test func aMalformedRowDoesNotChangeTheTime() throws {
    let table = try read("t,x,y\n0,1,2\n9,1,left\n1,3,4\n")
    #expect(table.times == [0, 1])
    #expect(table.errors.count == 1)
  }

  @Test func aLineThatIsTooLongIsSkipped() throws {
    let long = "1," + String(repeating: "3", count: RowReader.longestLine)
    let table = try read("x,y\n1,2\n\(long)\n3,4\n\(long)")
    let error = "expected a line of at most 1048576 bytes, found a longer one"
    #expect(table.errors == ["line 3: \(error)", "line 5: \(error)"])
    #expect(table.rows == [[1, 2], [3, 4]])
  }

  @Test(arguments: [
    ("", "expected a row with the names of the channels, found no text"),
    ("\n\n", "expected a row with the names of the channels, found no text"),
    (
      "\n1,2.5\n3,4\n",
      "line 2: expected a row with the names of the channels, such as `x`, found numbers"
    ),
    ("x,y,x\n", "line 1: expected columns of different names, found `x` twice"),
    ("x,z\n", "line 1: expected a column `y`, found x, z"),
    (
      "x,\"y\n", "line 1: expected a quotation mark at the end of a quoted cell, found none"
    ),
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

  /// A pipe gives as many bytes as were written, so rows arrive in parts.
  @Test(arguments: 1...20) func rowsDoNotDependOnHowBytesArrive(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var text = "z,x,y\n"
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
    let table = try read(text + text.split(separator: "\n")[1], channels: names)
    let row = names.indices.map { Float($0) + 0.5 }
    #expect(table.rows == [row, row])
  }
}
