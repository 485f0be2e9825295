import CInkKernels
import Foundation
import InkDatasets
import InkNetwork
import ParallelLoops
import SeededRandom

#if canImport(Accelerate)
  import Accelerate
#else
  import COpenBLAS
#endif

/// Single-precision matrix products of the machine's BLAS, on the calling thread only.
///
/// On Linux, OpenBLAS is loaded when it is first needed and not linked: commands that only classify
/// start without it, and it can be told its kernels, which it reads from the environment while it
/// is being loaded. Where the CPU has AVX-512 it is told to use it, for there are machines whose
/// environment (`OPENBLAS_CORETYPE=Haswell`) or whose OpenBLAS, too old to know the CPU, asks for
/// kernels of half the speed. `INKSTATE_BLAS_CORE` overrules this.
///
/// OpenBLAS may have been loaded by others, and may be built with OpenMP: whatever it is, it computes
/// on the calling thread only, for every worker has a thread of its own.
public struct BLAS: Sendable {
  /// What computes, for example `OpenBLAS SkylakeX`.
  public let name: String
  /// Why it computes with these kernels, in words.
  public let reason: String
  /// The instruction set of our own kernels, for example `avx512f`.
  public var kernels: String { String(cString: ink_instruction_set()) }

  #if canImport(Accelerate)
    /// The machine's BLAS.
    public static func load() throws(BLASError) -> BLAS {
      BLAS(name: "Accelerate", reason: "the system's own")
    }
  #else
    private typealias Sgemm =
      @convention(c) (
        CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint, blasint, blasint, Float,
        UnsafePointer<Float>?, blasint, UnsafePointer<Float>?, blasint, Float,
        UnsafeMutablePointer<Float>?, blasint
      ) -> Void

    private typealias SetThreads = @convention(c) (CInt) -> Void
    private typealias GetNumber = @convention(c) () -> CInt

    private let sgemm: Sgemm
    /// OpenMP's count of threads is one of each thread, so it is set before each product.
    private let setThreadsOfCaller: SetThreads?
    private let getThreads: GetNumber?

    /// The environment variable that names the kernels to use, in OpenBLAS's words.
    private static let overrulingVariable = "INKSTATE_BLAS_CORE"

    private static let loaded = Result { () throws(BLASError) in try BLAS() }

    /// The machine's BLAS, loaded at the first call.
    ///
    /// - Throws: `BLASError` where there is no OpenBLAS.
    public static func load() throws(BLASError) -> BLAS { try loaded.get() }

    /// Makes one beside the one that ``load()`` shares, for tests.
    init() throws(BLASError) {
      // Somebody else in this process may have brought it along; then it is too late to choose.
      let isLoaded = Self.names.contains { dlopen($0, RTLD_NOLOAD | RTLD_NOW) != nil }
      setenv("OPENBLAS_NUM_THREADS", "1", 1)
      let wanted = getenv(Self.overrulingVariable).map { String(cString: $0) }
      let core = wanted ?? (Self.hasAVX512 ? "SkylakeX" : nil)
      if let core { setenv("OPENBLAS_CORETYPE", core, 1) }
      let library = try Self.open()
      guard let symbol = dlsym(library, "cblas_sgemm") else {
        throw BLASError(problem: "the library found has no cblas_sgemm")
      }
      sgemm = unsafeBitCast(symbol, to: Sgemm.self)
      let getParallel = Self.function("openblas_get_parallel", in: library, as: GetNumber.self)
      setThreadsOfCaller =
        getParallel?() == 2
        ? Self.function("omp_set_num_threads", in: library, as: SetThreads.self) : nil
      getThreads = Self.function("openblas_get_num_threads", in: library, as: GetNumber.self)
      // The environment is read while a library is loaded, and others may have loaded this one.
      Self.function("openblas_set_num_threads", in: library, as: SetThreads.self)?(1)
      let found = Self.coreName(library)
      name = "OpenBLAS \(found)"
      if let core, core.lowercased() != found.lowercased() {
        reason =
          isLoaded
          ? "loaded before Inkstate could choose; start the program with OPENBLAS_CORETYPE=\(core)"
          : "\(core) was asked for, which this OpenBLAS does not have"
      } else if wanted != nil {
        reason = "as \(Self.overrulingVariable) says"
      } else if core != nil {
        reason = "chosen because the CPU has AVX-512; \(Self.overrulingVariable) overrules"
      } else {
        reason = "as OpenBLAS found the CPU; \(Self.overrulingVariable) overrules"
      }
    }

