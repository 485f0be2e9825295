import CInkKernels

/// Memory for numbers that lives as long as its owner and may be shared between workers, which by
/// agreement write to different parts of it.
package final class FloatBuffer: @unchecked Sendable {
  package let count: Int
  package let pointer: UnsafeMutablePointer<Float>
  private let memory: UnsafeMutableRawPointer

  /// Whole cache lines, so that vectors do not lie across two.
  private static let alignment = 64

  /// Makes `count` zeros, which take no memory before they are used.
  package init(count: Int) {
    self.count = count
    memory = ink_zeros(max(1, count) * MemoryLayout<Float>.stride + Self.alignment)
    pointer = memory.alignedUp(toMultipleOf: Self.alignment)
      .bindMemory(to: Float.self, capacity: max(1, count))
  }

  deinit {
    ink_free(memory)
  }

  package var values: [Float] {
    get { Array(UnsafeBufferPointer(start: pointer, count: count)) }
    set {
      precondition(newValue.count == count)
      newValue.withUnsafeBufferPointer { pointer.update(from: $0.baseAddress!, count: count) }
    }
  }
}
