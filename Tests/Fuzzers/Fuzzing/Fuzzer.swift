import CFuzzing
import Foundation

/// A reader, what its inputs look like, and what has to hold for each input.
public struct Fuzzer: Sendable {
  /// The name on the command line.
  public let name: String
  /// Texts that inputs consist of, which mutations insert.
  let dictionary: [String]
  /// Valid inputs, as the project's own writers write them.
  let seeds: @Sendable () throws -> [Data]
  /// Reads an input; throws the reader's error, or ends the process where something does not hold.
  let read: @Sendable (Data) throws -> Void

  /// Creates a fuzzer.
  public init(
    _ name: String, dictionary: [String] = [], seeds: @escaping @Sendable () throws -> [Data],
    read: @escaping @Sendable (Data) throws -> Void
  ) {
    (self.name, self.dictionary, self.seeds, self.read) = (name, dictionary, seeds, read)
  }

  /// The memory that reading an input may take: 64 times its size, and 64 MB.
  private static func maximumMemory(for input: Data) -> Int64 {
    64 * Int64(input.count) + 64_000_000
  }

  /// The processor time that reading an input may take: a second, and 0.2 ms a byte.
  ///
  /// It is generous, because the code is instrumented.
  private static func maximumTime(for input: Data) -> Double { 1 + 2e-4 * Double(input.count) }

  /// Reads `input`, and ends the process if that takes too much time or memory, or if an error is
  /// none of the project's.
  func check(_ input: Data) {
    let start = Self.processorTime
    cfuzzing_begin()
    do { try read(input) } catch {
      let type = String(reflecting: Swift.type(of: error))
      if ["Foundation", "Swift.", "NS", "__"].contains(where: type.hasPrefix) {
        fatalError("fuzz: expected an error of the project's, found \(type): \(error)")
      }
      // Whatever an input holds, its error can be shown.
      _ = "\(error)".utf8.count
    }
    let (memory, time) = (cfuzzing_peak(), Self.processorTime - start)
    guard memory <= Self.maximumMemory(for: input) else {
      fatalError("fuzz: \(memory >> 20) MiB for an input of \(input.count) bytes")
    }
    guard time <= Self.maximumTime(for: input) else {
      fatalError("fuzz: \(time) s for an input of \(input.count) bytes")
    }
  }

  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
  }
}

/// Returns what `body` makes; ends the process if it throws, because `what` has to succeed.
public func required<Value>(_ what: String, _ body: () throws -> Value) -> Value {
  do { return try body() } catch { fatalError("fuzz: \(what): \(error)") }
}

/// Ends the process unless `holds`: an input was found for which a property does not hold.
public func require(_ holds: Bool, _ property: @autoclosure () -> String) {
  if !holds { fatalError("fuzz: \(property())") }
}
