import Foundation
import TestSupport
import Testing

@testable import InkStudio

/// The parts of a shared studio: codes, devices, certificate, pictures.
@Suite(.timeLimit(.minutes(30))) struct SharingTests {
  private let start = ContinuousClock.now

  private func wrong(_ code: PairingCode) -> String {
    code.code == "111111" ? "222222" : "111111"
  }

  @Test func aCodeIsUsedOnceAndNotForLong() {
    var code = PairingCode(at: start)
    let first = code.code
    #expect(first.count == 6 && first.allSatisfy(\.isNumber))
    #expect(code.answer(to: first, from: "a", at: start) == .right)
    #expect(code.code != first)
    #expect(code.answer(to: first, from: "b", at: start + .seconds(59)) == .used)
    #expect(code.answer(to: first, from: "b", at: start + .seconds(61)) == .wrong)
    let second = code.code
    let end = code.end
    code.update(at: end - .seconds(1))
    #expect(code.code == second)
    #expect(code.answer(to: second, from: "a", at: end) == .wrong && code.code != second)
  }

  @Test func eachWrongCodeOfAnAddressCostsTwiceTheTime() {
    var code = PairingCode(at: start)
    var now = start
    var waits: [Duration] = []
    for _ in 0..<PairingCode.freeGuesses {
      #expect(code.answer(to: wrong(code), from: "a", at: now) == .wrong)
    }
    for _ in 0..<12 {
      guard case .refused(let wait) = code.answer(to: code.code, from: "a", at: now) else {
        Issue.record("expected a wait")
        return
      }
      waits.append(wait)
      now += wait
      #expect(code.answer(to: wrong(code), from: "a", at: now) == .wrong)
    }
    #expect(Array(waits[..<5]) == [2, 4, 8, 16, 32].map { Duration.seconds($0) })
    #expect(waits.suffix(3).allSatisfy { $0 == .seconds(900) })
    // Another address does not wait.
    #expect(code.answer(to: code.code, from: "b", at: now) == .right)
  }

  @Test func manyAddressesTogetherAreStoppedToo() {
    var code = PairingCode(at: start)
    var codes: Set<String> = []
    // A hundred thousand guesses of ten thousand addresses in an hour.
    for number in 0..<100_000 {
      codes.insert(code.code)
      _ = code.answer(
        to: wrong(code), from: "\(number % 10_000)", at: start + .milliseconds(36 * number))
    }
    // Pauses of 1, 2, 4, 8, 16 and 32 minutes, after 30 codes each; and a first code of 30 addresses in each.
    #expect(code.comparedCount <= 6 * 2 * PairingCode.maximumGuesses)
    #expect(code.comparedCount + code.refusedCount == 100_000)
    #expect(codes.count >= 6, "what was found out about a code is of no use later")
    let later = start + .seconds(3601)
    guard case .refused = code.answer(to: code.code, from: "7", at: later) else {
      Issue.record("expected a pause for all")
      return
    }
    code.renew(at: later)
    #expect(code.answer(to: code.code, from: "me", at: later) == .right)
  }

  @Test func aFewAddressesKeepNobodyFromPairing() {
    var code = PairingCode(at: start)
    for round in 0..<3 {
      let now = start + .seconds(round)
      for address in 0..<8 {
        for _ in 0..<10 { _ = code.answer(to: wrong(code), from: "\(address)", at: now) }
      }
      #expect(code.answer(to: code.code, from: "tablet \(round)", at: now) == .right)
      code.renew(at: now)
    }
  }

  @Test func pairingDoesNotExcuseTheGuessesOfOthers() {
    var code = PairingCode(at: start)
    var compared = 0
    // Somebody pairs now and then; the others go on as before.
    for number in 0..<1000 {
      if number % 20 == 0 { _ = code.answer(to: code.code, from: "me \(number)", at: start) }
      if code.answer(to: wrong(code), from: "\(number)", at: start) == .wrong { compared += 1 }
    }
    #expect(compared <= 2 * PairingCode.maximumGuesses)
  }

  @Test func whatOthersCouldReadIsClosedAndNamed() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("devices.json", "[]")
    chmod(path, 0o644)
    let warning = try #require(FolderLock.warningAfterClosing(path))
    #expect(warning.contains("mode 644") && warning.contains(path))
    #expect(FolderLock.warningAfterClosing(path) == nil)
    #expect(FolderLock.warningAfterClosing("\(folder.path)/none") == nil)
  }

  @Test func recordingsAreNotWrittenThroughALink() async throws {
    let folder = try TemporaryFolder()
    let target = try folder.write("target.ndjson", "kept\n")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/recordings.ndjson", withDestinationPath: target)
    #expect(throws: StudioError.self) { try Recordings(folder: folder.path) }
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "kept\n")
  }

  @Test func devicesAreKeptWithoutTheirTokens() throws {
    let folder = try TemporaryFolder()
    let devices = try Devices(folder: folder.path)
    let (device, token, secret) = try devices.add(named: " Ada ")
    #expect(device.name == "Ada" && token.count >= 43)
    #expect(try devices.add(named: "ada").device.name == "ada 2")
    for name in ["", " ", "../x", "a\nb"] {
      #expect(throws: StudioError.self) { try devices.add(named: name) }
    }
    try devices.setPresenter(device.id, true)
    let path = "\(folder.path)/devices.json"
    let stored = try String(contentsOfFile: path, encoding: .utf8)
    for text in [token, secret] {
      #expect(!stored.contains(text) && stored.contains(SHA256.hexadecimal(text.utf8)))
    }
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o600)

    let again = try Devices(folder: folder.path)
    #expect(again.all.map(\.name) == ["Ada", "ada 2"])
    #expect(again.device(withToken: token)?.isPresenter == true)
    #expect(again.device(withToken: String(token.dropLast())) == nil)
    #expect(again.device(withToken: device.tokenHash) == nil)
    #expect(again.isSecret(secret, of: device.id) && !again.isSecret(token, of: device.id))
    #expect(!again.isSecret(secret, of: again.all[1].id))
    try again.remove(device.id)
    #expect(again.device(withToken: token) == nil)
    #expect(throws: StudioError.self) { try again.remove(device.id) }
    #expect(try Devices(folder: folder.path).all.map(\.name) == ["ada 2"])

    // A device of an older studio has no secret: it has to be paired again.
    let old = stored.replacing(/"secretHash":"[0-9a-f]*",|,"secretHash":"[0-9a-f]*"/, with: "")
    try folder.write("devices.json", old)
    let older = try Devices(folder: folder.path)
    #expect(!old.contains("secret") && older.all.count == 2)
    #expect(!older.isSecret("", of: device.id) && !older.isSecret(secret, of: device.id))
    try folder.write("devices.json", "{")
    #expect(throws: StudioError.self) { try Devices(folder: folder.path) }
  }

  @Test func theCertificateIsMadeOnce() throws {
    let folder = try TemporaryFolder()
    let first = try Certificate(folder: folder.path)
    #expect(first.fingerprint.split(separator: ":").count == 32)
    let mode = try FileManager.default.attributesOfItem(atPath: first.path)[.posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o600)
    #expect(try Certificate(folder: folder.path).fingerprint == first.fingerprint)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names == ["certificate.pem"])
    // A damaged one is replaced: devices have to accept the new one anyway.
    try folder.write("certificate.pem", "damaged")
    #expect(try Certificate(folder: folder.path).fingerprint != first.fingerprint)
    #expect(Certificate.fingerprint("-----END CERTIFICATE----------BEGIN CERTIFICATE-----") == nil)
  }

  @Test func hashesAreThoseOfTheStandard() {
    #expect(
      SHA256.hexadecimal("abc".utf8)
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      SHA256.hexadecimal([])
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      SHA256.hexadecimal("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    #expect(
      SHA256.hexadecimal(Array(repeating: UInt8(ascii: "a"), count: 1_000_000))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test func textsAreComparedAsAWhole() {
    for (one, other, isEqual) in [
      ("", "", true), ("a", "a", true), ("a", "b", false), ("ab", "a", false),
      ("é", "e\u{301}", false),
    ] {
      #expect(isSame(one, other) == isEqual)
    }
  }

  /// The hashes of matrices of the Python package qrcode 8.2, row by row, as `0` and `1`.
  @Test(arguments: [
    (
      "https://192.168.178.123:8443/", 0, 29,
      "87407cc847ff03150a706233ae310d6f5cdbca8490909f97b18f3fccdc26e326"
    ),
    (
      "https://192.168.178.123:8443/", 5, 29,
      "e4dd017c486314fce40201c64bd6ca7ff178474c84ffb35bdf89074dc2810c93"
    ),
    (
      "https://10.0.0.7:8443/watch?key=Abcdefghijklmnopqrstuv", 3, 33,
      "8cefa348f082d165521f1b02ade4d8c8612878b4c4084f891f08eb8418d68fd8"
    ),
    (
      String(repeating: "x", count: 120), 3, 45,
      "cf248a6f893fced8115ff0f574c84c3b9877cb6e91f612b4859554bad33ca207"
    ),
    (
      String(repeating: "x", count: 213), 3, 57,
      "c0aa0b25790b38444fced97feb2e4a7287564d5848789b90c8d9d222d5c62024"
    ),
  ])
  func picturesAreThoseOfAnotherEncoder(text: String, mask: Int, size: Int, hash: String) throws {
    let code = try #require(QRCode(text, mask: mask))
    #expect(code.size == size)
    #expect(SHA256.hexadecimal(code.modules.map { UInt8(ascii: $0 ? "1" : "0") }) == hash)
    #expect(QRCode(String(repeating: "x", count: 214)) == nil)
  }

  @Test func picturesAreShownInPageAndTerminal() throws {
    let code = try #require(QRCode("https://10.0.0.7/"))
    #expect(code.path.matches(of: /M\d+ \d+h1v1h-1z/).count == code.modules.filter { $0 }.count)
    let lines = code.terminalText.split(separator: "\n")
    #expect(lines.count == (code.size + 5) / 2)
    #expect(lines.allSatisfy { $0.count == lines[0].count })
  }
}
