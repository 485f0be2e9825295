import Foundation

/// The document that a presenter shows to the audience, and the step of a run of it.
actor Presentation {
  private nonisolated let executor = SharedExecutor("presentation")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// What is shown.
  struct Slide: Equatable, Sendable {
    /// The name and the id of the document.
    var name: String
    var id: String
    /// The word that is run, or `nil` if none is.
    var symbols: [String]?
    /// The number of symbols that are read.
    var step = 0
  }

  /// A change, for the pages of the audience.
  struct Change: ServerEvent, Equatable {
    /// A number that increases whenever something other than the step changes.
    var number: Int
    var step: Int

    var eventName: String? { nil }
  }

  private(set) var slide: Slide?
  private(set) var number = 0
  private let documents: Documents
  private var following: Task<Void, Never>?
  private var listeners: [UUID: AsyncStream<Change>.Continuation] = [:]
  private var isEnding = false
  private static let maximumListeners = 400
  private static let heartbeat = Duration.seconds(20)

  init(documents: Documents) { self.documents = documents }

  /// Shows a slide; the audience then follows the changes of its document.
  ///
  /// - Throws: `MissingDocument`, or `StudioError` if too many tabs show the document.
  func show(_ next: Slide) async throws {
    let old = slide
    if old?.id != next.id || old?.name != next.name || following == nil {
      let versions = try await documents.versions(of: next.name, id: next.id)
      following?.cancel()
      following = Task { await self.follow(versions, of: next.id) }
    }
    slide = next
    // Pages only mark another step, as long as the run is the same.
    if old?.id != next.id || old?.symbols != next.symbols { number += 1 }
    notify()
  }

  /// Ends the presentation: the audience sees nothing more of it.
  func end() {
    following?.cancel()
    following = nil
    guard slide != nil else { return }
    slide = nil
    number += 1
    notify()
  }

  private func follow(_ versions: AsyncStream<Documents.Event>, of id: String) async {
    var version: Int?
    for await event in versions {
      guard !Task.isCancelled, slide?.id == id else { return }
      switch event {
      case .changed(_, let next):
        if let version, version != next {
          // The run was of the document before the change.
          slide?.symbols = nil
          slide?.step = 0
          number += 1
          notify()
        }
        version = next
      case .renamed(let name):
        guard let versions = try? await documents.versions(of: name, id: id) else { return end() }
        slide?.name = name
        number += 1
        notify()
        return await follow(versions, of: id)
      case .deleted: return end()
      }
    }
  }

  private var change: Change { Change(number: number, step: slide?.step ?? 0) }

  private func notify() { for listener in listeners.values { listener.yield(change) } }

  /// Returns a stream of the changes.
  func changes() throws -> AsyncStream<Change> {
    guard !isEnding else { throw StudioError.ending }
    guard listeners.count < Self.maximumListeners else {
      throw StudioError(
        "\(Self.maximumListeners) devices follow the presentation; no more can.",
        .serviceUnavailable)
    }
    let id = UUID()
    let (stream, continuation) = AsyncStream.makeStream(
      of: Change.self, bufferingPolicy: .bufferingNewest(1))
    listeners[id] = continuation
    // Again and again, to detect closed connections.
    let heartbeat = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: Self.heartbeat)
        self.listeners[id]?.yield(self.change)
      }
    }
    continuation.onTermination = { _ in
      heartbeat.cancel()
      Task { await self.forget(id) }
    }
    continuation.yield(change)
    return stream
  }

  private func forget(_ id: UUID) { listeners[id] = nil }

  /// Ends all streams.
  func endStreams() {
    isEnding = true
    for listener in listeners.values { listener.finish() }
    listeners = [:]
  }
}
