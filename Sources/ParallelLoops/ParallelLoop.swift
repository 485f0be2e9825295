import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// Spreads tasks over cores.
///
/// The assignment of tasks to cores is not fixed, so tasks must not write to the same memory.
package struct ParallelLoop: Sendable {
  /// How many tasks run at the same time.
  package let workers: Int

  /// Creates a loop over so many cores.
  package init(workers: Int) { self.workers = workers }

  /// Runs `body` for every task from 0 to below `tasks`; `worker` tells whose scratch memory to use.
  package func run(_ tasks: Int, _ body: @Sendable (_ task: Int, _ worker: Int) -> Void) {
    let workers = min(workers, tasks)
    guard workers > 1 else {
      for task in 0..<tasks { body(task, 0) }
      return
    }
    let next = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: workers) { worker in
      while case let task = next.wrappingAdd(1, ordering: .relaxed).oldValue, task < tasks {
        body(task, worker)
      }
    }
  }

  /// Runs `body` for every task of each stage, from 0 to below `stages[stage]`; a stage begins when all tasks of
  /// those before have ended.
  ///
  /// Cores that wait for the others do not sleep, so that stages may be short: a few microseconds.
  package func run(
    stages: [Int], _ body: @Sendable (_ stage: Int, _ task: Int, _ worker: Int) -> Void
  ) {
    let workers = min(workers, stages.max() ?? 0)
    guard workers > 1 else {
      for (stage, tasks) in stages.enumerated() {
        for task in 0..<tasks { body(stage, task, 0) }
      }
      return
    }
    // All tasks in order, as if there were no stages: whoever has the first that has not ended need not wait.
    let total = stages.reduce(0, +)
    let next = Atomic(0)
    let ended = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: workers) { worker in
      var (stage, start) = (0, 0)
      while case let task = next.wrappingAdd(1, ordering: .relaxed).oldValue, task < total {
        while task >= start + stages[stage] {
          start += stages[stage]
          stage += 1
        }
        var looks = 0
        while ended.load(ordering: .acquiring) < start {
          looks += 1
          if looks > Self.patience { sched_yield() }
        }
        body(stage, task - start, worker)
        ended.wrappingAdd(1, ordering: .acquiringAndReleasing)
      }
    }
  }

  /// How often a core looks whether others have ended before it lets other threads go first.
  private static let patience = 2000

  /// Returns what `body` gives for every task, in the order of the tasks.
  package func map<Value: Sendable>(
    _ tasks: Int, _ body: @Sendable (_ task: Int, _ worker: Int) -> Value
  ) -> [Value] {
    [Value](unsafeUninitializedCapacity: tasks) { values, count in
      guard let first = values.baseAddress else { return }
      // Every task has a place of its own.
      nonisolated(unsafe) let start = first
      run(tasks) { task, worker in (start + task).initialize(to: body(task, worker)) }
      count = tasks
    }
  }
}
