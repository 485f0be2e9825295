import Foundation
import Hummingbird

// Requests for models and training.

extension StudioInterface {
  func addTraining(to router: Router<StudioContext>) {
    router.get("api/models") { _, _ in try StudioResponse.json(models.all) }
    router.post("api/models/:name/use") { _, context in
      let name = try name(context)
      return try await respondWithJSON {
        try models.use(name)
        return models.all
      }
    }
    router.get("api/models/:name/file") { _, context in
      let name = try name(context)
      return StudioResponse.data(
        try models.data(of: name), type: "application/octet-stream",
        fileName: "\(name).safetensors")
    }
    router.get("api/training") { _, _ in try StudioResponse.json(training.status) }
    router.post("api/training") { request, _ in
      let wish = try await decode(Training.Request.self, request)
      return try await respondWithJSON {
        try training.begin(wish, on: await recordings.all.map(\.recording))
        return training.status
      }
    }
    router.post("api/training/cancel") { _, _ in
      training.cancel()
      return try StudioResponse.json(training.status)
    }
    router.get("api/training/progress") { _, context in
      StudioResponse.events(training.progress(), context)
    }
  }
}
