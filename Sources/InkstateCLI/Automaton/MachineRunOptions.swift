import ArgumentParser
import Automata

/// How a machine beyond finite automata runs: when it accepts, and when a run that need not end is stopped.
struct MachineRunOptions: ParsableArguments {
  @OptionGroup var acceptance: AcceptanceOptions

  @Option(
    help: """
      Stop a pushdown automaton or Turing machine after this many steps; at most 1000000. The memory of a \
      search that branches is bounded as well.
      """)
  var steps = Machine.Limits.standard.steps

  func validate() throws { try check("--steps", steps, in: 1...1_000_000) }

  var limits: Machine.Limits {
    let standard = Machine.Limits.standard
    return Machine.Limits(
      steps: steps, configurations: max(standard.configurations, steps + 1),
      cells: max(standard.cells, steps))
  }
}
