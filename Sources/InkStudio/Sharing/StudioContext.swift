import HTTPTypes
import Hummingbird
import NIOCore

/// What belongs to a request besides its content: its connection, and who sent it.
struct StudioContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection of the request.
  let connection: any Channel
  /// All connections of the server; a gate sets this before any handler.
  var pool: ConnectionPool?
  /// Who sent the request; a gate decides this before any handler.
  var visitor = Visitor.stranger

  /// Whose streams and work count together.
  var client: Client {
    switch visitor {
    case .owner: .owner
    case .device(let id, _): .device(id)
    case .audience, .stranger: .connection(ObjectIdentifier(connection))
    }
  }

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    connection = source.channel
  }
}

/// Somebody whose streams and work count together.
enum Client: Hashable, Sendable {
  case owner
  case device(String)
  /// Somebody of the audience.
  case connection(ObjectIdentifier)
}

/// Somebody who sends requests, and what they may do.
enum Visitor: Hashable, Sendable {
  /// Somebody who opened the address that the studio printed, on the same machine.
  case owner
  /// A paired device; presenters may show documents to the audience.
  case device(String, isPresenter: Bool)
  /// Somebody with the link for the audience.
  case audience
  /// Anybody else in the network.
  case stranger

  /// Whether this is a paired device.
  var isDevice: Bool {
    guard case .device = self else { return false }
    return true
  }

  /// What the page calls the visitor.
  var name: String {
    switch self {
    case .owner: "owner"
    case .device(_, let isPresenter): isPresenter ? "presenter" : "device"
    case .audience: "audience"
    case .stranger: "stranger"
    }
  }

  /// Whether the visitor may send a request.
  ///
  /// What is not listed here is for the owner alone. `pattern` is the address as the router has it, so
  /// that no other spelling of an address has other rights; it is `nil` if the router has no such address.
  func may(_ method: HTTPRequest.Method, _ pattern: String?) -> Bool {
    guard let pattern else { return self != .stranger }
    let isRead = method == .get
    switch self {
    case .owner: return true
    case .stranger: return Self.openAddresses.contains(pattern)
    case .audience:
      // Somebody who has watched can pair the same browser.
      return pattern == "/pair"
        || isRead
          && (Self.openAddresses + Self.watchedAddresses + PageFiles.watchFiles).contains(pattern)
    case .device(_, let isPresenter):
      if Self.openAddresses.contains(pattern) { return true }
      if method == .delete { return isPresenter && pattern == "/api/presentation" }
      // Documents are there to be edited together: only deleting them is left to their owner.
      if pattern.hasPrefix("/api/documents") || pattern.hasPrefix("/api/examples/") { return true }
      if ["/api/recognize", "/api/page", "/api/expression", "/api/recordings"].contains(pattern) {
        return true
      }
      if pattern == "/api/presentation" { return isRead || isPresenter }
      return isRead
        && (PageFiles.isFile(pattern) || Self.watchedAddresses.contains(pattern)
          || ["/api/example", "/api/models"].contains(pattern))
    }
  }

  /// What anybody in the network gets.
  private static let openAddresses =
    ["/pair", "/watch"] + PageFiles.openFiles
  /// What the audience of a presentation gets.
  private static let watchedAddresses = [
    "/api/constants", "/api/presentation", "/api/presentation/document",
    "/api/presentation/changes",
  ]
}
