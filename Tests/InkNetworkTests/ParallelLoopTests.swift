import Dispatch
import ParallelLoops
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct ParallelLoopTests {
  @Test(arguments: [1, 2, 3, 8]) func stagesBeginWhenThoseBeforeHaveEnded(workers: Int) {
    let stages = [3, 0, 1, 7, 2, 1, 0, 5]
    for _ in 0..<200 {
      let events = Mutex<[(stage: Int, task: Int, isEnd: Bool)]>([])
      ParallelLoop(workers: workers).run(stages: stages) { stage, task, worker in
        #expect(worker < workers)
        events.withLock { $0.append((stage, task, false)) }
        events.withLock { $0.append((stage, task, true)) }
      }
      let all = events.withLock { $0 }
      for (stage, tasks) in stages.enumerated() {
        let ends = all.filter { $0.stage == stage && $0.isEnd }
        #expect(ends.map(\.task).sorted() == Array(0..<tasks))
      }
      let lasts = all.indices.map { index in
        all[..<index].filter(\.isEnd).reduce(into: [:]) { $0[$1.stage, default: 0] += 1 }
      }
      for (index, event) in all.enumerated() where !event.isEnd {
        #expect((0..<event.stage).allSatisfy { lasts[index][$0, default: 0] == stages[$0] })
      }
    }
  }

  @Test func nothingIsRunWhereThereIsNothing() {
    ParallelLoop(workers: 2).run(stages: []) { _, _, _ in Issue.record("there is no task") }
    ParallelLoop(workers: 2).run(stages: [0, 0]) { _, _, _ in Issue.record("there is no task") }
  }

  @Test(arguments: [1, 2, 8]) func twoTasksMayEachUseALoop(workers: Int) {
    let loop = ParallelLoop(workers: workers)
    for count in 1...50 {
      let sums = loop.both {
        loop.map(count) { task, _ in task }.reduce(0, +)
      } _: {
        loop.map(count) { task, _ in 2 * task }.reduce(0, +)
      }
      #expect(sums == (count * (count - 1) / 2, count * (count - 1)))
    }
  }

  /// More blocked threads than the system starts: none is left to help.
  @Test func threadsThatAreBusyAreNotWaitedFor() {
    let (gate, count) = (DispatchSemaphore(value: 0), 600)
    for _ in 0..<count { DispatchQueue.global().async { gate.wait() } }
    let tasks = Atomic(0)
    ParallelLoop(workers: 4).run(stages: [3, 1, 5]) { _, _, _ in
      tasks.wrappingAdd(1, ordering: .relaxed)
    }
    #expect(tasks.load(ordering: .relaxed) == 9)
    #expect(
      ParallelLoop(workers: 4).both {
        1
      } _: {
        2
      } == (1, 2))
    for _ in 0..<count { gate.signal() }
  }
}
