import Foundation
import JSONReading
import SafeFiles
import Synchronization

/// The paired devices, in a file of the studio's folder.
///
/// A device has a token in a cookie, and a secret in its page, because other ports of the same host get the
/// cookie too. The file contains their hashes alone. Both have 256 random bits, so that a plain hash cannot be
/// reversed.
final class Devices: Sendable {
  struct Device: Codable, Equatable, Sendable {
    var id: String
    var name: String
    /// The SHA-256 hash of the token, in hexadecimal digits.
    var tokenHash: String
    /// The SHA-256 hash of the secret; a device without one has to be paired again.
    var secretHash: String?
    var paired: Date
    var lastSeen: Date
    /// Whether the device may show documents to the audience.
    var isPresenter: Bool
  }

  static let maximumDevices = 200

  private let path: String
  private let devices: Mutex<[Device]>

  /// Reads the devices of a folder.
  ///
  /// - Throws: `StudioError` if the file cannot be read.
  init(folder: String) throws {
    path = "\(folder)/devices.json"
    guard FileTree.exists(path) else {
      devices = Mutex([])
      return
    }
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      devices = Mutex(try [Device](strictJSON: data, name: path))
    } catch {
      let detail = (error as? JSONError).map { " (\($0))" } ?? ""
      throw StudioError(
        "The file \(path) with the paired devices cannot be read\(detail). Remove it, then pair them "
          + "again.")
    }
  }

  /// All devices, the latest last.
  var all: [Device] { devices.withLock { $0 } }

  /// Adds a device, and returns its token and its secret, which are kept nowhere else.
  ///
  /// - Throws: `StudioError` if the name is not valid, there are too many, or the file cannot be written.
  func add(named wish: String) throws -> (device: Device, token: String, secret: String) {
    let name = FileName.normalized(wish.trimmingCharacters(in: .whitespaces))
    try FileName.check(name, of: "device")
    let (token, secret) = (randomText(bits: 256), randomText(bits: 256))
    return try change { devices in
      guard devices.count < Self.maximumDevices else {
        throw StudioError(
          "\(Self.maximumDevices) devices are paired. Remove some of them first.", .conflict)
      }
      let name = FileName.unused(name, or: "device", used: Set(devices.map(\.name)))
      let now = Date()
      let device = Device(
        id: UUID().uuidString, name: name, tokenHash: Self.hash(token),
        secretHash: Self.hash(secret), paired: now, lastSeen: now, isPresenter: false)
      devices.append(device)
      return (device, token, secret)
    }
  }

  /// Returns the device with a token, and notes that it was seen.
  func device(withToken token: String) -> Device? {
    let hash = Self.hash(token)
    return devices.withLock { devices in
      guard let index = devices.firstIndex(where: { isSame($0.tokenHash, hash) }) else {
        return nil
      }
      devices[index].lastSeen = Date()
      return devices[index]
    }
  }

  /// Returns whether a secret is that of a device.
  func isSecret(_ secret: String, of id: String) -> Bool {
    let known = devices.withLock { devices in devices.first { $0.id == id }?.secretHash }
    return known.map { isSame($0, Self.hash(secret)) } ?? false
  }

  /// Sets whether a device may present.
  ///
  /// - Throws: `StudioError` if there is no such device, or the file cannot be written.
  func setPresenter(_ id: String, _ isPresenter: Bool) throws {
    try change { devices in
      guard let index = devices.firstIndex(where: { $0.id == id }) else { throw Self.unknown }
      devices[index].isPresenter = isPresenter
    }
  }

  /// Removes a device.
  ///
  /// - Throws: `StudioError` if there is no such device, or the file cannot be written.
  func remove(_ id: String) throws {
    try change { devices in
      guard devices.contains(where: { $0.id == id }) else { throw Self.unknown }
      devices.removeAll { $0.id == id }
    }
  }

  /// Writes when the devices were last seen; otherwise the file changes only with the devices.
  func save() { try? change { _ in } }

  private static var unknown: StudioError {
    StudioError("This device is already removed. Reload the page.", .notFound)
  }

  private static func hash(_ token: String) -> String { SHA256.hexadecimal(token.utf8) }

  /// Changes the devices; if the file cannot be written, they stay as they were.
  private func change<Result>(_ change: (inout [Device]) throws -> Result) throws -> Result {
    try devices.withLock { devices in
      var next = devices
      let result = try change(&next)
      if next.isEmpty, devices.isEmpty { return result }
      do {
        let data = try JSONEncoder().encode(next)
        // A file that is written over keeps its mode.
        let isThere =
          FileTree.exists(path)
          || FileManager.default.createFile(
            atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard isThere else { throw CocoaError(.fileWriteNoPermission) }
        try FileTree.write(data, to: path)
      } catch {
        throw StudioError(
          "The paired devices cannot be saved: \(reason(for: error)).", .internalServerError)
      }
      devices = next
      return result
    }
  }
}

/// Returns random characters that are allowed in addresses and cookies.
func randomText(bits: Int) -> String {
  let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
  var generator = SystemRandomNumberGenerator()
  return String((0..<(bits + 5) / 6).map { _ in letters.randomElement(using: &generator)! })
}
