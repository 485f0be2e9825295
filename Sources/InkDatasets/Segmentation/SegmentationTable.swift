import Foundation
import Ink
import SafeFiles

/// A small table of a segmentation data set: tabs between columns, whose names are in the first row.
struct SegmentationTable {
  /// A row.
  struct Row {
    /// The file and the line.
    let place: String
    fileprivate let cells: [String: String]

    /// The cell of a column; empty if the table does not have it.
    subscript(column: String) -> String { cells[column] ?? "" }
  }

  private(set) var rows: [Row] = []

  /// Reads a table that has `columns`, and may have `others`.
  ///
  /// - Throws: `FileError` if a column is missing or unknown, or a row has another number of cells.
  init(path: String, columns: [String], others: [String]) throws(FileError) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw FileError(path: path, expected: "a readable file", found: "none")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw FileError(path: path, expected: "UTF-8", found: "other bytes")
    }
    func cells(_ line: Substring) -> [String] {
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let header = cells(lines.first ?? "")
    guard Set(header).isSuperset(of: columns), Set(header).count == header.count else {
      throw FileError(
        path: "\(path):1",
        expected: "a first row with the columns \(columns.joined(separator: ", ")), "
          + "separated by tabs",
        found: header == [""] ? "an empty row" : header.joined(separator: ", "))
    }
    let known = Set(columns + others)
    if let unknown = header.first(where: { !known.contains($0) }) {
      throw FileError(
        path: "\(path):1", expected: "no columns but \((columns + others).joined(separator: ", "))",
        found: "`\(unknown)`")
    }
    for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
      let cells = cells(line)
      let place = "\(path):\(index + 1)"
      guard cells.count == header.count else {
        throw FileError(
          path: place, expected: header.count.counted("column"), found: "\(cells.count)")
      }
      rows.append(Row(place: place, cells: Dictionary(uniqueKeysWithValues: zip(header, cells))))
    }
  }
}
