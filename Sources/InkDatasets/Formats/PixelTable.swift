import Ink
import InkRaster
import InkSeries
import SafeFiles

/// A table with a picture in each row: a column for each pixel, row by row, and one for the label.
///
/// The columns are called `pixel0`, `pixel1` and so on, or `1x1`, `1x2` and so on, as in the CSV files of
/// MNIST. Columns with another name and numbers that fill a square, such as `V1` to `V784` or `r0c0` to
/// `r27c27`, are pixels if there is a label, nothing tells the time, and the first row has numbers from 0
/// to 255. Without names, a row has a square number of whole numbers from 0 to 255, and the label as its
/// first or last cell. Other numbers are scaled: from 0 to 1, and from 0 to 16.
struct PixelTable {
  /// The smallest side of a picture in a table, so that no table of sensors is taken for one.
  private static let minimumSide = 8
  private static let maximumSide = 4096
  /// The names of the columns with labels besides that of `SeriesReading`.
  private static let labelNames: Set = ["label", "class", "target", "y", "digit", "letter"]

  private let path: String
  private let hasHeader: Bool
  private let columnCount: Int
  private let width: Int
  private let height: Int
  /// The column of each pixel, in order; not used if the label may be the first or the last cell.
  private let pixels: [Int]
  private let label: Label
  private let person: Int?
  private let keepsUnlabelled: Bool

  private enum Label {
    case column(Int)
    /// The first or the last cell, as the rows show.
    case firstOrLast
    case none
  }

  /// Recognises the table at `path` by its first line, or returns `nil` if it has no pictures.
  ///
  /// - Throws: `FileError` if the columns are pixels, but not of a picture.
  init?(path: String, reading: SeriesReading) throws {
    guard reading.channels == nil else { return nil }
    self.path = path
    keepsUnlabelled = reading.keepsUnlabelled
    var form: Form?
    var isRead = false
    try TextLines(InputFile(path: path)).forEach { line, row in
      guard let line, !NumberText.trimmed(line).isEmpty else { return line != nil }
      if isRead {
        if form?.fits(row: line) != true { form = nil }
        return false
      }
      isRead = true
      form = try Form(firstLine: line, place: "\(path), line \(row)", reading: reading)
      return form?.needsRow == true
    }
    guard let form else { return nil }
    (hasHeader, columnCount, label, person) =
      (form.hasHeader, form.columnCount, form.label, form.person)
    (width, height, pixels) = (form.width, form.height, form.pixels)
  }

  /// What the first line says.
  private struct Form {
    var hasHeader = true
    var columnCount = 0
    var width = 0
    var height = 0
    var pixels: [Int] = []
    var label = Label.none
    var person: Int?
    /// Whether the values of the first row decide, because the names could also be those of sensors.
    var needsRow = false

