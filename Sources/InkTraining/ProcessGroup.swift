import Foundation

#if MPI
  import CMPI
#endif

/// The processes that train one network together, each with its share of every batch.
///
/// They are started by `mpirun`; what they have in common are sums, which MPI computes. Without the
/// package trait `MPI`, and without `mpirun`, a process is alone.
public final class ProcessGroup: Sendable {
  /// This process's number, from 0.
  public let rank: Int
  /// The number of processes.
  public let size: Int
  /// How many of them run on this machine.
  public let sizeHere: Int

  /// A process on its own.
  public static let alone = ProcessGroup(rank: 0, size: 1, sizeHere: 1)

  private init(rank: Int, size: Int, sizeHere: Int) {
    self.rank = rank
    self.size = size
    self.sizeHere = sizeHere
  }

  /// Whether this build can train on several processes.
  public static var isSupported: Bool {
    #if MPI
      true
    #else
      false
    #endif
  }

  /// The group that `mpirun` started this process in, or ``alone``.
  ///
  /// - Throws: `ProcessGroupError` where `mpirun` started several and this build has no MPI.
  public static func join() throws(ProcessGroupError) -> ProcessGroup {
    func number(_ name: String) -> Int? {
      ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }
    guard let size = number("OMPI_COMM_WORLD_SIZE") ?? number("PMI_SIZE"), size > 1 else {
      return alone
    }
    #if MPI
      guard cmpi_start() == 0 else { throw ProcessGroupError(found: "an MPI that does not start") }
      return ProcessGroup(
        rank: Int(cmpi_rank()), size: Int(cmpi_size()),
        sizeHere: number("OMPI_COMM_WORLD_LOCAL_SIZE") ?? size)
    #else
      throw ProcessGroupError(found: "one without")
    #endif
  }

  /// Leaves the group; the last thing to do with it.
  public func leave() {
    #if MPI
      if size > 1 { MPI_Finalize() }
    #endif
  }

  /// This process's share of `count` things.
  func share(of count: Int) -> Range<Int> { count * rank / size..<count * (rank + 1) / size }

  /// Makes each value the sum of all processes' values.
  func sum(_ values: UnsafeMutablePointer<Float>, count: Int) {
    #if MPI
      if size > 1 { cmpi_sum_floats(values, Int32(count)) }
    #endif
  }

  /// Makes each value the sum of all processes' values.
  func sum(_ values: UnsafeMutablePointer<Double>, count: Int) {
    #if MPI
      if size > 1 { cmpi_sum_doubles(values, Int32(count)) }
    #endif
  }

  /// The sum of all processes' `value`.
  func sum(_ value: Double) -> Double {
    var value = value
    sum(&value, count: 1)
    return value
  }

  /// Whether all processes have the same `value`.
  func agrees(on value: UInt32) -> Bool {
    let isSame = sum(Double(value)) == Double(value) * Double(size)
    return sum(isSame ? 0 : 1) == 0
  }

  /// Waits until all processes have come here.
  public func wait() { _ = sum(0) }
}

/// Several processes that cannot train together.
public struct ProcessGroupError: Error, Hashable, CustomStringConvertible {
  /// What this build is.
  public var found: String

  /// The error in one line.
  public var description: String {
    "several processes: expected a build with MPI (swift build --traits MPI), found \(found)"
  }
}
