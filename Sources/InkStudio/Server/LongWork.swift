import Foundation
import NIOCore
import Synchronization

/// Says whether work is still wanted: its client is there, and its time is not over.
final class Cancellation: Sendable {
  private let isCancelled = Atomic(false)
  private let end: Mutex<ContinuousClock.Instant?> = Mutex(nil)

  /// Ends the work at its next check.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Starts the time of the work.
  fileprivate func begin(_ time: Duration) { end.withLock { $0 = .now + time } }

  /// Throws if nobody waits for the work any more, or if it takes too long.
  ///
  /// - Throws: `StudioError`.
  func check() throws(StudioError) {
    if isCancelled.load(ordering: .relaxed) {
      throw StudioError("The request was cancelled.", .requestTimeout)
    }
    if let end = end.withLock({ $0 }), end < .now {
      throw StudioError("This took too long. Try it with less at a time.", .requestTimeout)
    }
  }
}

/// Runs what can take long on threads of its own, so that nobody waits for the work of somebody else.
///
/// The owner has threads that nobody else uses. All others share the rest, one after the other in turn, and
/// each has one work at a time and a few that wait.
final class LongWork: Sendable {
  /// Threads that are shared fairly by some clients.
  private final class Lane: Sendable {
    private struct State {
      var waiting: [Client: [@Sendable () -> Void]] = [:]
      /// The clients with waiting work, the next one first.
      var turns: [Client] = []
      var running: [Client: Int] = [:]
    }

    private let threads: Int
    private let ofOne: Int
    private let time: Duration
    private let maximumWaiting: Int
    private let state = Mutex(State())

    var runningCount: Int { state.withLock { $0.running.values.reduce(0, +) } }
    var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    init(threads: Int, ofOne: Int, maximumWaiting: Int, time: Duration) {
      (self.threads, self.ofOne, self.maximumWaiting, self.time) = (
        threads, ofOne, maximumWaiting, time
      )
    }

    func add<Result: Sendable>(
      _ client: Client, _ cancellation: Cancellation,
      _ work: @escaping @Sendable (Cancellation) throws -> Result,
      _ continuation: CheckedContinuation<Result, any Error>
    ) {
      let isAccepted = state.withLock { state in
        guard state.waiting[client, default: []].count < maximumWaiting else { return false }
        if state.waiting[client] == nil { state.turns.append(client) }
        state.waiting[client, default: []].append { [self] in
          let result = Swift.Result {
            cancellation.begin(time)
            try cancellation.check()
            return try work(cancellation)
          }
          end(client)
          continuation.resume(with: result)
        }
        return true
      }
      guard isAccepted else {
        return continuation.resume(
          throwing: StudioError(
            "\(maximumWaiting) requests of this device wait already. Wait until they are answered.",
            .tooManyRequests))
      }
      startNext()
    }

    private func end(_ client: Client) {
      state.withLock { state in
        state.running[client] = state.running[client].flatMap { $0 > 1 ? $0 - 1 : nil }
      }
      startNext()
    }

    private func startNext() {
      let work = state.withLock { state -> (@Sendable () -> Void)? in
        guard state.running.values.reduce(0, +) < threads,
          let turn = state.turns.firstIndex(where: { state.running[$0, default: 0] < ofOne })
        else { return nil }
        let client = state.turns.remove(at: turn)
        let next = state.waiting[client]?.removeFirst()
        // Whoever has more comes after all others.
        if state.waiting[client]?.isEmpty ?? true {
          state.waiting[client] = nil
        } else {
          state.turns.append(client)
        }
        state.running[client, default: 0] += 1
        return next
      }
      guard let work else { return }
      let thread = Thread(block: work)
      // Networks are on the heap, so the stack can be small.
      thread.stackSize = 1 << 20
      thread.start()
    }
  }

  private let owner: Lane
  private let others: Lane

  init(
    cores: Int = ProcessInfo.processInfo.activeProcessorCount, timeOfOthers: Duration = .seconds(10)
  ) {
    owner = Lane(threads: 4, ofOne: 4, maximumWaiting: 64, time: .seconds(120))
    others = Lane(threads: max(1, cores / 2), ofOne: 1, maximumWaiting: 8, time: timeOfOthers)
  }

  /// The number of works that run now, and that wait.
  var runningCount: Int { owner.runningCount + others.runningCount }
  var waitingCount: Int { owner.waitingCount + others.waitingCount }

  /// Runs `work` when it is the turn of the request's visitor.
  ///
  /// `work` has to check whether it is still wanted; it is not after the connection has closed.
  ///
  /// - Throws: `StudioError` if too much waits already, or if the work is cancelled; and what `work` throws.
  func run<Result: Sendable>(
    for context: StudioContext, _ work: @escaping @Sendable (Cancellation) throws -> Result
  ) async throws -> Result {
    let cancellation = Cancellation()
    let client = context.client
    let hangup = context.pool?.onClose(of: context.connection) { cancellation.cancel() }
    defer { if let hangup { context.pool?.forget(hangup, of: context.connection) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        (client == .owner ? owner : others).add(client, cancellation, work, continuation)
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}

/// Runs an actor that the owner and devices share.
///
/// Otherwise the actor would run on the thread of the devices where one of them uses it, and the owner would
/// wait there behind what all devices ask for.
final class SharedExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: "inkstate \(label)") }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}

/// Runs the requests of devices on a thread of their own, and leaves those of the system to the owner.
final class DeviceExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "inkstate devices")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
