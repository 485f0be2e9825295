import CInkKernels
import ErrorText
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
/// On Linux, OpenBLAS is not linked but loaded at its first use. Commands that only classify therefore
/// start without it. OpenBLAS chooses its kernels while it is loaded; an environment variable can name
/// them. If the CPU has AVX-512, Inkstate names the AVX-512 kernels, because an old OpenBLAS or the
/// environment (`OPENBLAS_CORETYPE=Haswell`) can select kernels of half the speed.
/// `INKSTATE_BLAS_CORE` overrides this choice.
///
/// Another library may have loaded OpenBLAS before, and it may be built with OpenMP. In each case it
/// computes on the calling thread only, because every worker has its own thread.
public struct BLAS: Sendable {
  /// The library and its kernels, for example `OpenBLAS SkylakeX`.
  public let name: String
  /// The reason for this choice of kernels, as text.
  public let reason: String
  /// The instruction set of Inkstate's own kernels, for example `avx512f`.
  public var kernels: String { String(cString: ink_instruction_set()) }

  #if canImport(Accelerate)
    /// The machine's BLAS.
    public static func load() throws(BLASError) -> BLAS {
      BLAS(name: "Accelerate", reason: "part of the system")
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
    /// Sets OpenMP's number of threads, which each thread has separately, before each product.
    private let setThreadsOfCaller: SetThreads?
    private let getThreads: GetNumber?

    /// The environment variable that selects the kernels by OpenBLAS's name.
    private static let coreVariable = "INKSTATE_BLAS_CORE"

    private static let loaded = Result { () throws(BLASError) in try BLAS() }

    /// The machine's BLAS, loaded at the first call.
    ///
    /// - Throws: `BLASError` if OpenBLAS is missing.
    public static func load() throws(BLASError) -> BLAS { try loaded.get() }

    /// Creates an instance separate from that of ``load()``, for tests.
    init() throws(BLASError) {
      // If OpenBLAS is loaded already, it has chosen its kernels.
      let isLoaded = Self.names.contains { dlopen($0, RTLD_NOLOAD | RTLD_NOW) != nil }
      setenv("OPENBLAS_NUM_THREADS", "1", 1)
      let wanted = getenv(Self.coreVariable).map { String(cString: $0) }
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
      // The environment variable has no effect if OpenBLAS was loaded before.
      Self.function("openblas_set_num_threads", in: library, as: SetThreads.self)?(1)
      let found = Self.coreName(library)
      name = "OpenBLAS \(found)"
      if let core, core.lowercased() != found.lowercased() {
        reason =
          isLoaded
          ? "loaded before Inkstate could choose; start the program with OPENBLAS_CORETYPE=\(core)"
          : "this OpenBLAS does not have the kernels \(core)"
      } else if wanted != nil {
        reason = "selected by \(Self.coreVariable)"
      } else if core != nil {
        reason = "chosen because the CPU has AVX-512; \(Self.coreVariable) selects others"
      } else {
        reason = "OpenBLAS's choice for this CPU; \(Self.coreVariable) selects others"
      }
    }

    /// The number of threads of a product.
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
      throw BLASError(problem: "the library was not found")
    }

    private static func coreName(_ library: UnsafeMutableRawPointer) -> String {
      typealias CoreName = @convention(c) () -> UnsafePointer<CChar>?
      guard let symbol = dlsym(library, "openblas_get_corename"),
        let name = unsafeBitCast(symbol, to: CoreName.self)()
      else { return "unknown" }
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

  /// A row-major matrix in memory; `stride` is the distance between rows.
  struct Matrix {
    var values: UnsafePointer<Float>
    var stride: Int
    /// Whether the transpose of the matrix is used.
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
  /// Returns the floating-point operations per second of matrix products of 1024 × 1024 × 1024.
  ///
  /// Each of `threads` threads computes its own product. The rate is an upper bound for training.
  public func matrixProductRate(threads: Int = 1, seconds: Double = 0.5) -> Double {
    let size = 1024
    let operations = 2 * Double(size * size * size)
    let loop = ParallelLoop(workers: threads)
    // Random values, because products of zeros need less power and could run faster.
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

/// An error for a machine without a usable BLAS.
public struct BLASError: DescribedError, Hashable {
  /// The problem.
  public var problem: String

  /// The error in one line.
  public var description: String {
    "training needs OpenBLAS: \(problem); install it (on Debian: apt install libopenblas-dev)"
  }
}