    /// How many threads a product may use.
    var threadCount: Int? { getThreads.map { Int($0()) } }

    private static func function<Function>(
      _ name: String, in library: UnsafeMutableRawPointer, as type: Function.Type
    ) -> Function? {
      dlsym(library, name).map { unsafeBitCast($0, to: type) }
    }

    private static let names = ["libopenblas.so.0", "libopenblas.so"]

    private static func open() throws(BLASError) -> UnsafeMutableRawPointer {
      for name in names {
        if let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) { return library }
      }
      throw BLASError(problem: "there is no such library")
    }

    private static func coreName(_ library: UnsafeMutableRawPointer) -> String {
      typealias CoreName = @convention(c) () -> UnsafePointer<CChar>?
      guard let symbol = dlsym(library, "openblas_get_corename"),
        let name = unsafeBitCast(symbol, to: CoreName.self)()
      else { return "of unknown kind" }
      return String(cString: name)
    }

    /// Whether the CPU has every instruction that OpenBLAS's SkylakeX kernels use.
    private static var hasAVX512: Bool {
      guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8),
        let line = text.split(separator: "\n").first(where: { $0.hasPrefix("flags") })
      else { return false }
      let flags = Set(line.split(separator: " "))
      return flags.isSuperset(of: ["avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"])
    }
  #endif

  /// A matrix as it lies in memory: row-major, `stride` values from one row to the next, read as
  /// its transpose where `isTransposed`.
  struct Matrix {
    var values: UnsafePointer<Float>
    var stride: Int
    var isTransposed = false
  }

  /// `output = left · right + beta · output`.
  ///
  /// Shapes: left `[rows, inner]`, right `[inner, columns]`, output `[rows, columns]` with rows of
  /// `outputStride`.
  func multiply(
    _ left: Matrix, _ right: Matrix, rows: Int, inner: Int, columns: Int, beta: Float,
    into output: UnsafeMutablePointer<Float>, outputStride: Int
  ) {
    #if canImport(Accelerate)
      cblas_sgemm(
        CblasRowMajor, left.isTransposed ? CblasTrans : CblasNoTrans,
        right.isTransposed ? CblasTrans : CblasNoTrans, Int32(rows), Int32(columns), Int32(inner),
        1, left.values, Int32(left.stride), right.values, Int32(right.stride), beta, output,
        Int32(outputStride))
    #else
      setThreadsOfCaller?(1)
      sgemm(
        CblasRowMajor, left.isTransposed ? CblasTrans : CblasNoTrans,
        right.isTransposed ? CblasTrans : CblasNoTrans, blasint(rows), blasint(columns),
        blasint(inner), 1, left.values, blasint(left.stride), right.values, blasint(right.stride),
        beta, output, blasint(outputStride))
    #endif
  }
}

extension BLAS {
  /// The floating-point operations a second of large matrix products, 1024 × 1024 × 1024, one on each
  /// of `threads`: the most that this machine can be expected to do.
  public func matrixProductRate(threads: Int = 1, seconds: Double = 0.5) -> Double {
    let size = 1024
    let operations = 2 * Double(size * size * size)
    let loop = ParallelLoop(workers: threads)
    // Zeros would need less power, and might run faster.
    var generator = SeededGenerator(seed: 1)
    let matrices = (0..<threads).map { _ in (0..<3).map { _ in FloatBuffer(count: size * size) } }
    for buffer in matrices.joined() {
      for index in 0..<buffer.count { buffer.pointer[index] = Float(generator.uniform()) - 0.5 }
    }
    let clock = ContinuousClock()
    var best = 0.0
    let start = clock.now
    repeat {
      let time = clock.measure {
        loop.run(threads) { task, _ in
          let buffers = matrices[task]
          multiply(
            .init(values: buffers[0].pointer, stride: size),
            .init(values: buffers[1].pointer, stride: size), rows: size, inner: size,
            columns: size, beta: 0, into: buffers[2].pointer, outputStride: size)
        }
      }
      best = max(best, Double(threads) * operations / (time / .seconds(1)))
    } while start.duration(to: clock.now) < .seconds(seconds)
    return best
  }
}

/// There is no BLAS to train with.
public struct BLASError: Error, Hashable, CustomStringConvertible {
  /// What is wrong.
  public var problem: String

  /// The error in one line.
  public var description: String {
    "training needs OpenBLAS: \(problem) (on Debian: apt install libopenblas-dev)"
  }
}
