import AutomatonEditor
import Foundation
import Ink
import TestSupport
import Testing

@testable import InkStudio

@Suite(.timeLimit(.minutes(30))) struct StudioTests {
  private func mode(_ path: String) throws -> Int {
    try #require(
      FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    ).intValue
  }

  @Test func aFolderBelongsToOneStudio() throws {
    let folder = try TemporaryFolder()
    do {
      let lock = try FolderLock(folder.path)
      #expect(throws: StudioError.self) { try FolderLock(folder.path) }
      _ = lock
    }
    _ = try FolderLock(folder.path)
  }

  @Test func aFolderIsForItsOwnerOnly() throws {
    let folder = try TemporaryFolder()
    let new = "\(folder.path)/a/new"
    _ = try FolderLock(new)
    #expect(try mode(new) == 0o700)
    // Who opens it to others may.
    try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: new)
    _ = try FolderLock(new)
    #expect(try mode(new) == 0o750)
    // A folder that was there before stays as it is, at the next start as well.
    let other = "\(folder.path)/other"
    try FileManager.default.createDirectory(
      atPath: other, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    for _ in 0..<2 {
      _ = try FolderLock(other)
      #expect(try mode(other) == 0o755)
    }
    try folder.write("file", "")
    #expect(throws: StudioError.self) { try FolderLock("\(folder.path)/file") }
  }

  @Test func theFileThatOpensTheBrowserIsPrivateAndGoesAway() throws {
    let folder = try TemporaryFolder()
    try folder.write("open.html", "left behind")
    let redirectPage = RedirectPage(folder: folder.path)
    // What is not ours stays.
    redirectPage.remove()
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/open.html"))
    let address = "http://127.0.0.1:8080/?token=secret"
    let path = try redirectPage.write(for: address)
    #expect(path.hasPrefix("/") && !path.contains("secret"))
    #expect(try mode(path) == 0o600)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("http-equiv=\"refresh\" content=\"0; url=\(address)\""))
    redirectPage.remove()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func theFileThatOpensTheBrowserIsRemovedWhenItWasUsed() async throws {
    try await RunningStudio.run { studio in
      let path = try studio.studio.redirectPage(to: "http://\(studio.host)/")
      _ = try await studio.ask(.get, "/?token=wrong", cookie: nil)
      _ = try await studio.ask(.get, "/?token=\(studio.token)", host: "evil.example", cookie: nil)
      #expect(FileManager.default.fileExists(atPath: path))
      _ = try await studio.ask(.get, "/?token=\(studio.token)", cookie: nil)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  /// The page uses the character class, and the server uses `isValid`.
  @Test func theCharacterClassHasTheCharactersOfNames() throws {
    let names = try NSRegularExpression(pattern: "^[\(FileName.characterClass)]+$")
    for value in UInt32(0x20)..<0x3000 {
      // The tables of Foundation and of its regular expressions have different versions of Unicode.
      guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 12
      else { continue }
      let name = "a\(scalar)b"
      let range = NSRange(name.startIndex..., in: name)
      let matches = names.firstMatch(in: name, range: range) != nil
      #expect(FileName.isValid(name) == matches, "U+\(String(value, radix: 16))")
    }
  }

  @Test func namesHaveOneSpelling() {
    #expect(
      FileName.normalized("cafe\u{301}").unicodeScalars.elementsEqual("caf\u{e9}".unicodeScalars))
    #expect(!FileName.isValid("a" + String(repeating: "\u{301}", count: 200)))
    #expect(FileName.unused("Ä/../b", or: "x", used: ["ä..b"]) == "Ä..b 2")
    #expect(FileName.unused("...", or: "x", used: []) == "x")
    for name in ["Exercise 3.2 (group A)", "a, b & c", "it's + more!"] {
      #expect(FileName.isValid(name) && FileName.unused(name, or: "x", used: []) == name)
    }
    for name in ["a.", ".a", "a:b", "a*", "a\"b", "<a>"] { #expect(!FileName.isValid(name)) }
  }

  @Test(arguments: [
    (1, true), (60, true), (61, false), (0, false),
  ])
  func namesAreOfSixtyLettersAtMost(count: Int, isFine: Bool) {
    #expect(FileName.isValid(String(repeating: "a", count: count)) == isFine)
    #expect(FileName.isValid(String(repeating: "漢", count: count)) == isFine)
  }

  @Test(arguments: [
    (#"{"kind":"rename","id":"e1","text":"B"}"#, Command.rename(state: "e1", "B")),
    (#"{"kind":"moveState","id":"e1","place":{"x":1,"y":2}}"#, .moveState("e1", to: Vector(1, 2))),
    (#"{"kind":"delete","id":"e1","value":true}"#, .delete(["e1"], .deletesAttached)),
    (#"{"kind":"clear"}"#, .clear), (#"{"kind":"rename","id":"e1"}"#, nil),
    (#"{"kind":"explode"}"#, nil),
  ])
  func commandsAreReadByTheirKind(json: String, command: Command?) throws {
    let message = try JSONDecoder().decode(Message.CommandMessage.self, from: Data(json.utf8))
    #expect((try? message.command()) == command)
  }

  @Test(arguments: [
    ("a=b", "a", "b"), ("class=final+state%21", "class", "final state!"),
    ("x=1&a=%2B+%2b", "a", "+ +"), ("a=%C3%A9%E2%80%99", "a", "é’"), ("a", "a", ""),
    ("a=", "a", ""),
    ("a=b=c", "a", "b=c"), ("b+c%3D=d", "b c=", "d"), ("a=1&a=2", "a", "1"), ("&&a=%26&", "a", "&"),
    ("A=1", "a", nil), ("", "a", nil), (nil, "a", nil),
  ])
  func parametersAreDecodedAsAForms(query: String?, name: String, value: String?) throws {
    #expect(try Query(query)[name] == value)
  }

  @Test func allValuesOfAParameterAreRead() throws {
    #expect(try Query("class=a+b&x=1&class=c%2Bd").all("class") == ["a b", "c+d"])
    for broken in ["a=%ff", "a=%4", "a=%zz", "%ff=a", "a=%C3"] {
      #expect(throws: StudioError.self) { try Query(broken) }
    }
  }

  @Test(arguments: [
    ("A 1.jff", #"attachment; filename="A 1.jff"; filename*=UTF-8''A%201.jff"#),
    ("Ünïcode.png", #"attachment; filename="ncode.png"; filename*=UTF-8''%C3%9Cn%C3%AFcode.png"#),
    (
      "αβ.automaton",
      #"attachment; filename="inkstate.automaton"; filename*=UTF-8''%CE%B1%CE%B2.automaton"#
    ),
    ("a\"\r\nb;.svg", #"attachment; filename="ab.svg"; filename*=UTF-8''a%22%0D%0Ab%3B.svg"#),
  ])
  func filesAreSavedUnderTheirName(name: String, header: String) {
    #expect(StudioResponse.disposition(name) == header)
  }

  @Test func errorsOfTheSystemAreSaidInPlainWords() {
    let errors: [any Error] = [
      CocoaError(.fileWriteOutOfSpace), CocoaError(.fileReadCorruptFile), POSIXError(.ENOSPC),
      POSIXError(.EIO), NSError(domain: "NSPOSIXErrorDomain", code: 5), CancellationError(),
      DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "x")),
    ]
    for error in errors {
      let text = plainText(of: error)
      #expect(text.hasSuffix(".") && text.first?.isUppercase ?? false)
      #expect(!text.contains("Error") && !text.contains("(") && !text.contains("Domain"))
    }
    #expect(plainText(of: POSIXError(.ENOSPC)).contains("the disk is full"))
    // As Foundation reports a write that fails.
    let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(EIO))
    let unknown = CocoaError(.fileWriteUnknown, userInfo: [NSUnderlyingErrorKey: cause])
    #expect(plainText(of: unknown).contains("a disk error"))
    #expect(plainText(of: StudioError("Draw first.")) == "Draw first.")
  }
}