    init?(
      firstLine line: UnsafeBufferPointer<UInt8>, place: String, reading: SeriesReading
    ) throws(FileError) {
      var cells = TableCells(delimiter: TableCells.delimiter(in: line))
      cells.split(line)
      guard !cells.isMalformed, cells.ranges.count >= minimumSide * minimumSide else { return nil }
      columnCount = cells.ranges.count
      let texts = cells.ranges.map { UnsafeBufferPointer(rebasing: line[$0]) }
      let names = texts.map(TableCells.text)
      guard texts.contains(where: cells.isText) else {
        guard setUnnamed(texts.map { cells.number($0) }) else { return nil }
        return
      }
      let places = names.map(PixelName.init)
      let groups = Dictionary(grouping: names.indices.filter { places[$0] != nil }) {
        places[$0]!.form
      }
      guard let (name, group) = groups.max(by: { $0.value.count < $1.value.count }),
        group.count >= minimumSide * minimumSide
      else { return nil }
      let known = group.map { (places[$0]!, $0) }
      let sorted = known.sorted { ($0.0.row ?? 0, $0.0.number) < ($1.0.row ?? 0, $1.0.number) }
      pixels = sorted.map(\.1)
      needsRow = !name.isOfPixels
      let rows = Set(sorted.compactMap(\.0.row)).count
      let isGrid = rows > 0 && sorted.allSatisfy { $0.0.row != nil }
      height = isGrid ? rows : Self.side(of: pixels.count) ?? 0
      width = height > 0 ? pixels.count / height : 0
      let isWhole =
        height >= minimumSide && width >= minimumSide && width * height == pixels.count
        && max(width, height) <= maximumSide
        && Set(sorted.map { [$0.0.row ?? 0, $0.0.number] }).count == pixels.count
      if needsRow {
        // A gap in the numbers is one in a list of sensors.
        let numbers = sorted.map { ($0.0.row ?? 0) * (isGrid ? width : 0) + $0.0.number }
        guard isWhole, numbers.last! - numbers[0] == pixels.count - 1 else { return nil }
      }
      guard isWhole else {
        throw FileError(
          path: place,
          expected: "columns for the pixels of one square grey picture, such as 784 for 28 × 28",
          found: "\(pixels.count) columns such as `\(sorted.first.map { names[$0.1] } ?? "")`")
      }
      let inPicture = Set(pixels)
      let others = names.indices.filter { !inPicture.contains($0) && !names[$0].isEmpty }
      let keepsTime =
        reading.timeColumn != nil
        || others.contains { TimeUnit.isColumn(names[$0]) || TimeUnit.isCounter(names[$0]) }
      if needsRow, keepsTime { return nil }
      person = others.first { names[$0].lowercased() == reading.personColumn.lowercased() }
      let labels = others.filter { $0 != person }
      let named =
        labels.first { names[$0].lowercased() == reading.labelColumn.lowercased() }
        ?? labels.first { labelNames.contains(names[$0].lowercased()) }
      if let column = named ?? (labels.count == 1 ? labels[0] : nil) {
        label = .column(column)
      } else if needsRow {
        return nil
      } else if !labels.isEmpty {
        throw FileError(
          path: place, expected: "a column `\(reading.labelColumn)` (--label-column names another)",
          found: labels.prefix(10).map { names[$0] }.joined(separator: ", ") + " and pixels")
      }
    }

    /// Returns whether a row has numbers from 0 to 255 for pixels.
    func fits(row line: UnsafeBufferPointer<UInt8>) -> Bool {
      var cells = TableCells(delimiter: TableCells.delimiter(in: line))
      cells.split(line)
      return cells.ranges.count >= columnCount
        && pixels.allSatisfy { column in
          let cell = UnsafeBufferPointer(rebasing: line[cells.ranges[column]])
          return cells.number(cell).map { 0...255 ~= $0 } ?? false
        }
    }

    /// Fills in a table without names; returns false if its cells are no pixels.
    private mutating func setUnnamed(_ values: [Double?]) -> Bool {
      hasHeader = false
      let areBytes = values.allSatisfy { $0.map { $0 == $0.rounded() && 0...255 ~= $0 } ?? false }
      guard areBytes else { return false }
      if let side = Self.side(of: columnCount - 1) {
        (width, height, label) = (side, side, .firstOrLast)
        pixels = Array(1..<columnCount)
      } else if let side = Self.side(of: columnCount) {
        (width, height) = (side, side)
        pixels = Array(0..<columnCount)
      } else {
        return false
      }
      return true
    }

    /// Returns the side of a square of `count` pixels, or `nil` if there is none.
    private static func side(of count: Int) -> Int? {
      let side = Int(Double(max(0, count)).squareRoot().rounded())
      return side * side == count && side >= minimumSide && side <= maximumSide ? side : nil
    }
  }

  /// The numbers in the name of a column of a pixel, such as `pixel12`, `px_12`, `r3c14` or `3x14`.
  private struct PixelName {
    /// What the names of all pixels of a picture share.
    struct Form: Hashable {
      var letters: String
      var hasRow: Bool

