import Foundation
import Hummingbird

// The digit game.

extension StudioInterface {
  private struct Written: Decodable {
    /// The id of the answer.
    var answer: String
    var text: String
  }

  func addPractice(to router: Router<BasicRequestContext>) {
    router.get("api/practice") { _, _ in try Answer.json(await practice.names) }
    router.get("api/practice/:name") { request, context in
      let name = try name(context)
      let wish = try parameter("level", request) ?? ""
      let question = try parameter("question", request)
      return try await answering {
        guard let level = Practice.Level(rawValue: wish) else {
          let levels = Practice.Level.allCases.map(\.rawValue).joined(separator: ", ")
          throw Problem("There is no level `\(wish.prefix(40))`. The levels are \(levels).")
        }
        return try await practice.standing(of: name, level: level, question: question)
      }
    }
    router.post("api/practice/:name/answer") { request, context in
      let name = try name(context)
      let question = try parameter("question", request) ?? ""
      let recording = try await recording(request)
      return try await answering {
        try await practice.answer(name, to: question, recording.drawing)
      }
    }
    router.post("api/practice/:name/confirm") { request, context in
      let name = try name(context)
      let written = try await decode(Written.self, request)
      return try await answering {
        try await practice.confirm(name, written.answer, written.text)
      }
    }
  }
}
