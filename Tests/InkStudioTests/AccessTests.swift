import Foundation
import HTTPTypes
import Hummingbird
import Synchronization
import TestSupport
import Testing

@testable import InkStudio

/// Who is let in: every gate at every address that the router has.
@Suite(.timeLimit(.minutes(30))) struct AccessTests {
  private struct Route: Sendable {
    var method: HTTPRequest.Method
    /// With a name or an id in place of the parameter.
    var path: String
    /// The path as the router has it.
    var pattern: String
  }

  /// All addresses, asked of the router itself, so that none can be forgotten here.
  private static func routes() throws -> [Route] {
    let folder = try TemporaryFolder()
    let studio = try Studio(Studio.Configuration(dataFolder: folder.path))
    return studio.router(Authentication(token: "")).routes.map { route in
      let pattern = route.path.description
      let path = pattern.replacing(/[:{]name}?/, with: "A").replacing(/[:{]id}?/, with: "x")
      return Route(
        method: route.method, path: path.hasPrefix("/") ? path : "/\(path)", pattern: pattern)
    }
  }

  /// A studio whose streams end at once, so that one that is open by mistake is an answer as well.
  private func run(
    _ test: @escaping @Sendable (RunningStudio) async throws -> Void
  ) async throws {
    try await RunningStudio.run { studio in
      studio.studio.training.end()
      try await test(studio)
    }
  }

  @Test func theTableHasEveryAddress() throws {
    let routes = try Self.routes()
    let known = Set(routes.map { "\($0.method.rawValue) \($0.path)" })
    #expect(known.count == routes.count && routes.count >= 40)
    for route in [
      "GET /", "GET /studio.js", "POST /api/recognize", "POST /api/page",
      "DELETE /api/recordings/x",
      "POST /api/documents", "GET /api/documents/A/file", "POST /api/practice/A/confirm",
      "GET /api/training/progress", "POST /api/models/A/use",
    ] {
      #expect(known.contains(route), "\(route) is missing in \(known.sorted())")
    }
  }

  @Test func nobodyComesInWithoutTheToken() async throws {
    let routes = try Self.routes()
    try await run { studio in
      let name = Authentication.cookie(port: studio.port)
      let value = studio.cookie.dropFirst(name.count + 1)
      let cookies: [String?] = [
        nil, "\(name)=", "\(name)=x\(value)", "\(name)=\(value.dropLast())", "inkstate=\(value)",
        "inkstate-1=\(value)", "\(value)", "\(name)=\(studio.token)",
      ]
      for route in routes {
        for cookie in cookies {
          let answer = try await studio.ask(
            route.method, route.path, cookie: cookie, secret: studio.token)
          #expect(answer.status == 403, "\(route.method) \(route.path) with \(cookie ?? "none")")
          #expect(answer.error.contains("Open the address"))
          #expect(answer.headers[.setCookie] == nil && !answer.text.contains(studio.token))
        }
        // The right token in an address opens the first page alone.
        let queries =
          ["token=", "token=\(studio.token)x", "TOKEN=\(studio.token)", "token=%ff"]
          + (route.path == "/" ? [] : ["token=\(studio.token)"])
        for query in queries {
          let answer = try await studio.ask(route.method, "\(route.path)?\(query)", cookie: nil)
          #expect(answer.status == 403, "\(route.method) \(route.path)?\(query)")
        }
      }
      // Nothing was made.
      #expect(studio.files("documents").isEmpty && studio.files("practice").isEmpty)
    }
  }

  /// Servers at other ports of this machine get the cookie from the browser.
  @Test func theCookieAloneOpensNothingButThePage() async throws {
    let routes = try Self.routes()
    try await run { studio in
      let value = studio.cookie.components(separatedBy: "=")[1]
      #expect(value.count > 40 && value != studio.token)
      for route in routes {
        for secret in [nil, "", value, "x\(studio.token)", "\(studio.token.dropLast())"] {
          let answer = try await studio.ask(
            route.method, route.path, cookie: studio.cookie, secret: secret)
          let isFile = route.method == .get && PageFiles.isFile(route.path)
          #expect(answer.status == (isFile ? 200 : 403), "\(route.path): \(answer.status)")
          #expect(isFile || answer.error.contains("Open the address that it prints"))
          #expect(!answer.text.contains(studio.token))
        }
        let query = try await studio.ask(
          route.method, "\(route.path)?token=\(value)", cookie: studio.cookie)
        #expect(
          query.status == (PageFiles.isFile(route.path) && route.path != "/" ? 200 : 403),
          "\(route.path)?token=: \(query.status)")
      }
    }
  }

  @Test func pagesOfOthersAreRefused() async throws {
    let routes = try Self.routes()
    try await run { studio in
      for route in routes {
        for origin in [
          "http://evil.example", "null", "http://127.0.0.1", "https://\(studio.host)",
          "http://127.0.0.1:\(studio.port + 1)", "http://localhost:\(studio.port)",
        ] {
          let answer = try await studio.ask(
            route.method, route.path, headers: [.origin: origin])
          #expect(answer.status == 403, "\(route.method) \(route.path) of \(origin)")
          #expect(answer.error.contains(origin))
        }
        for host in [
          "evil.example", "127.0.0.1", "localhost", "127.0.0.1:\(studio.port + 1)",
          "localhost.evil.example:\(studio.port)", "evil.example:\(studio.port)",
        ] {
          let answer = try await studio.ask(route.method, route.path, host: host)
          #expect(answer.status == 421, "\(route.method) \(route.path) at \(host)")
        }
        for site in ["cross-site", "same-site", "else"] {
          let answer = try await studio.ask(
            route.method, route.path, headers: [HTTPField.Name("Sec-Fetch-Site")!: site])
          // A link on another page may lead to the studio.
          #expect(answer.status == (route.path == "/" ? 200 : 403), "\(route.path) from \(site)")
        }
      }
    }
  }

  @Test func thePageIsLetIn() async throws {
    let routes = try Self.routes()
    try await run { studio in
      let site = HTTPField.Name("Sec-Fetch-Site")!
      let requests: [(String, HTTPFields)] = [
        (studio.host, HTTPFields()), ("localhost:\(studio.port)", HTTPFields()),
        (studio.host, [.origin: "http://\(studio.host)", site: "same-origin"]),
        (studio.host, [site: "none"]),
      ]
      for route in routes {
        for (host, headers) in requests {
          let answer = try await studio.ask(route.method, route.path, host: host, headers: headers)
          #expect(![401, 403, 421, 500].contains(answer.status), "\(route.method) \(route.path)")
          #expect(answer.status < 300 || !answer.error.isEmpty, "\(answer.text)")
          #expect(answer.headers[.cacheControl] == "no-store")
          #expect(answer.headers[.xContentTypeOptions] == "nosniff")
          let policy = answer.headers[.contentSecurityPolicy] ?? ""
          #expect(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'")
              && policy.contains("script-src 'self';"))
        }
      }
    }
  }

  @Test func theTokenBecomesACookie() async throws {
    try await run { studio in
      let first = try await studio.ask(.get, "/?token=\(studio.token)", cookie: nil)
      #expect(first.status == 200 && first.text.contains("<html"))
      let parts = first.headers[.setCookie]?.components(separatedBy: "; ") ?? []
      #expect(parts.first == studio.cookie)
      #expect(Set(parts.dropFirst()) == ["Path=/", "HttpOnly", "SameSite=Strict"])
      let second = try await studio.ask(.get, "/", headers: [.accept: "text/html"])
      #expect(second.status == 200 && second.headers[.setCookie] == nil)
    }
    // Each studio has a token of its own, which cannot be guessed.
    let tokens = Mutex<[String]>([])
    for _ in 0..<2 {
      try await RunningStudio.run { studio in tokens.withLock { $0.append(studio.token) } }
    }
    let two = tokens.withLock { $0 }
    #expect(two[0] != two[1] && two.allSatisfy { $0.count > 40 })
  }

  @Test func aBrowserWithoutTheTokenIsToldWhatToDo() async throws {
    try await run { studio in
      for path in ["/", "/?token=old", "/api/documents"] {
        let answer = try await studio.ask(
          .get, path, cookie: nil,
          headers: [.accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"])
        #expect(answer.status == 403)
        #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
        #expect(answer.text.contains("Open the address that <code>inkstate studio</code> printed"))
        #expect(!answer.text.contains(studio.token) && answer.headers[.setCookie] == nil)
      }
    }
  }

  @Test func addressesHaveTheirMethodsOnly() async throws {
    let routes = try Self.routes()
    let methods: [HTTPRequest.Method] = [.get, .post, .delete, .put, .patch, .options, .head]
    try await run { studio in
      for (path, known) in Dictionary(grouping: routes, by: \.path) {
        for method in methods where !known.contains(where: { $0.method == method }) {
          let answer = try await studio.ask(method, path)
          #expect(answer.status == 404, "\(method) \(path)")
          #expect(method == .head || answer.error.hasSuffix("."))
        }
      }
    }
  }

  @Test(arguments: [
    "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "/Page/index.html",
    "/index.html", "/studio.css/..", "/api", "/api/", "/api/documents/A/B/C", "/.lock",
    "/api/documents/..%2f..%2fetc%2fpasswd", "/api/documents/%2e%2e", "/api/documents/%00",
    "/api/documents/%ff", "/api/models/..%2f..%2fused.txt/file",
    "/api/practice/..%2fx?level=digits",
    "/api/models/used.txt/file",
  ])
  func noPathLeadsOutOfTheStudio(path: String) async throws {
    try await run { studio in
      for method in [.get, .delete, .post] as [HTTPRequest.Method] {
        let answer = try await studio.ask(method, path)
        #expect([400, 404].contains(answer.status), "\(method) \(path): \(answer.status)")
        #expect(!answer.error.isEmpty)
      }
      #expect(studio.files("practice").isEmpty)
    }
  }

  @Test func whatIsTooLargeIsRefused() async throws {
    let routes = try Self.routes()
    let limits = routes.map { BodyLimit.bytes($0.method, $0.pattern) }
    #expect(limits.count { $0 == 16 << 20 } == 5 && limits.count { $0 == 4 << 20 } == 12)
    try await run { studio in
      _ = try await studio.ask(.post, "/api/documents?name=A")
      var tried: Set<Int> = []
      for (route, most) in zip(routes, limits) {
        let over = try await studio.ask(
          route.method, route.path, Data(repeating: 32, count: most + 1))
        #expect(over.status == 413, "\(route.path): \(over.status)")
        #expect(
          over.error
            == (most == 0
              ? "This address takes no content. Send the request without."
              : "This is larger than \(most >> 20) MiB. Send less at a time."))
        // What is just small enough is read to its end, which takes seconds: one route for each limit.
        guard most > 0, tried.insert(most).inserted else { continue }
        let just = try await studio.ask(route.method, route.path, Data(repeating: 32, count: most))
        #expect(just.status != 413 && just.status < 500, "\(route.path): \(just.status)")
      }
    }
  }

  /// Bodies that come in pieces do not say how long they are.
  @Test func whatIsTooLargeIsRefusedWhereItsLengthIsUnknown() async throws {
    try await run { studio in
      for (path, most) in [("/api/recognize", 4 << 20), ("/api/documents/A/undo", 0)] {
        let piece = Data("10000\r\n".utf8) + Data(repeating: 32, count: 1 << 16) + Data("\r\n".utf8)
        var body = Data()
        for _ in 0...(most >> 16) { body += piece }
        let answer = try await studio.ask(
          .post, path, chunks: body + Data("0\r\n\r\n".utf8))
        #expect(answer.status == 413, "\(path)")
      }
    }
  }
}
