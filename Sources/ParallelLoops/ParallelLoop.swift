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
  /// Stages may be short, a few microseconds: cores that wait for the others do not sleep. The calling thread
  /// waits for no thread that has not begun a task, so that a core which others keep busy costs nothing.
  package func run(
    stages: [Int], _ body: @escaping @Sendable (_ stage: Int, _ task: Int, _ worker: Int) -> Void
  ) {
    let work = StagedWork(stages, body)
    for worker in 1..<max(1, min(workers, stages.max() ?? 0)) {
      DispatchQueue.global().async { work.help(as: worker) }
    }
    work.finish()
  }

  /// Returns what two tasks give that run at the same time; each may use a loop over all cores.
  ///
  /// The calling thread runs the second task itself if no other thread has begun it.
  package func both<One, Other: Sendable>(
    _ one: () -> One, _ other: @escaping @Sendable () -> Other
  ) -> (One, Other) {
    guard workers > 1 else { return (one(), other()) }
    // A loop in a task of another loop has only the core of that task.
    let task = SharedTask(other)
    DispatchQueue.global().async { task.runIfNobodyHas() }
    let first = one()
    return (first, task.value())
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

/// A task that one of two threads runs.
private final class SharedTask<Value: Sendable>: Sendable {
  private let body: @Sendable () -> Value
  private let isBegun = Atomic(false)
  private let result = Mutex<Value?>(nil)
  private let done = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () -> Value) { self.body = body }

  func runIfNobodyHas() {
    guard isBegun.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    else { return }
    let value = body()
    result.withLock { $0 = value }
    done.signal()
  }

  /// Returns what the task gives, when it has ended.
  func value() -> Value {
    runIfNobodyHas()
    done.wait()
    return result.withLock { $0! }
  }
}

/// Tasks in stages, which several threads take one by one.
private final class StagedWork: Sendable {
  private let body: @Sendable (_ stage: Int, _ task: Int, _ worker: Int) -> Void
  /// The tasks before the end of each stage.
  private let ends: [Int]
  /// The tasks that are taken, and those that have ended.
  private let taken = Atomic(0)
  private let ended = Atomic(0)

  /// How often a thread looks whether others have ended, some 50 µs, before a helper leaves and the caller lets
  /// other threads go first.
  private static let patience = 50_000

  init(
    _ stages: [Int], _ body: @escaping @Sendable (_ stage: Int, _ task: Int, _ worker: Int) -> Void
  ) {
    self.body = body
    var total = 0
    ends = stages.map { tasks in
      total += tasks
      return total
    }
  }

  /// Takes tasks until none is left, or others take too long.
  func help(as worker: Int) { takeTasks(as: worker, mayLeave: true) }

  /// Takes tasks until all have ended.
  func finish() {
    takeTasks(as: 0, mayLeave: false)
    wait(for: ends.last ?? 0, mayLeave: false)
  }

  private func takeTasks(as worker: Int, mayLeave: Bool) {
    var stage = 0
    while case let task = taken.load(ordering: .relaxed), task < ends.last ?? 0 {
      while task >= ends[stage] { stage += 1 }
      let start = stage > 0 ? ends[stage - 1] : 0
      guard wait(for: start, mayLeave: mayLeave) else { return }
      guard taken.compareExchange(expected: task, desired: task + 1, ordering: .relaxed).exchanged
      else { continue }
      body(stage, task - start, worker)
      ended.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
  }

  /// Returns when so many tasks have ended; `false` if that took too long and the thread may leave.
  @discardableResult private func wait(for count: Int, mayLeave: Bool) -> Bool {
    var looks = 0
    while ended.load(ordering: .acquiring) < count {
      looks += 1
      guard looks > Self.patience else { continue }
      if mayLeave { return false }
      sched_yield()
    }
    return true
  }
}
