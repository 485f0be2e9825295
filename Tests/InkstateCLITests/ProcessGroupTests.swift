import Foundation
import InkNetwork
import InkRecognizer
import InkTraining
import Testing
import TestSupport

/// Several processes that train together; `scripts/stress mpi` runs all of these.
@Suite(.timeLimit(.minutes(30))) struct ProcessGroupTests {
  /// A build for several processes is tested with them; `scripts/stress mpi` brings `mpirun`.
  private static let canRun: Bool = ProcessGroup.isSupported
  private static let whySkipped: Comment = "needs a build with --traits MPI"

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let words = "dataset synthesize --writers 10 --per-class 5 -o ink.ndjson"
    _ = try inkstate(words.split(separator: " ").map(String.init), in: folder)
  }

  private func train(_ words: String, processes: Int) throws -> CommandResult {
    try inkstate(
      ["train", "ink.ndjson"] + words.split(separator: " ").map(String.init), in: folder,
      prefix: processes == 1
        ? "" : "mpirun --allow-run-as-root --oversubscribe --bind-to none -n \(processes)")
  }

  /// Batch normalisation and dropout depend on the whole batch; 7 does not divide among 2 or 4.
  @Test(
    .enabled(if: canRun, whySkipped), arguments: ["sketch", "lenet"], [2, 4])
  func severalProcessesLearnWhatOneLearns(network: String, processes: Int) throws {
    let options =
      "--architecture \(network) --epochs 2 --batch-size 7 --optimizer sgd --learning-rate 0.01 "
      + "--validation-share 0.2 --threads 1 -o"
    #expect(try train("\(options) one.safetensors", processes: 1).status == 0)
    let result = try train("\(options) several.safetensors", processes: processes)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "several.safetensors: cycle, other, state, transition\n")
    #expect(result.errors.contains("\(processes) processes"))
    let one = try Model.read(path: "\(folder.path)/one.safetensors")
    let several = try Model.read(path: "\(folder.path)/several.safetensors")
    for (name, tensor) in one.network.weights {
      let difference =
        zip(tensor.values, several.network.weights[name]!.values)
        .map { abs($0 - $1) }.max() ?? 0
      #expect(difference < 5e-4, "\(name) differs by \(difference)")
    }
  }

  @Test(.enabled(if: canRun, whySkipped))
  func whenOneDiesTheOthersEndAndTrainingGoesOnFromTheCheckpoint() throws {
    let command = [
      "train", "ink.ndjson", "--epochs", "100000", "--threads", "1", "-o", "model.safetensors",
    ]
    // The second process dies as soon as there is a checkpoint.
    let result = try inkstate(
      command, in: folder,
      prefix: """
        mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 bash -c \
        'if [ $OMPI_COMM_WORLD_RANK = 1 ]; then \
        (while [ ! -e model.checkpoint ]; do sleep 0.05; done; kill -KILL $$) & fi; \
        exec "$0" "$@"'
        """)
    #expect(result.status != 0)
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/model.safetensors"))
    let resumed = try inkstate(
      command + ["--resume"], in: folder, prefix: "timeout --foreground -s INT 2")
    #expect(resumed.errors.contains("resuming in epoch"), "\(resumed.errors)")
    #expect(resumed.errors.contains("interrupted in epoch"), "\(resumed.errors)")
  }

  @Test(.enabled(if: !ProcessGroup.isSupported, "a build with MPI can"))
  func aBuildWithoutMPISaysSo() throws {
    let result = try inkstate(
      ["train", "ink.ndjson", "-o", "m.safetensors"], in: folder,
      prefix: "env OMPI_COMM_WORLD_SIZE=2")
    #expect(result.status == 1)
    #expect(
      result.errors
        == "Error: training with several processes: this build has no MPI; build it with `swift build "
        + "--traits MPI`\n")
  }
}
