import ErrorText
import Foundation
import InkDatasets

#if MPI
  import CMPI
#endif

/// The processes that train one network together, each on its share of every batch.
///
/// `mpirun` starts them, and MPI adds up their gradients. Without `mpirun`, or without the package
/// trait `MPI`, the group has one process.
public final class ProcessGroup: Sendable {
  /// The number of this process, from 0.
  public let rank: Int
  /// The number of processes.
  public let size: Int
  /// The number of processes on this machine.
  public let sizeHere: Int

  /// A group of one process.
  public static let alone = ProcessGroup(rank: 0, size: 1, sizeHere: 1)

  private init(rank: Int, size: Int, sizeHere: Int) {
    self.rank = rank
    self.size = size
    self.sizeHere = sizeHere
  }

  /// Whether this build can train with several processes.
  public static var isSupported: Bool {
    #if MPI
      true
    #else
      false
    #endif
  }

  /// Returns the group in which `mpirun` started this process, or ``alone``.
  ///
  /// - Throws: `ProcessGroupError` if `mpirun` started several processes and this build has no MPI.
  public static func join() throws(ProcessGroupError) -> ProcessGroup {
    func number(_ name: String) -> Int? {
      ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }
    guard let size = number("OMPI_COMM_WORLD_SIZE") ?? number("PMI_SIZE"), size > 1 else {
      return alone
    }
    #if MPI
      guard cmpi_start() == 0 else {
        throw ProcessGroupError(problem: "MPI does not start; check the installation of Open MPI")
      }
      return ProcessGroup(
        rank: Int(cmpi_rank()), size: Int(cmpi_size()),
        sizeHere: number("OMPI_COMM_WORLD_LOCAL_SIZE") ?? size)
    #else
      throw ProcessGroupError(
        problem: "this build has no MPI; build it with `swift build --traits MPI`")
    #endif
  }

  /// Leaves the group, which cannot be used afterwards.
  public func leave() {
    #if MPI
      if size > 1 { MPI_Finalize() }
    #endif
  }

  /// Returns the range of this process in `count` items.
  func share(of count: Int) -> Range<Int> { count * rank / size..<count * (rank + 1) / size }

  /// Replaces each value by the sum of the values of all processes.
  ///
  /// - Precondition: `count` fits into an `Int32`.
  public func sum(_ values: UnsafeMutablePointer<Float>, count: Int) {
    #if MPI
      if size > 1 { cmpi_sum_floats(values, Int32(count)) }
    #endif
  }

  /// Replaces each value by the sum of the values of all processes.
  func sum(_ values: UnsafeMutablePointer<Double>, count: Int) {
    #if MPI
      if size > 1 { cmpi_sum_doubles(values, Int32(count)) }
    #endif
  }

  /// Returns the sum of the values of all processes.
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

  /// Requires that all processes train the same, as far as network, options, data and checkpoint go.
  ///
  /// - Throws: `TrainingError` where one of them differs.
  func requireAgreement(on identity: Checkpoint.Identity, _ progress: Trainer.Progress) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var fingerprint = Fingerprint()
    fingerprint.add([UInt8](try encoder.encode(identity)))
    fingerprint.add([UInt8](try encoder.encode(progress)))
    let standing = UInt32(truncatingIfNeeded: fingerprint.value ^ (fingerprint.value >> 32))
    guard agrees(on: standing) else {
      throw TrainingError.unsuitableData(
        "one process has other data, options or another checkpoint than the rest")
    }
  }

  /// Waits until all processes have called this.
  public func wait() { _ = sum(0) }
}

/// An error for processes that cannot train together.
public struct ProcessGroupError: DescribedError, Hashable {
  /// The problem, and what to do.
  public var problem: String

  /// The error in one line.
  public var description: String {
    "training with several processes: \(problem)"
  }
}
