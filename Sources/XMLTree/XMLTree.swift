import ErrorText
import Foundation

/// An XML element with its local name, attributes, text and children.
package final class XMLElementTree {
  package let name: String
  /// The attributes by their local names; of `id` and `xml:id`, the one without a prefix counts.
  package let attributes: [String: String]
  /// The line where it begins, from 1.
  package let line: Int
  package fileprivate(set) var text = ""
  package fileprivate(set) var children: [XMLElementTree] = []

  fileprivate init(name: String, attributes: [String: String], line: Int) {
    self.name = name
    self.attributes = attributes
    self.line = line
  }

  package func children(named name: String) -> [XMLElementTree] {
    children.filter { $0.name == name }
  }

  /// The text without white space around it.
  package var trimmedText: String { text.trimmingCharacters(in: .whitespacesAndNewlines) }
}

/// An error in XML: the line, the expected and the found text.
package struct XMLTreeError: DescribedError {
  package var line: Int
  package var expected: String
  package var found: String

  package var description: String { "line \(line): expected \(expected), found \(found)" }
}

/// Reads an XML 1.0 file into a tree of elements.
///
/// Foundation's parser on Linux (Swift 6.3) ends the process on names that are not UTF-8, and on
/// some valid files such as `<!DOCTYPE a [<!ATTLIST a b CDATA #IMPLIED>]><a/>`. This parser decodes
/// the bytes first (``XMLText``), and limits depth, attributes and elements. It refuses entity
/// declarations, which no format here needs and which can expand without end.
package struct XMLTreeParser {
  /// The maximum depth of elements.
  private static let maximumNestedElements = 100
  private static let maximumAttributes = 1000
  private static let maximumElements = 1_000_000

  private var bytes: [UInt8] = []
  private var index = 0
  /// The line of `countedIndex`; lines are counted only when needed.
  private var line = 1
  private var countedIndex = 0

  private var root: XMLElementTree?
  private var open: [(element: XMLElementTree, name: ArraySlice<UInt8>)] = []
  private var elementCount = 0

  package init() {}

  /// Reads `data`.
  package func parse(_ data: Data) throws(XMLTreeError) -> XMLElementTree {
    var parser = XMLTreeParser()
    parser.bytes = try XMLText.utf8(of: data)
    return try parser.tree()
  }

  /// Returns the local name of the root element of a file that starts with `prefix`, or `nil` if
  /// the prefix does not contain it or is not XML.
  package static func rootName(ofPrefix prefix: Data) -> String? {
    var rest = XMLText.lossyText(of: prefix)[...]
    guard rest.first(where: { !$0.isWhitespace }) == "<" else { return nil }
    while let start = rest.firstIndex(of: "<") {
      rest = rest[start...].dropFirst()
      if rest.hasPrefix("!--") {
        guard let end = rest.range(of: "-->") else { return nil }
        rest = rest[end.upperBound...]
      } else if rest.first != "?", rest.first != "!" {
        let name = rest.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
        guard name.endIndex < rest.endIndex else { return nil }
        return name.split(separator: ":").last.map(String.init)
      }
    }
    return nil
  }

  private mutating func tree() throws(XMLTreeError) -> XMLElementTree {
    while index < bytes.count {
      if bytes[index] != UInt8(ascii: "<") {
        try readText()
      } else if skips("<!--") {
        try skip(past: "-->", in: "a comment")
      } else if skips("<![CDATA[") {
        try readCharacterData()
      } else if skips("<!DOCTYPE") {
        try skipDocumentType()
      } else if skips("<?") {
        try skipInstruction()
      } else if skips("</") {
        try readEndTag()
      } else {
        try readStartTag()
      }
    }
    if let unclosed = open.last {
      throw malformed("no end of <\(text(unclosed.name))>")
    }
    guard let root else { throw malformed(bytes.isEmpty ? "an empty file" : "no element") }
    return root
  }

  // MARK: Content of elements

  private mutating func readText() throws(XMLTreeError) {
    let start = index
    guard open.isEmpty else {
      index = bytes[index...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
      open[open.count - 1].element.text += try unescaped(bytes[start..<index], isAttribute: false)
      return
    }
    skipSpace()
    guard index == bytes.count || bytes[index] == UInt8(ascii: "<") else {
      throw malformed("text outside of the root element")
    }
  }

  private mutating func readCharacterData() throws(XMLTreeError) {
    let start = index
    guard !open.isEmpty else { throw malformed("text outside of the root element") }
    try skip(past: "]]>", in: "a CDATA section")
    open[open.count - 1].element.text += text(bytes[start..<index - 3])
  }

  private mutating func readStartTag() throws(XMLTreeError) {
    let startLine = currentLine
    index += 1
    let name = try readName("an element")
    guard root == nil || !open.isEmpty else { throw malformed("a second root element") }
    guard open.count < Self.maximumNestedElements else {
      throw error("at most \(Self.maximumNestedElements) nested elements", "more")
    }
    elementCount += 1
    guard elementCount <= Self.maximumElements else {
      throw error("at most \(Self.maximumElements) elements", "more")
    }
    let attributes = try readAttributes(of: name)
    let isEmpty = skips("/")
    guard skips(">") else { throw malformed(unexpected(in: "<\(text(name))")) }
    let element = XMLElementTree(
      name: localName(name), attributes: attributes, line: startLine)
    if let parent = open.last?.element { parent.children.append(element) } else { root = element }
    if !isEmpty { open.append((element, name)) }
  }

  private mutating func readEndTag() throws(XMLTreeError) {
    let name = try readName("an element")
    skipSpace()
    guard skips(">") else { throw malformed(unexpected(in: "</\(text(name))")) }
    guard let last = open.popLast(), last.name == name else {
      throw malformed("</\(text(name))> without its <\(text(name))>")
    }
  }

  /// The attributes by their local names; declarations of namespaces are left out.
  private mutating func readAttributes(
    of element: ArraySlice<UInt8>
  ) throws(XMLTreeError) -> [String: String] {
    var values: [String: String] = [:]
    var names = Set<ArraySlice<UInt8>>()
    while true {
      let before = index
      skipSpace()
      guard index < bytes.count, bytes[index] != UInt8(ascii: ">"),
        bytes[index] != UInt8(ascii: "/")
      else { return values }
      guard index > before else { throw malformed(unexpected(in: "<\(text(element))")) }
      let name = try readName("an attribute")
      guard names.insert(name).inserted else {
        throw malformed("the attribute `\(text(name))` twice")
      }
      guard names.count <= Self.maximumAttributes else {
        throw error("at most \(Self.maximumAttributes) attributes", "more")
      }
      skipSpace()
      guard skips("=") else { throw malformed("no value of the attribute `\(text(name))`") }
      skipSpace()
      guard index < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[index]),
        let end = bytes[(index + 1)...].firstIndex(of: bytes[index])
      else { throw malformed("no quoted value of the attribute `\(text(name))`") }
      let raw = bytes[index + 1..<end]
      guard !raw.contains(UInt8(ascii: "<")) else {
        throw malformed("`<` in the attribute `\(text(name))`")
      }
      let value = try unescaped(raw, isAttribute: true)
      index = end + 1
      if text(name) == "xmlns" || name.starts(with: "xmlns:".utf8) { continue }
      let hasPrefix = name.contains(UInt8(ascii: ":"))
      if !hasPrefix || values[localName(name)] == nil { values[localName(name)] = value }
    }
  }

  /// Returns the text of `raw` with its references replaced.
  private func unescaped(
    _ raw: ArraySlice<UInt8>, isAttribute: Bool
  ) throws(XMLTreeError) -> String {
    let isSpace = { (byte: UInt8) in byte == 0x09 || byte == 0x0A }
    guard raw.contains(UInt8(ascii: "&")) || (isAttribute && raw.contains(where: isSpace)) else {
      return text(raw)
    }
    var result: [UInt8] = []
    var rest = raw
    while let byte = rest.first {
      rest = rest.dropFirst()
      guard byte == UInt8(ascii: "&") else {
        result.append(isAttribute && isSpace(byte) ? 0x20 : byte)
        continue
      }
      guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
        throw malformed("`&` without `;`")
      }
      guard let scalar = Self.scalar(named: text(rest[..<end])) else {
        throw malformed("`&\(text(rest[...end]))`, which is no character that XML knows")
      }
      result += Array(String(scalar).utf8)
      rest = rest[(end + 1)...]
    }
    return text(result[...])
  }

  private static func scalar(named name: String) -> Unicode.Scalar? {
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let digits = name.dropFirst(name.hasPrefix("#x") ? 2 : 1)
      guard name.hasPrefix("#"), digits.first?.isHexDigit == true,
        let value = UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10),
        let scalar = Unicode.Scalar(value), value >= 0x20 || [0x09, 0x0A, 0x0D].contains(value)
      else { return nil }
      return scalar
    }
  }

  // MARK: Skipped content

  private mutating func skipInstruction() throws(XMLTreeError) {
    let name = try readName("an instruction")
    guard text(name).lowercased() != "xml" else {
      throw malformed("an XML declaration that is not at the start")
    }
    try skip(past: "?>", in: "an instruction")
  }

  private mutating func skipDocumentType() throws(XMLTreeError) {
    guard root == nil else { throw malformed("a document type after the root element") }
    var isInSubset = false
    while index < bytes.count {
      if skips("<!--") {
        try skip(past: "-->", in: "a comment")
      } else if skips("<?") {
        try skip(past: "?>", in: "an instruction")
      } else if skips("<!ENTITY") {
        throw error("no entity declarations", "one")
      } else {
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
          guard let end = bytes[index...].firstIndex(of: byte) else {
            throw malformed("no end of a quoted text in <!DOCTYPE")
          }
          index = end + 1
        case UInt8(ascii: "["): isInSubset = true
        case UInt8(ascii: "]"): isInSubset = false
        case UInt8(ascii: ">") where !isInSubset: return
        default: break
        }
      }
    }
    throw malformed("no end of <!DOCTYPE")
  }

  private mutating func skip(past end: StaticString, in name: String) throws(XMLTreeError) {
    while index < bytes.count {
      if skips(end) { return }
      index += 1
    }
    throw malformed("no end of \(name)")
  }

  private mutating func skipSpace() {
    while index < bytes.count, bytes[index] == 0x20 || (0x09...0x0A).contains(bytes[index]) {
      index += 1
    }
  }

  /// Skips `word` if it comes next; returns whether it does.
  private mutating func skips(_ word: StaticString) -> Bool {
    let isNext = word.withUTF8Buffer { word in
      word.count <= bytes.count - index
        && word.indices.allSatisfy { bytes[index + $0] == word[$0] }
    }
    if isNext { index += word.utf8CodeUnitCount }
    return isNext
  }

  // MARK: Names and errors

  private mutating func readName(_ thing: String) throws(XMLTreeError) -> ArraySlice<UInt8> {
    func isLetter(_ byte: UInt8) -> Bool {
      byte >= 0x80 || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: ":")
    }
    let start = index
    while index < bytes.count,
      isLetter(bytes[index])
        || (index > start
          && ((0x30...0x39).contains(bytes[index]) || bytes[index] == 0x2D
            || bytes[index] == 0x2E))
    {
      index += 1
    }
    guard index > start else { throw malformed(unexpected(in: "the name of \(thing)")) }
    return bytes[start..<index]
  }

  private func localName(_ name: ArraySlice<UInt8>) -> String {
    text(name.firstIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name)
  }

  private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private var currentLine: Int {
    mutating get {
      line += bytes[countedIndex..<index].count { $0 == 0x0A }
      countedIndex = index
      return line
    }
  }

  private func unexpected(in place: String) -> String {
    guard index < bytes.count else { return "the end of the file in \(place)" }
    // A character may be four bytes.
    let character = text(bytes[index..<min(index + 4, bytes.count)]).prefix(1)
    return "`\(character)` in \(place)"
  }

  private func malformed(_ found: String) -> XMLTreeError { error("well-formed XML", found) }

  private func error(_ expected: String, _ found: String) -> XMLTreeError {
    var counter = self
    return XMLTreeError(line: counter.currentLine, expected: expected, found: found)
  }
}
