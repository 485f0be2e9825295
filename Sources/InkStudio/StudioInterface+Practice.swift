import Foundation
import Hummingbird

// The digit game.

extension StudioInterface {
  private struct Written: Decodable {
    var text: String
  }

  func addPractice(to router: Router<BasicRequestContext>) {
    router.get("api/practice") { _, _ in try Answer.json(await practice.names) }
    router.get("api/practice/:name") { request, context in
      let name = try name(context)
      let wish = parameter("level", request)
      return try await answering {
        guard let level = Practice.Level(rawValue: wish) else {
          let levels = Practice.Level.allCases.map(\.rawValue).joined(separator: ", ")
          throw Problem("level: expected one of \(levels), found `\(wish)`")
        }
        return try await practice.standing(of: name, level: level)
      }
    }
    router.post("api/practice/:name/answer") { request, context in
      let name = try name(context)
      let recording = try await recording(request)
      return try await answering { try await practice.answer(name, recording.drawing) }
    }
    router.post("api/practice/:name/confirm") { request, context in
      let name = try name(context)
      let written = try await decode(Written.self, request)
      return try await answering { try await practice.confirm(name, written.text) }
    }
  }
}
