import Foundation
import SafeFiles

/// The studio's own certificate with its key, in one file that only this user can read.
///
/// No authority signs it, because those sign no addresses of local networks. So browsers warn at the first
/// visit, and people compare the fingerprint.
struct Certificate: Sendable {
  /// The path of the file, in PEM, the key first.
  let path: String
  /// The SHA-256 hash of the certificate as browsers show it: 32 pairs of hexadecimal digits.
  let fingerprint: String

  private static let days = 800
  /// A certificate that ends sooner is replaced, in days.
  private static let minimumDays = 30

  /// Uses a certificate that is in the folder, or creates one.
  ///
  /// - Throws: `StudioError` if it cannot be created or read.
  init(folder: String) throws {
    path = "\(folder)/certificate.pem"
    if !FileTree.exists(path) || !Self.isValid(path) { try Self.create(path, in: folder) }
    let text: String
    do { text = try String(contentsOfFile: path, encoding: .utf8) } catch {
      throw StudioError("The certificate \(path) cannot be read: \(reason(for: error)).")
    }
    guard let fingerprint = Self.fingerprint(text) else {
      throw StudioError(
        "The file \(path) is not a certificate with a key. Remove it; then a new one is created.")
    }
    self.fingerprint = fingerprint
  }

  private static func isValid(_ path: String) -> Bool {
    let seconds = minimumDays * 86_400
    return (try? openssl(["x509", "-in", path, "-noout", "-checkend", "\(seconds)"])) == true
  }

  private static func create(_ path: String, in folder: String) throws {
    let files = FileManager.default
    let place = "\(folder)/.new-\(UUID().uuidString)"
    defer { try? files.removeItem(atPath: place) }
    do {
      try files.createDirectory(
        atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StudioError("The folder \(folder) cannot be written: \(reason(for: error)).")
    }
    let (key, certificate) = ("\(place)/key.pem", "\(place)/certificate.pem")
    let name = LocalAddresses.name
    let names =
      ["DNS:localhost", "DNS:\(name)", "DNS:\(name).local", "IP:127.0.0.1"]
      + LocalAddresses.all.map { "IP:\($0)" }
    let isCreated = try openssl([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-sha256", "-days", "\(days)", "-keyout", key, "-out", certificate,
      "-subj", "/CN=Inkstate studio on \(name)",
      "-addext", "subjectAltName=\(names.joined(separator: ","))",
      "-addext", "basicConstraints=critical,CA:FALSE",
      "-addext", "keyUsage=critical,digitalSignature",
      "-addext", "extendedKeyUsage=serverAuth",
    ])
    guard isCreated,
      let parts = try? [key, certificate].map({
        try Data(contentsOf: URL(fileURLWithPath: $0))
      })
    else {
      throw StudioError("`openssl` could not create a certificate. Is it OpenSSL 1.1.1 or newer?")
    }
    // Written beside its place, so that there is never a half.
    let whole = "\(place)/whole.pem"
    guard
      files.createFile(
        atPath: whole, contents: parts[0] + parts[1], attributes: [.posixPermissions: 0o600]),
      rename(whole, path) == 0
    else { throw StudioError("The certificate \(path) cannot be written.") }
    FileTree.flushNames(in: folder)
  }

  /// Runs `openssl`, and returns whether it succeeded.
  private static func openssl(_ arguments: [String]) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let missing = StudioError(
      "Sharing needs the program `openssl` to create a certificate. Install it (Debian: apt install openssl)."
    )
    do { try process.run() } catch { throw missing }
    process.waitUntilExit()
    // The status with which `env` says that there is no such program.
    if process.terminationStatus == 127 { throw missing }
    return process.terminationStatus == 0
  }

  /// Returns the fingerprint of the certificate in a PEM text, or `nil` if it has no key and certificate.
  static func fingerprint(_ text: String) -> String? {
    guard text.contains("PRIVATE KEY-----"),
      let start = text.range(of: "-----BEGIN CERTIFICATE-----"),
      let end = text.range(of: "-----END CERTIFICATE-----"), start.upperBound <= end.lowerBound,
      let data = Data(
        base64Encoded: String(text[start.upperBound..<end.lowerBound]),
        options: .ignoreUnknownCharacters), !data.isEmpty
    else { return nil }
    return SHA256.hash(data).map { byte in
      ((byte < 16 ? "0" : "") + String(byte, radix: 16)).uppercased()
    }.joined(separator: ":")
  }
}
