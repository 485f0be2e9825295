import Foundation

/// Does long work on a thread of its own, so that requests are answered meanwhile.
func onOwnThread<Result: Sendable>(
  _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread { continuation.resume(with: Swift.Result { try work() }) }
    // Networks lie on the heap; the stack only needs room for Foundation.
    thread.stackSize = 1 << 20
    thread.start()
  }
}
