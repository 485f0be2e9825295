/// Memory for numbers that lives as long as its owner and may be shared between workers, which by
/// agreement write to different parts of it.
package final class FloatBuffer: @unchecked Sendable {
  package let count: Int
  package let pointer: UnsafeMutablePointer<Float>

  /// Whole cache lines, so that vectors do not lie across two.
  private static let alignment = 64

  /// Makes `count` zeros.
  package init(count: Int) {
    self.count = count
    pointer = UnsafeMutableRawPointer.allocate(
      byteCount: max(1, count) * MemoryLayout<Float>.stride, alignment: Self.alignment
    ).bindMemory(to: Float.self, capacity: max(1, count))
    pointer.initialize(repeating: 0, count: max(1, count))
  }

  deinit {
    pointer.deallocate()
  }

  package var values: [Float] {
    get { Array(UnsafeBufferPointer(start: pointer, count: count)) }
    set {
      precondition(newValue.count == count)
      newValue.withUnsafeBufferPointer { pointer.update(from: $0.baseAddress!, count: count) }
    }
  }
}
