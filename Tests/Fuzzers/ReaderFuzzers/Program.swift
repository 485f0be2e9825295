import Fuzzing

private let program = FuzzerProgram(
  inkFuzzers + pictureFuzzers + datasetFuzzers + modelFuzzers + automatonFuzzers)

/// What libFuzzer calls first.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> CInt {
  program.start()
  return 0
}

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  program.check(bytes, count)
  return 0
}
