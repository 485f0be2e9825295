import Foundation
import Hummingbird

// The request for recordings of sensors.

extension StudioInterface {
  func addSeries(to router: Router<StudioContext>) {
    router.post("api/series") { request, _ in
      let data = try await body(request, upTo: Self.longestFile)
      let name = try parameter("name", request) ?? ""
      let (recognizer, model) = models.usedWithName
      return try await respondWithJSON {
        try await onOwnThread {
          try SeriesFile(data, name: name, recognizer: recognizer, model: model)
        }
      }
    }
  }
}
