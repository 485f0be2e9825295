import Automata
import Foundation
import Hummingbird

// Requests for paired devices, the audience and the presentation.

extension StudioInterface {
  /// What the owner sees about sharing.
  private struct State: Encodable {
    struct Device: Encodable {
      var id: String
      var name: String
      /// Milliseconds since 1970.
      var lastSeen: Double
      var isConnected: Bool
      var isPresenter: Bool
    }

    struct QR: Encodable {
      var size: Int
      var path: String

      init?(_ text: String) {
        guard let code = QRCode(text) else { return nil }
        (size, path) = (code.size, code.path)
      }
    }

    var addresses: [String]
    var qr: QR?
    var code: String
    /// Seconds until the code changes, and until codes are accepted again after many wrong ones.
    var codeSeconds: Int
    var pauseSeconds: Int
    /// The number of codes that were compared or refused.
    var comparedCount: Int
    var refusedCount: Int
    var fingerprint: String
    var devices: [Device]
    var link: String?
    var linkQR: QR?
    /// The name of the document that is presented.
    var presented: String?
  }

  private struct Shown: Decodable {
    var name: String
    var id: String
    var symbols: [String]?
    var step: Int
  }

  private struct Slide: Encodable {
    var number: Int
    var name: String?
    var step: Int
    var run: Steps?
  }

  func addSharing(to router: Router<StudioContext>) {
    guard let sharing else { return }
    router.get("api/sharing") { _, _ in try StudioResponse.json(await state(sharing)) }
    router.post("api/sharing/code") { _, _ in
      sharing.renewCode()
      return try StudioResponse.json(await state(sharing))
    }
    router.post("api/sharing/link") { _, _ in
      sharing.makeLink()
      return try StudioResponse.json(await state(sharing))
    }
    router.delete("api/sharing/link") { _, _ in
      sharing.endLink()
      return try StudioResponse.json(await state(sharing))
    }
    router.delete("api/devices/:id") { _, context in
      let id = try decoded("id", context)
      return try await respondWithJSON {
        try sharing.remove(id)
        return await state(sharing)
      }
    }
    router.post("api/devices/:id/presenter") { request, context in
      let id = try decoded("id", context)
      let value = try parameter("value", request) == "true"
      return try await respondWithJSON {
        try sharing.devices.setPresenter(id, value)
        return await state(sharing)
      }
    }
    addPresentation(sharing.presentation, to: router)
    page.addWatch(to: router) { sharing.cookie(sharing.audienceCookie, $0) }
  }

  private func addPresentation(_ presentation: Presentation, to router: Router<StudioContext>) {
    router.post("api/presentation") { request, _ in
      let shown = try await decode(Shown.self, request)
      return try await respondWithJSON {
        let symbols = shown.symbols
        guard (symbols ?? []).count <= Self.longestWord else {
          throw StudioError(
            "The word has more than \(Self.longestWord) symbols.", .contentTooLarge)
        }
        try await presentation.show(
          .init(
            name: FileName.normalized(shown.name), id: shown.id, symbols: symbols,
            step: min(max(0, shown.step), symbols?.count ?? 0)))
        return await presentation.number
      }
    }
    router.delete("api/presentation") { _, _ in
      await presentation.end()
      return try StudioResponse.json(await presentation.number)
    }
    router.get("api/presentation") { _, context in
      try await respondWithJSON {
        let (number, slide) = (await presentation.number, await presentation.slide)
        guard let slide else { return Slide(number: number, step: 0) }
        let automaton = try await documents.state(of: slide.name, id: slide.id).document.automaton
        let run = try await longWork.run(for: context) { _ in
          try slide.symbols.map { try Self.steps(automaton, $0) }
        }
        return Slide(number: number, name: slide.name, step: slide.step, run: run)
      }
    }
    router.get("api/presentation/document") { _, _ in
      try await respondWithDocument {
        guard let slide = await presentation.slide else {
          throw StudioError("Nothing is presented at the moment.", .notFound)
        }
        return Message.Picture(slide.name, try await documents.state(of: slide.name, id: slide.id))
      }
    }
    router.get("api/presentation/changes") { _, context in
      try await respond { StudioResponse.events(try await presentation.changes(), context) }
    }
  }

  private func state(_ sharing: Sharing) async -> State {
    let (pairing, addresses, link) = (sharing.pairing, sharing.addresses, sharing.link)
    func seconds(_ end: ContinuousClock.Instant?) -> Int {
      end.map { max(0, Int(($0 - .now) / .seconds(1))) } ?? 0
    }
    return State(
      addresses: addresses, qr: .init(addresses[0]), code: pairing.code,
      codeSeconds: seconds(pairing.end), pauseSeconds: seconds(pairing.pauseEnd),
      comparedCount: pairing.comparedCount, refusedCount: pairing.refusedCount,
      fingerprint: sharing.fingerprint,
      devices: sharing.devices.all.map { device in
        .init(
          id: device.id, name: device.name, lastSeen: device.lastSeen.timeIntervalSince1970 * 1000,
          isConnected: sharing.connections.count(of: .device(device.id)) > 0,
          isPresenter: device.isPresenter)
      },
      link: link, linkQR: link.flatMap { .init($0) },
      presented: await sharing.presentation.slide?.name)
  }
}
