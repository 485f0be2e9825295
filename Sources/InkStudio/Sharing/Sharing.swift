import Foundation
import HTTPTypes
import NIOCore
import Synchronization

/// What a studio needs to be shared with the devices of a local network.
final class Sharing: Sendable {
  let devices: Devices
  let presentation: Presentation
  /// All connections of the server for devices, at most so many of one address, and those of visitors.
  let pool: ConnectionPool
  let connections: Connections
  /// The certificate's SHA-256 hash, to be compared by people.
  let fingerprint: String
  private let code: Mutex<PairingCode>
  /// The secret in the link for the audience, or `nil` if there is no link.
  private let audience = Mutex<String?>(nil)
  private let boundPort = Mutex(0)

  /// Reads the paired devices.
  ///
  /// - Throws: `StudioError` if they cannot be read.
  init(
    folder: String, fingerprint: String, documents: Documents, limits: ConnectionPool.Limits
  ) throws {
    var limits = limits
    limits.ofOneAddress = 128
    pool = ConnectionPool(limits)
    devices = try Devices(folder: folder)
    presentation = Presentation(documents: documents)
    connections = Connections(pool)
    self.fingerprint = fingerprint
    code = Mutex(PairingCode(at: .now))
  }

  /// The port at which devices connect.
  var port: Int { boundPort.withLock { $0 } }

  func open(port: Int) { boundPort.withLock { $0 = port } }

  /// The addresses that devices can open, the likeliest first.
  var addresses: [String] {
    let hosts = LocalAddresses.all
    return (hosts.isEmpty ? ["127.0.0.1"] : hosts).map { "https://\($0):\(port)/" }
  }

  // MARK: Pairing

  /// The code at this moment, what it says about guesses, and when it changes.
  var pairing: PairingCode {
    code.withLock { code in
      code.update(at: .now)
      return code
    }
  }

  /// Changes the code at once, and ends all waits.
  func renewCode() { code.withLock { $0.renew(at: .now) } }

  /// Compares a code from an address.
  func answer(to guess: String, from address: String) -> PairingCode.Outcome {
    code.withLock { $0.answer(to: guess, from: address, at: .now) }
  }

  /// Removes a device and ends its connections.
  func remove(_ id: String) throws {
    try devices.remove(id)
    connections.close(of: .device(id))
  }

  // MARK: Audience

  /// The link for the audience, if there is one.
  var link: String? {
    audience.withLock { $0 }.map { "\(addresses[0])watch?key=\($0)" }
  }

  /// Creates a link for the audience; an older one ends.
  func makeLink() {
    let key = randomText(bits: 132)
    audience.withLock { $0 = key }
    connections.close(of: .audience)
  }

  /// Ends the link for the audience, and the connections of those who have it.
  func endLink() {
    audience.withLock { $0 = nil }
    connections.close(of: .audience)
  }

  // MARK: Visitors

  /// The names of the cookies of devices and of the audience; all ports of a host share their cookies.
  var deviceCookie: String { "__Host-inkstate-device-\(port)" }
  var audienceCookie: String { "__Host-inkstate-watch-\(port)" }

  /// Returns the header that stores a token in a browser; `days` is `nil` until the browser is closed.
  func cookie(_ name: String, _ value: String, days: Int? = nil) -> String {
    let age = days.map { "; Max-Age=\($0 * 86_400)" } ?? ""
    return "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=Strict\(age)"
  }

  /// Returns who has these tokens; a device needs its secret as well, unless `secret` is `nil`.
  func visitor(device token: String?, secret: String? = nil, audience key: String?) -> Visitor {
    if let token, let device = devices.device(withToken: token),
      secret.map({ devices.isSecret($0, of: device.id) }) ?? true
    {
      return .device(device.id, isPresenter: device.isPresenter)
    }
    if let key, let known = audience.withLock({ $0 }), isSame(known, key) { return .audience }
    return .stranger
  }
}

/// What a person needs to pair a device with a shared studio.
public struct Invitation: Sendable {
  /// The addresses to open, the likeliest first.
  public var addresses: [String]
  /// The six digits to type.
  public var code: String
  /// The number of minutes for which the code is valid.
  public var minutes: Int
  /// The SHA-256 fingerprint of the certificate, as browsers show it.
  public var fingerprint: String
  /// A QR code of the first address, for a terminal with colours.
  public var picture: String
}

extension Sharing {
  /// What to show now.
  var invitation: Invitation {
    let addresses = addresses
    return Invitation(
      addresses: addresses, code: pairing.code,
      minutes: Int(PairingCode.lifetime / .seconds(60)), fingerprint: fingerprint,
      picture: QRCode(addresses[0])?.terminalText ?? "")
  }
}
