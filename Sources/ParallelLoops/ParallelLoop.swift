import Dispatch
import Synchronization

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