      /// Whether such names are those of pixels alone.
      var isOfPixels: Bool {
        ["pixel", "px", "pix", "p"].contains(letters) || (hasRow && letters == "x")
      }
    }

    var form: Form
    /// The row, if the name has one.
    var row: Int?
    var number: Int

    init?(_ name: String) {
      guard
        let parts = name.wholeMatch(of: #/([^0-9]*)([0-9]+)(?:([^0-9]+)([0-9]+))?[\])]*/#),
        let first = Int(parts.2)
      else { return nil }
      let letters = (parts.1 + (parts.3 ?? "")).lowercased().filter(\.isLetter)
      form = Form(letters: letters, hasRow: parts.4 != nil)
      (row, number) = (nil, first)
      guard let last = parts.4 else { return }
      guard let second = Int(last) else { return nil }
      (row, number) = (first, second)
    }
  }

  // MARK: Rows

  /// The pictures of the rows.
  fileprivate struct Rows {
    /// The pixels of all rows in order, or all cells if the label may be the first or the last one.
    var pixels: [UInt8] = []
    var rows: [(line: Int, label: String, person: String?, isUnit: Bool)] = []
    var greatest: Float = 0
  }

  /// Adds the pictures of all rows to `loaded`.
  func read(
    label given: String?, person givenPerson: String?, source: String?,
    into loaded: inout LoadedDataset
  ) throws {
    let isOpen = if case .firstOrLast = label { true } else { false }
    let order = isOpen ? Array(0..<columnCount) : pixels
    var rows = Rows()
    var cells: TableCells?
    var isHeader = hasHeader
    var values = [Float](repeating: 0, count: order.count)
    try TextLines(InputFile(path: path)).forEach { line, number in
      guard let line else { throw FileError.longLine(at: "\(path), line \(number)") }
      guard !NumberText.trimmed(line).isEmpty else { return true }
      if cells == nil { cells = TableCells(delimiter: TableCells.delimiter(in: line)) }
      guard !isHeader else {
        isHeader = false
        return true
      }
      cells!.split(line)
      guard !cells!.isMalformed, cells!.ranges.count >= columnCount,
        cells!.ranges[columnCount...].allSatisfy({ $0.isEmpty })
      else {
        loaded.failures.append(
          "\(path), line \(number): expected \(columnCount.counted("cell")), as in the first row, "
            + "found \(cells!.ranges.count)")
        return true
      }
      func cell(_ column: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: line[cells!.ranges[column]])
      }
      for (index, column) in order.enumerated() {
        guard case .number(let value) = cells!.value(cell(column)), 0...255 ~= value else {
          // A label can be text.
          if isOpen, column == 0 || column == columnCount - 1 {
            values[index] = .nan
            continue
          }
          loaded.failures.append(
            "\(path), line \(number): expected a pixel from 0 to 255 in cell \(column + 1), found "
              + "`\(TableCells.text(cell(column)).prefix(40))`")
          return true
        }
        values[index] = value
      }
      func text(_ column: Int) -> String { Self.label(TableCells.text(cell(column))) }
      let name: String
      switch label {
      case .column(let column): name = text(column)
      // Both are kept until it is known which one is the label.
      case .firstOrLast: name = "\(text(0))\u{0}\(text(columnCount - 1))"
      case .none: name = ""
      }
      rows.add(
        values, isOpen: isOpen, line: number, label: name,
        person: person.map { TableCells.text(cell($0)) }.flatMap { $0.isEmpty ? nil : $0 })
      return true
    }
    finish(rows, given: given, person: givenPerson, source: source, into: &loaded)
  }

  /// Returns the label in a cell; `7.0` is `7`.
  private static func label(_ text: String) -> String {
    guard let number = Double(text), let whole = Int(exactly: number) else { return text }
    return String(whole)
  }

