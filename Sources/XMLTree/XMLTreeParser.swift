import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// An XML element with its local name, attributes, text and children.
package final class XMLElementTree {
  package let name: String
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

/// XML that cannot be read: on which line, what was expected and what was there.
package struct XMLTreeError: Error {
  package var line: Int
  package var expected: String
  package var found: String
}

/// Builds the element tree of an XML file; entities of its own are refused, for no format here needs
/// them and they can unfold without end.
package final class XMLTreeParser: NSObject, XMLParserDelegate {
  private var root: XMLElementTree?
  private var open: [XMLElementTree] = []
  private var failure: XMLTreeError?

  /// The formats nest a handful of levels.
  private static let deepest = 100

  /// Reads `data`.
  package func parse(_ data: Data) throws(XMLTreeError) -> XMLElementTree {
    // The parser would unfold them without telling on Linux.
    if let entity = data.range(of: Data("<!ENTITY".utf8)) {
      let line = data[..<entity.lowerBound].count { $0 == UInt8(ascii: "\n") } + 1
      throw XMLTreeError(line: line, expected: "no entity declarations", found: "one")
    }
    guard !data.contains(0) else {
      throw XMLTreeError(line: 1, expected: "text in UTF-8", found: "zero bytes, perhaps UTF-16")
    }
    try refuseBrokenText(data)
    // From a stream it is read in pieces; at once, the parser refuses more than 10 MB.
    let parser = XMLParser(stream: InputStream(data: data))
    parser.delegate = self
    parser.shouldResolveExternalEntities = false
    let complete = parser.parse()
    if let failure { throw failure }
    // A file that breaks off in a tag can count as complete; its last character tells.
    let end = data.last { $0 != 0x20 && !(0x09...0x0D).contains($0) }
    guard complete, parser.parserError == nil, end == UInt8(ascii: ">"), let root else {
      throw XMLTreeError(
        line: max(1, parser.lineNumber), expected: "well-formed XML",
        found: data.isEmpty ? "an empty file" : "an error or the end of the file")
    }
    return root
  }

  /// Refuses bytes that are no UTF-8 where nothing else is declared: in a name of an element they
  /// would end the program on Linux.
  private func refuseBrokenText(_ data: Data) throws(XMLTreeError) {
    let declaration = String(decoding: data.prefix(200), as: UTF8.self).lowercased()
    if let encoding = declaration.firstMatch(of: /encoding\s*=\s*["']([^"']*)/)?.1,
      encoding != "utf-8"
    {
      return
    }
    var number = 1
    for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      guard String(validating: line, as: UTF8.self) != nil else {
        throw XMLTreeError(line: number, expected: "text in UTF-8", found: "other bytes")
      }
      number += 1
    }
  }

  private func stop(_ parser: XMLParser, expected: String, found: String) {
    failure =
      failure
      ?? XMLTreeError(line: max(1, parser.lineNumber), expected: expected, found: found)
    parser.abortParsing()
  }

  package func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    guard open.count < Self.deepest else {
      return stop(parser, expected: "at most \(Self.deepest) nested elements", found: "more")
    }
    var local: [String: String] = [:]
    for (name, value) in attributes { local[Self.localName(name)] = value }
    let element = XMLElementTree(
      name: Self.localName(elementName), attributes: local, line: parser.lineNumber)
    if let parent = open.last { parent.children.append(element) } else { root = element }
    open.append(element)
  }

  package func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
    qualifiedName: String?
  ) {
    open.removeLast()
  }

  package func parser(_ parser: XMLParser, foundCharacters string: String) {
    open.last?.text += string
  }

  private static func localName(_ name: String) -> String {
    name.firstIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
  }
}
