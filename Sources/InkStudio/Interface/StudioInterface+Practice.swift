import Foundation
import Hummingbird

// Requests of the digit game.

extension StudioInterface {
  private struct Confirmed: Decodable {
    /// The id of the answer.
    var answer: String
    var text: String
  }

  func addPractice(to router: Router<StudioContext>) {
    router.get("api/practice") { _, _ in try StudioResponse.json(await practice.names) }
    router.get("api/practice/:name") { request, context in
      let name = try name(context)
      let wish = try parameter("level", request) ?? ""
      let question = try parameter("question", request)
      return try await respondWithJSON {
        guard let level = Practice.Level(rawValue: wish) else {
          let levels = Practice.Level.allCases.map(\.rawValue).joined(separator: ", ")
          throw StudioError("There is no level `\(wish.prefix(40))`. The levels are \(levels).")
        }
        return try await practice.standing(of: name, level: level, question: question)
      }
    }
    router.post("api/practice/:name/answer") { request, context in
      let name = try name(context)
      let question = try parameter("question", request) ?? ""
      let recording = try await recording(request)
      return try await respondWithJSON {
        try await practice.answer(name, to: question, recording.drawing)
      }
    }
    router.post("api/practice/:name/confirm") { request, context in
      let name = try name(context)
      let confirmed = try await decode(Confirmed.self, request)
      return try await respondWithJSON {
        try await practice.confirm(name, confirmed.answer, confirmed.text)
      }
    }
  }
}