  private func finish(
    _ rows: Rows, given: String?, person: String?, source: String?, into loaded: inout LoadedDataset
  ) {
    guard !rows.rows.isEmpty else {
      loaded.failures.append("\(path): expected rows with pixels, found none")
      return
    }
    let isOpen = if case .firstOrLast = label { true } else { false }
    var isLast = false
    if isOpen {
      isLast = rows.labelsAreLast
      loaded.notes.append(
        "\(path): the \(isLast ? "last" : "first") cell of each row is read as the label, the others "
          + "as \(width) × \(height) pixels")
    } else {
      loaded.notes.append("\(path): each row is read as a picture of \(width) × \(height) pixels")
    }
    let names = ClassNames(for: path)
    let count = width * height + (isOpen ? 1 : 0)
    let scale = rows.scale
    for (index, row) in rows.rows.enumerated() {
      var stored = Array(rows.pixels[index * count..<(index + 1) * count])
      if isOpen { stored.remove(at: isLast ? count - 1 : 0) }
      let bytes = stored.map { byte in
        row.isUnit && !rows.areUnits
          ? UInt8((Float(byte) / 255).rounded())
          : UInt8(min(255, (Float(byte) * scale).rounded()))
      }
      var name = row.label
      if isOpen {
        let both = name.split(separator: "\u{0}", omittingEmptySubsequences: false)
        name = String(both[isLast ? 1 : 0])
      }
      if name.isEmpty { name = given ?? "" }
      guard !name.isEmpty || keepsUnlabelled else {
        loaded.unlabelledCount += 1
        continue
      }
      if let number = Int(name), let known = names.names, known.indices.contains(number) {
        name = known[number]
      }
      loaded.dataset.examples.append(
        Example(
          .bitmap(Bitmap(width: width, height: height, pixels: bytes)), label: name,
          writer: row.person ?? person, source: source, origin: "\(path), line \(row.line)"))
    }
  }
}

extension PixelTable.Rows {
  /// Adds a row; numbers of at most 1 are stored as shares of 255.
  fileprivate mutating func add(
    _ values: [Float], isOpen: Bool, line: Int, label: String, person: String?
  ) {
    let inner = isOpen ? values[1..<values.count - 1] : values[...]
    let greatest = inner.max() ?? 0
    let isUnit = greatest <= 1
    self.greatest = max(self.greatest, greatest)
    for value in values {
      // A label among them is not used as a pixel.
      let stored = value.isNaN ? 0 : isUnit && value <= 1 ? value * 255 : value
      pixels.append(UInt8(stored.rounded()))
    }
    rows.append((line, label, person, isUnit))
  }

  /// Whether all pixels are from 0 to 1.
  fileprivate var areUnits: Bool { greatest <= 1 }

  /// The factor that makes white 255.
  fileprivate var scale: Float {
    // Scans of 4 × 4 dots have from 0 to 16 of them.
    greatest > 1 && greatest <= 16 ? 255 / 16 : 1
  }

  /// Whether the labels are the last cells: the first ones are always the same, or have more values.
  fileprivate var labelsAreLast: Bool {
    let both = rows.map { $0.label.split(separator: "\u{0}", omittingEmptySubsequences: false) }
    let first = Set(both.map { $0[0] }).count
    let last = Set(both.map { $0[1] }).count
    if first == 1 || last == 1 { return first == 1 && last > 1 }
    return last < first
  }
}

extension LoadedDataset {
  /// Inverts the pictures of tables if their ink is dark, as those of one array.
  mutating func settlePolarity(_ polarity: Polarity) {
    let bitmaps = dataset.examples.compactMap { example -> Bitmap? in
      if case .bitmap(let bitmap) = example.content { bitmap } else { nil }
    }
    pictureCount += bitmaps.count
    guard !bitmaps.isEmpty,
      polarity.inverts(darkOnLight: bitmaps.count(where: \.isDarkOnLight), of: bitmaps.count)
    else { return }
    invertedCount += bitmaps.count
    for index in dataset.examples.indices {
      if case .bitmap(let bitmap) = dataset.examples[index].content {
        dataset.examples[index].content = .bitmap(bitmap.inverted())
      }
    }
  }
}
