import Foundation

/// Runs long work on a separate thread, so that requests are answered meanwhile.
func onOwnThread<Result: Sendable>(
  _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread { continuation.resume(with: Swift.Result { try work() }) }
    // Networks are on the heap, so the stack can be small.
    thread.stackSize = 1 << 20
    thread.start()
  }
}
