import Foundation
import Hummingbird

// The request for recordings of sensors.

extension StudioInterface {
  func addSeries(to router: Router<StudioContext>) {
    router.post("api/series") { request, context in
      let data = try await body(request)
      let name = try parameter("name", request) ?? ""
      let (recognizer, model) = models.usedWithName
      return try await respondWithJSON {
        try await longWork.run(for: context) { _ in
          try SeriesFile(data, name: name, recognizer: recognizer, model: model)
        }
      }
    }
  }
}
