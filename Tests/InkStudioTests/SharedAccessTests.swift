import Foundation
import HTTPTypes
import Hummingbird
import Testing

@testable import InkStudio

/// What strangers, devices and the audience get of a shared studio.
@Suite(.timeLimit(.minutes(30))) struct SharedAccessTests {
  private struct Route: Sendable {
    var method: HTTPRequest.Method
    var path: String

    var text: String { "\(method.rawValue) \(path)" }
  }

  /// All addresses of the shared server, asked of its router.
  private static func routes(of studio: SharedStudio) -> [Route] {
    let router = studio.studio.router(SharedGate(studio.sharing))
    PairPage(sharing: studio.sharing, interface: studio.studio.interface).add(to: router)
    return router.routes.map { route in
      let path = route.path.description.replacing(/[:{]name}?/, with: "A")
        .replacing(/[:{]id}?/, with: "x")
      return Route(method: route.method, path: path.hasPrefix("/") ? path : "/\(path)")
    }
  }

  private func run(
    _ test: @escaping @Sendable (SharedStudio) async throws -> Void
  ) async throws {
    try await SharedStudio.run { studio in
      studio.studio.training.end()
      await studio.sharing.presentation.endStreams()
      try await test(studio)
    }
  }

  @Test func strangersGetOnlyThePageForPairing() async throws {
    try await run { studio in
      let open: Set = [
        "GET /pair", "POST /pair", "GET /pair.css", "GET /manifest.webmanifest", "GET /icon.svg",
        "GET /icon-192.png", "GET /icon-512.png",
      ]
      let name = studio.sharing.deviceCookie
      let cookies = [
        nil, "\(name)=", "\(name)=x", studio.cookie,
        "\(studio.sharing.audienceCookie)=",
      ]
      for route in Self.routes(of: studio) {
        for cookie in cookies {
          let answer = try await studio.ask(route.method, route.path, cookie: cookie)
          if open.contains(route.text) {
            #expect(route.method == .post ? answer.status == 400 : answer.status == 200)
          } else if route.path == "/watch" {
            #expect(answer.status == 403 && !answer.text.contains("watch.js"))
          } else {
            #expect(answer.status == 401, "\(route.text): \(answer.status)")
          }
          #expect(answer.headers[.setCookie] == nil)
        }
      }
      let page = try await studio.ask(.get, "/", headers: [.accept: "text/html"])
      #expect(page.status == 303 && page.headers[.location] == "/pair")
      #expect(try await studio.ask(.get, "/nothing").status == 401)
      #expect(try await studio.ask(.get, "/watch?key=").status == 403)
      #expect(try await studio.own(.get, "/api/documents").text == "[]")
    }
  }

  @Test func devicesEditAndTheOwnerDoesTheRest() async throws {
    try await run { studio in
      let device = try await studio.paired()
      let ownersOnly: Set = [
        "DELETE /api/documents/A", "DELETE /api/recordings/x", "GET /api/recordings.ndjson",
        "POST /api/recordings/file", "DELETE /api/recordings/file/x", "POST /api/training",
        "POST /api/training/cancel",
        "GET /api/training", "GET /api/training/progress", "POST /api/models/A/use",
        "GET /api/models/A/file", "POST /api/series", "GET /api/practice", "GET /api/practice/A",
        "POST /api/practice/A/answer", "POST /api/practice/A/confirm", "GET /api/sharing",
        "POST /api/sharing/code", "POST /api/sharing/link", "DELETE /api/sharing/link",
        "DELETE /api/devices/x", "POST /api/devices/x/presenter", "POST /api/presentation",
        "DELETE /api/presentation",
      ]
      let routes = Self.routes(of: studio)
      #expect(ownersOnly.isSubset(of: routes.map(\.text)))
      for route in routes {
        let answer = try await studio.ask(route.method, route.path, by: device)
        if ownersOnly.contains(route.text) {
          #expect(answer.status == 403, "\(route.text): \(answer.status)")
          #expect(answer.error.contains("owner"))
        } else {
          #expect(![401, 403].contains(answer.status), "\(route.text): \(answer.status)")
        }
      }
      // A device that may present may do nothing else in addition.
      let id = try #require(studio.sharing.devices.all.first?.id)
      _ = try await studio.own(.post, "/api/devices/\(id)/presenter?value=true")
      for route in routes where ownersOnly.contains(route.text) {
        let answer = try await studio.ask(route.method, route.path, by: device)
        let mayPresent = route.path == "/api/presentation"
        #expect((answer.status == 403) != mayPresent, "\(route.text): \(answer.status)")
      }
      let told = try await studio.ask(.get, "/api/constants", by: device).json
      #expect(told["visitor"] as? String == "presenter")
    }
  }

  /// Servers at other ports of the same host get the cookie from the browser.
  @Test func theCookieOfADeviceAloneOpensNothingButThePage() async throws {
    try await run { studio in
      let (device, other) = (try await studio.paired("A"), try await studio.paired("B"))
      let value = device.cookie.components(separatedBy: "=")[1]
      for route in Self.routes(of: studio) where route.path != "/pair" {
        for secret in [nil, "", value, other.secret] {
          let answer = try await studio.ask(
            route.method, route.path, by: .init(cookie: device.cookie, secret: secret))
          let isFile = PageFiles.isFile(route.path)
          #expect((answer.status == 401) != isFile, "\(route.text): \(answer.status)")
        }
      }
      for token in [value, try #require(other.secret), ""] {
        let page = try await studio.ask(
          .get, "/?token=\(token)", by: .init(cookie: device.cookie),
          headers: [.accept: "text/html"])
        #expect(page.status == 303 && page.headers[.location] == "/pair")
      }
      let page = try await studio.ask(
        .get, "/?token=\(try #require(device.secret))", by: .init(cookie: device.cookie))
      #expect(page.status == 200)
      #expect(try await studio.ask(.get, "/api/documents", by: device).status == 200)
    }
  }

  @Test func theAudienceOnlyWatches() async throws {
    try await run { studio in
      let guest = try await studio.invited()
      let watched: Set = [
        "GET /watch", "GET /watch.js", "GET /watch.css", "GET /studio.css", "GET /elements.js",
        "GET /server.js", "GET /edit/render.js", "GET /api/constants", "GET /api/presentation",
        "GET /api/presentation/document", "GET /api/presentation/changes", "GET /pair",
        "POST /pair",
        "GET /pair.css", "GET /manifest.webmanifest", "GET /icon.svg", "GET /icon-192.png",
        "GET /icon-512.png",
      ]
      for route in Self.routes(of: studio) {
        let answer = try await studio.ask(route.method, route.path, by: guest)
        if watched.contains(route.text) {
          #expect(![401, 403].contains(answer.status), "\(route.text): \(answer.status)")
        } else {
          #expect(answer.status == 403, "\(route.text): \(answer.status)")
        }
      }
      _ = try await studio.own(.delete, "/api/sharing/link")
      #expect(try await studio.ask(.get, "/api/presentation", by: guest).status == 401)
      let other = try await studio.invited()
      #expect(other.cookie != guest.cookie)
      #expect(try await studio.ask(.get, "/api/presentation", by: guest).status == 401)
      #expect(try await studio.ask(.get, "/api/presentation", by: other).status == 200)
    }
  }

  @Test func whoHasWatchedPairsTheSameBrowser() async throws {
    try await run { studio in
      let guest = try await studio.invited()
      let page = try await studio.ask(.get, "/", by: guest, headers: [.accept: "text/html"])
      #expect(page.status == 303 && page.headers[.location] == "/pair")
      let answer = try await studio.ask(
        .post, "/pair", "code=\(studio.sharing.pairing.code)&name=Tablet", by: guest,
        headers: [.origin: "https://\(studio.host)"])
      #expect(answer.status == 303)
      let device = SharedStudio.Browser(of: answer)
      // The browser sends both cookies from now on.
      let both = SharedStudio.Browser(
        cookie: "\(guest.cookie); \(device.cookie)", secret: device.secret)
      #expect(try await studio.ask(.post, "/api/documents?name=A", by: both).status == 201)
    }
  }

  @Test func pagesOfOthersAreRefused() async throws {
    try await run { studio in
      let device = try await studio.paired()
      let path = "/api/documents"
      for host in [
        "evil.example:\(studio.port)", "127.0.0.1", "127.0.0.1:\(studio.port + 1)",
        "10.1.2.3:\(studio.port)", "localhost.evil.example:\(studio.port)",
      ] {
        #expect(try await studio.ask(.get, path, by: device, host: host).status == 421)
        #expect(try await studio.ask(.get, "/pair", host: host).status == 421)
      }
      for host in ["127.0.0.1", "localhost", LocalAddresses.name, "\(LocalAddresses.name).local"] {
        let answer = try await studio.ask(
          .get, path, by: device, host: "\(host):\(studio.port)")
        #expect(answer.status == 200, "\(host)")
      }
      for origin in ["https://evil.example", "http://\(studio.host)", "null"] {
        for (method, path) in [(.post, path), (.post, "/pair")] as [(HTTPRequest.Method, String)] {
          let answer = try await studio.ask(
            method, path, by: device, headers: [.origin: origin])
          #expect(answer.status == 403 && answer.error.contains(origin))
        }
      }
      for site in ["cross-site", "same-site"] {
        let headers: HTTPFields = [OwnRequests.fetchSite: site]
        #expect(try await studio.ask(.get, path, by: device, headers: headers).status == 403)
        #expect(try await studio.ask(.post, "/pair", headers: headers).status == 403)
        // Links of other sites may lead to these.
        #expect(try await studio.ask(.get, "/pair", headers: headers).status == 200)
        #expect(try await studio.ask(.get, "/", by: device, headers: headers).status == 200)
      }
      let page = try await studio.ask(.get, "/", by: device)
      #expect(page.headers[.contentSecurityPolicy]?.contains("form-action 'none'") ?? false)
      #expect(page.headers[.cacheControl] == "no-store")
    }
  }

  @Test func aDeviceIsPairedOnceWithACode() async throws {
    try await run { studio in
      let code = studio.sharing.pairing.code
      let page = try await studio.ask(.get, "/pair").text
      #expect(page.contains("<form") && !page.contains(code))
      // Nothing of this is a guess.
      for (typed, name) in [(code, ""), (code, "..%2F"), ("12345", "A"), ("abcdef", "A")] {
        #expect(try await studio.pair(typed, named: name).status == 400)
      }
      #expect(studio.sharing.pairing.comparedCount == 0)
      let answer = try await studio.pair("\(code.prefix(3))+\(code.suffix(3))", named: "Ada%20<b>")
      #expect(answer.status == 400 && !answer.text.contains("<b>"))
      let paired = try await studio.pair(
        "\(code.prefix(3))+\(code.suffix(3))", named: "Ada%27s".replacing("%27", with: ""))
      #expect(paired.status == 303 && paired.headers[.location]?.hasPrefix("/?token=") == true)
      let cookie = paired.headers[.setCookie]?.components(separatedBy: "; ") ?? []
      #expect(cookie.first?.hasPrefix("__Host-inkstate-device-\(studio.port)=") ?? false)
      #expect(
        Set(cookie.dropFirst()) == [
          "Path=/", "Secure", "HttpOnly", "SameSite=Strict", "Max-Age=34560000",
        ])
      let again = try await studio.pair(code, named: "B")
      #expect(again.status == 403 && again.text.contains("Another device"))
      #expect(studio.sharing.devices.all.map(\.name) == ["Adas"])
      let wrong = studio.sharing.pairing.code == "000000" ? "000001" : "000000"
      var statuses: [Int] = []
      for _ in 0..<8 { statuses.append(try await studio.pair(wrong, named: "B").status) }
      #expect(statuses.prefix(4) == [403, 403, 403, 403] && statuses.suffix(4).contains(429))
      // The right code does not help now, until the owner changes it or, on a busy machine, time passes.
      var late = try await studio.pair(studio.sharing.pairing.code, named: "B")
      for _ in 0..<20 where late.status != 429 {
        for _ in 0..<8 { _ = try await studio.pair(wrong, named: "B") }
        late = try await studio.pair(studio.sharing.pairing.code, named: "B")
      }
      #expect(late.status == 429 && late.headers[.retryAfter] != nil)
      _ = try await studio.own(.post, "/api/sharing/code")
      #expect(try await studio.pair(studio.sharing.pairing.code, named: "B").status == 303)
    }
  }

  @Test func aRemovedDeviceIsOutAtOnce() async throws {
    try await SharedStudio.run { studio in
      let (device, other) = (try await studio.paired("A"), try await studio.paired("B"))
      let state = try await studio.own(.get, "/api/sharing").json
      let devices = try #require(state["devices"] as? [[String: Any]])
      #expect(devices.map { $0["name"] as? String } == ["A", "B"])
      let id = try #require(devices[0]["id"] as? String)
      // A stream of changes, which would go on otherwise.
      async let stream = studio.ask(.get, "/api/presentation/changes", by: device)
      while studio.sharing.connections.count(of: .device(id)) == 0 {
        try await Task.sleep(for: .milliseconds(5))
      }
      let left = try await studio.own(.delete, "/api/devices/\(id)").json
      #expect((left["devices"] as? [[String: Any]])?.count == 1)
      _ = try? await stream
      #expect(try await studio.ask(.get, "/api/documents", by: device).status == 401)
      #expect(try await studio.ask(.get, "/api/documents", by: other).status == 200)
      #expect(try await studio.own(.delete, "/api/devices/\(id)").status == 404)
    }
  }

  @Test func theAudienceFollowsThePresenter() async throws {
    try await SharedStudio.run { studio in
      let (device, audience) = (try await studio.paired(), try await studio.invited())
      func shown() async throws -> [String: Any] {
        try await studio.ask(.get, "/api/presentation", by: audience).json
      }
      #expect(try await shown()["name"] == nil)
      #expect(
        try await studio.ask(.get, "/api/presentation/document", by: audience).status == 404)
      let made = try await studio.ask(.post, "/api/documents?name=A", by: device)
      let id = try #require(made.json["id"] as? String)
      let add = #"{"kind":"addState","place":{"x":100,"y":100}}"#
      func present(_ more: String) async throws -> Int {
        try await studio.own(
          .post, "/api/presentation", #"{"name":"A","id":"\#(id)","step":1\#(more)}"#
        ).status
      }
      #expect(try await present(#","symbols":["a","b"]"#) == 200)
      let first = try await shown()
      #expect(first["name"] as? String == "A" && first["step"] as? Int == 1)
      #expect((first["run"] as? [String: Any])?["symbols"] as? [String] == ["a", "b"])
      // A change of a device ends the run, and is seen by the audience.
      #expect(
        try await studio.ask(.post, "/api/documents/A/command", add, by: device).status == 200)
      while try await shown()["run"] != nil { try await Task.sleep(for: .milliseconds(5)) }
      let picture = try await studio.ask(.get, "/api/presentation/document", by: audience).json
      #expect((picture["states"] as? [Any])?.count == 1)
      #expect(try await studio.own(.post, "/api/documents/A/rename?to=B").status == 200)
      while try await shown()["name"] as? String != "B" {
        try await Task.sleep(for: .milliseconds(5))
      }
      // The presenter's page may not know the new name yet.
      #expect(try await present("") == 200)
      while try await shown()["name"] as? String != "B" {
        try await Task.sleep(for: .milliseconds(5))
      }
      _ = try await studio.own(.delete, "/api/documents/B")
      while try await shown()["name"] != nil { try await Task.sleep(for: .milliseconds(5)) }
      // Other documents are not for the audience.
      #expect(try await studio.ask(.get, "/api/documents", by: audience).status == 403)
    }
  }
}
