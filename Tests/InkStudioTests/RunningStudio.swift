import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Synchronization
import TestSupport

@testable import InkStudio

/// A studio over an empty folder, asked over the network as a page asks it.
struct RunningStudio: Sendable {
  let folder: TemporaryFolder
  let studio: Studio
  let port: Int
  let token: String

  var host: String { "127.0.0.1:\(port)" }
  var cookie: String { "\(Gatekeeper.cookie(port: port))=\(token)" }

  /// An answer: its status, its headers and its body.
  struct Answer: Sendable {
    var status: Int
    var headers: HTTPFields
    var data: Data

    var text: String { String(decoding: data, as: UTF8.self) }
    /// The members of a JSON object.
    var json: [String: Any] {
      (try? JSONSerialization.jsonObject(with: data) as? [String: Any]) ?? [:]
    }
    /// What it says is wrong.
    var error: String { json["error"] as? String ?? "" }
  }

  static func run(
    _ test: @escaping @Sendable (RunningStudio) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let studio = try Studio(Studio.Configuration(dataFolder: folder.path))
    let address = Mutex("")
    let application = studio.application { ready in address.withLock { $0 = ready } }
    try await application.test(.live) { client in
      let token = address.withLock { $0 }.components(separatedBy: "token=")[1]
      try await test(
        RunningStudio(folder: folder, studio: studio, port: client.port!, token: token))
    }
  }

  /// Sends a request as the page does; `headers` come on top, and `nil` for the cookie leaves it out.
  func ask(
    _ method: HTTPRequest.Method, _ path: String, _ body: Data? = nil, host: String? = nil,
    cookie: String? = "", headers: HTTPFields = [:]
  ) async throws -> Answer {
    var headers = headers
    if let cookie { headers[.cookie] = cookie.isEmpty ? self.cookie : cookie }
    let request = TestClient.Request(
      path, method: method, authority: host ?? self.host, headers: headers,
      body: body.map { ByteBuffer(bytes: $0) })
    let response = try await TestClient.withClient(host: "localhost", port: port) { client in
      try await client.execute(request)
    }
    return Answer(
      status: response.status.code, headers: response.headers,
      data: response.body.map { Data($0.readableBytesView) } ?? Data())
  }

  /// Sends a JSON text.
  func post(_ path: String, _ json: String) async throws -> Answer {
    try await ask(.post, path, Data(json.utf8))
  }

  /// The names in a folder below that of the studio.
  func files(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(self.folder.path)/\(folder)")) ?? [])
      .sorted()
  }
}
