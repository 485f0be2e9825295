import Foundation
import TestSupport
import Testing

@testable import InkStudio

/// What connections may cost, and who gets in beside those that cost too much.
@Suite(.timeLimit(.minutes(30))) struct ConnectionTests {
  private static func head(_ studio: RunningStudio, _ rest: String, hasToken: Bool = true) -> String
  {
    let cookie =
      hasToken
      ? "Cookie: \(studio.cookie)\r\n\(OwnRequests.secret): \(studio.token)\r\n" : ""
    return "\(rest.split(separator: "|")[0]) HTTP/1.1\r\nHost: \(studio.host)\r\n\(cookie)"
      + rest.split(separator: "|").dropFirst().map { "\($0)\r\n" }.joined() + "\r\n"
  }

  @Test func strangersGetOneAnswer() async throws {
    try await RunningStudio.run { studio in
      let stranger = try RawConnection(port: studio.port)
      await stranger.send(Self.head(studio, "GET /api/constants", hasToken: false))
      let text = try #require(await stranger.rest(seconds: 30))
      #expect(text.hasPrefix("HTTP/1.1 403") && text.lowercased().contains("connection: close"))
      let owner = try RawConnection(port: studio.port)
      for _ in 0..<3 {
        await owner.send(Self.head(studio, "GET /api/constants"))
        #expect(await owner.answer() == "HTTP/1.1 200 OK")
      }
    }
  }

  @Test func strangersKeepNobodyOut() async throws {
    try await RunningStudio.run { studio in
      var open: [RawConnection] = []
      for index in 0..<600 {
        let stranger = try RawConnection(port: studio.port)
        // Half of them have begun a request, and trickle.
        await stranger.send(index % 2 == 0 ? "G" : "GET / HTTP/1.1\r\nHost: \(studio.host)\r\nX: ")
        open.append(stranger)
      }
      let answer = try await studio.ask(.get, "/api/constants")
      #expect(answer.status == 200)
      #expect(open.count == 600)
    }
  }

  @Test func slowConnectionsEnd() async throws {
    var limits = ConnectionPool.Limits.patient
    (limits.start, limits.strangersLife) = (.milliseconds(200), .seconds(1))
    try await RunningStudio.run(limits: limits) { studio in
      for begun in ["", "GE", "GET / HTTP/1.1\r\nHost: \(studio.host)\r\nX: "] {
        let silent = try RawConnection(port: studio.port)
        await silent.send(begun)
        #expect(await silent.rest(seconds: 60) != nil, "\(begun)")
      }
      // One that goes on and on is no better.
      let trickling = try RawConnection(port: studio.port)
      await trickling.send("POST /api/recognize HTTP/1.1\r\nHost: \(studio.host)\r\n")
      var isOpen = true
      while isOpen {
        isOpen = await trickling.send("X: y\r\n")
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  @Test func aSlowBodyEnds() async throws {
    try await RunningStudio.run { studio in
      let connection = try RawConnection(port: studio.port)
      await connection.send(
        Self.head(studio, "POST /api/recognize|Content-Length: 100") + #"{"drawing""#)
      #expect(await connection.answer() == "HTTP/1.1 408 Request Timeout")
      #expect(await connection.rest(seconds: 60) == "")
    }
  }

  @Test func strangersOfManyAddressesKeepNoDeviceOut() async throws {
    try await SharedStudio.run { studio in
      let device = try await studio.paired()
      var open: [RawConnection] = []
      for index in 0..<600 {
        open.append(try RawConnection(port: studio.port, from: "127.0.0.\(2 + index % 6)"))
      }
      #expect(try await studio.ask(.get, "/api/documents", by: device).status == 200)
      #expect(studio.sharing.pool.strangerCount <= ConnectionPool.Limits().strangers)
      #expect(try await studio.own(.get, "/api/documents").status == 200)
      #expect(open.count == 600)
    }
  }

  /// The cookie alone loads the page over few connections, and keeps none of them.
  @Test func connectionsWithTheCookieAloneAreStrangers() async throws {
    try await RunningStudio.run { studio in
      let connection = try RawConnection(port: studio.port)
      for path in ["/", "/studio.js"] {
        await connection.send(
          "GET \(path) HTTP/1.1\r\nHost: \(studio.host)\r\nCookie: \(studio.cookie)\r\n\r\n")
        #expect(await connection.answer() == "HTTP/1.1 200 OK")
        #expect(studio.studio.pool.strangerCount == 1)
      }
      await connection.send(Self.head(studio, "GET /api/constants"))
      #expect(await connection.answer() == "HTTP/1.1 200 OK")
      #expect(studio.studio.pool.strangerCount == 0)
    }
  }

  @Test func refusedBodiesAreCutOff() async throws {
    try await RunningStudio.run { studio in
      for (request, status, hasToken) in [
        ("POST /api/documents/A/undo|Content-Length: 1000000000", 413, true),
        ("GET /api/constants|Content-Length: 1000000000", 413, true),
        ("POST /api/recognize|Content-Length: 1000000000", 413, true),
        ("POST /api/recognize|Content-Length: 1000000000", 403, false),
        ("POST /nothing|Content-Length: 1000000000", 404, true),
      ] {
        let connection = try RawConnection(port: studio.port)
        await connection.send(Self.head(studio, request, hasToken: hasToken))
        var sent = 0
        let piece = Data(repeating: 32, count: 1 << 16)
        while sent < 64 << 20, await connection.send(piece) { sent += piece.count }
        // What the sockets of the system hold comes on top of what is drained.
        #expect(sent < 32 << 20, "\(request): \(sent) bytes")
        let again = try RawConnection(port: studio.port)
        await again.send(Self.head(studio, request, hasToken: hasToken))
        let text = try #require(await again.rest(seconds: 25), "\(request)")
        #expect(text.hasPrefix("HTTP/1.1 \(status)"), "\(request): \(text.prefix(40))")
      }
    }
  }

  @Test func aRemovedDeviceWritesNothingThatItHadBegun() async throws {
    try await SharedStudio.run { studio in
      let browser = try await studio.paired()
      _ = try await studio.ask(.post, "/api/documents?name=A", by: browser)
      let body = #"{"kind":"addState","place":{"x":1,"y":2}}"#
      let device = try #require(studio.sharing.devices.all.first)
      func begin() async throws -> RawConnection {
        let connection = try RawConnection(port: studio.port)
        await connection.send(
          "POST /api/documents/A/command HTTP/1.1\r\nHost: \(studio.host)\r\n\(browser.head)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body.prefix(10))")
        return connection
      }
      // The connections of earlier requests have ended, and the next one is known to be the device's.
      func isConnected() -> Bool { studio.sharing.connections.count(of: .device(device.id)) > 0 }
      while isConnected() { try await Task.sleep(for: .milliseconds(10)) }
      let half = try await begin()
      while !isConnected() { try await Task.sleep(for: .milliseconds(10)) }
      #expect(try await studio.own(.delete, "/api/devices/\(device.id)").status == 200)
      await half.send(String(body.dropFirst(10)))
      #expect(await half.rest(seconds: 25) == "")
      let document = try await studio.own(.get, "/api/documents/A")
      #expect((document.json["states"] as? [Any])?.isEmpty == true)
    }
  }

  /// The rights are asked for again after the body, also where the connection is not known to be the device's.
  @Test func rightsAreAskedForAgainAfterTheBody() async throws {
    try await SharedStudio.run { studio in
      let browser = try await studio.paired()
      let body = #"{"kind":"addState","place":{"x":1,"y":2}}"#
      _ = try await studio.ask(.post, "/api/documents?name=A", by: browser)
      let device = try #require(studio.sharing.devices.all.first)
      let connection = try RawConnection(port: studio.port)
      await connection.send(
        "POST /api/documents/A/command HTTP/1.1\r\nHost: \(studio.host)\r\n\(browser.head)"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body.prefix(10))")
      try await Task.sleep(for: .milliseconds(200))
      // Without closing its connections.
      try studio.sharing.devices.remove(device.id)
      await connection.send(String(body.dropFirst(10)))
      #expect(await connection.answer() == "HTTP/1.1 401 Unauthorized")
      let document = try await studio.own(.get, "/api/documents/A")
      #expect((document.json["states"] as? [Any])?.isEmpty == true)
    }
  }

  @Test func answersThatNobodyReadsEnd() async throws {
    var limits = ConnectionPool.Limits.patient
    limits.unreadBytes = 1 << 20
    limits.stall = .seconds(1)
    #expect(ConnectionPool().limits.unreadBytes <= 128 << 20)
    try await RunningStudio.run(limits: limits) { studio in
      let connection = try RawConnection(port: studio.port)
      // Many requests at once, whose answers are more than the sockets hold.
      var isOpen = true
      for _ in 0..<2000 where isOpen {
        isOpen = await connection.send(Self.head(studio, "GET /edit.css"))
      }
      try await Task.sleep(for: .seconds(2))
      #expect(await connection.rest(seconds: 10) != nil)
      #expect(try await studio.ask(.get, "/api/constants").status == 200)
    }
  }

  @Test func aDeviceKeepsOnlySomeDocumentsOpen() async throws {
    try await SharedStudio.run { studio in
      let browsers = [try await studio.paired("A"), try await studio.paired("B")]
      var streams: [RawConnection] = []
      var refused = 0
      for index in 0..<24 {
        _ = try await studio.own(.post, "/api/documents?name=D\(index)")
        let stream = try RawConnection(port: studio.port)
        await stream.send(
          "GET /api/documents/D\(index)/versions HTTP/1.1\r\nHost: \(studio.host)\r\n"
            + "\(browsers[0].head)\r\n")
        if await stream.answer() == "HTTP/1.1 409 Conflict" { refused += 1 }
        streams.append(stream)
      }
      #expect(refused == 24 - 16)
      // Others are not concerned.
      let other = try RawConnection(port: studio.port)
      await other.send(
        "GET /api/documents/D0/versions HTTP/1.1\r\nHost: \(studio.host)\r\n"
          + "\(browsers[1].head)\r\n")
      #expect(await other.answer() == "HTTP/1.1 200 OK")
      #expect(try await studio.own(.post, "/api/documents?name=mine").status == 201)
    }
  }

  @Test func devicesSeeNoRecordingsOfOthers() async throws {
    try await SharedStudio.run { studio in
      let browser = try await studio.paired()
      let line = #"{"word":"state","writer":"Ada","drawing":[[[0,10,20],[0,10,0]]]}"#
      #expect(try await studio.own(.post, "/api/recordings", line).status == 200)
      let mine = try await studio.own(.get, "/api/recordings")
      #expect((mine.json["items"] as? [Any])?.count == 1 && mine.text.contains("Ada"))
      let theirs = try await studio.ask(.get, "/api/recordings", by: browser)
      #expect(theirs.status == 200 && (theirs.json["items"] as? [Any])?.isEmpty == true)
      #expect(!theirs.text.contains("Ada"))
    }
  }

  /// An automaton whose runs take long, and a request that runs it on so many long words.
  private static func prepare(
    _ studio: SharedStudio, wordCount: Int, by device: SharedStudio.Browser
  ) async throws -> String {
    let targets = (0..<70).map { "q\($0)" }.joined(separator: ",")
    let rows = (0..<70).map { "\($0 == 0 ? "→" : "")*q\($0)\t{\(targets)}\tq0\n" }.joined()
    let opened = try await studio.own(.post, "/api/documents/A/open?form=txt", "\ta\tb\n\(rows)")
    #expect(opened.status == 200, "\(opened.error)")
    let word = String(repeating: "ab", count: 2000)
    let lines = Array(repeating: word, count: wordCount).joined(separator: "\\n")
    let body = #"{"lines":"\#(lines)"}"#
    return "POST /api/documents/A/words HTTP/1.1\r\nHost: \(studio.host)\r\n\(device.head)"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private static func untilNothingRuns(_ studio: SharedStudio) async throws {
    while studio.studio.longWork.runningCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
  }

  @Test func aDeviceWaitsForItsOwnWork() async throws {
    try await SharedStudio.run { studio in
      let device = try await studio.paired()
      let request = try await Self.prepare(studio, wordCount: 100, by: device)
      var connections: [RawConnection] = []
      // One runs, and eight wait.
      for _ in 0..<9 {
        let connection = try RawConnection(port: studio.port)
        await connection.send(request)
        connections.append(connection)
      }
      while studio.studio.longWork.waitingCount < 8 {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(studio.studio.longWork.runningCount == 1)
      let more = try RawConnection(port: studio.port)
      await more.send(request)
      #expect(await more.answer() == "HTTP/1.1 429 Too Many Requests")
      connections = []
      try await Self.untilNothingRuns(studio)
    }
  }

  @Test func workThatTakesTooLongEnds() async throws {
    try await SharedStudio.run(longWork: LongWork(timeOfOthers: .seconds(1))) { studio in
      let device = try await studio.paired()
      let request = try await Self.prepare(studio, wordCount: 1000, by: device)
      let connection = try RawConnection(port: studio.port)
      await connection.send(request)
      #expect(await connection.answer() == "HTTP/1.1 408 Request Timeout")
      try await Self.untilNothingRuns(studio)
    }
  }

  /// One device asks for as much as it can; the owner is answered meanwhile, and the work ends with the client.
  @Test func theOwnerDoesNotWaitForADevice() async throws {
    try await SharedStudio.run { studio in
      let browser = try await studio.paired()
      let request = try await Self.prepare(studio, wordCount: 100, by: browser)
      var busy: [RawConnection] = []
      for _ in 0..<6 {
        let connection = try RawConnection(port: studio.port)
        await connection.send(request)
        busy.append(connection)
      }
      while studio.studio.longWork.runningCount == 0 {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(studio.studio.longWork.runningCount == 1)
      let answer = try await studio.own(.post, "/api/documents/A/run", #"{"word":"a"}"#)
      #expect(answer.status == 200)
      // It goes on only as long as somebody waits for it.
      busy = []
      try await Self.untilNothingRuns(studio)
    }
  }
}
