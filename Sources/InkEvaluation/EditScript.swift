/// The least number of insertions, deletions and substitutions that make one sequence of another
/// (Levenshtein, 1966), and which they are.
package struct EditScript<Element: Equatable> {
  /// What becomes of an element: one that is left out has no `new`, one that is added no `old`.
  package struct Step {
    package var old: Element?
    package var new: Element?
  }

  /// All steps in order, also those that change nothing.
  package let steps: [Step]

  /// The number of steps that change something.
  package var count: Int { steps.count { $0.old != $0.new } }

  /// Finds the edits that make `new` of `old`.
  package init(from old: [Element], to new: [Element]) {
    let width = new.count + 1
    var counts = [Int](repeating: 0, count: (old.count + 1) * width)
    for column in 0..<width { counts[column] = column }
    for (row, one) in old.enumerated() {
      counts[(row + 1) * width] = row + 1
      for (column, other) in new.enumerated() {
        let place = (row + 1) * width + column + 1
        counts[place] = min(
          counts[place - width - 1] + (one == other ? 0 : 1), counts[place - width] + 1,
          counts[place - 1] + 1)
      }
    }
    var steps: [Step] = []
    var (row, column) = (old.count, new.count)
    while row > 0 || column > 0 {
      let place = row * width + column
      if row > 0, column > 0,
        counts[place]
          == counts[place - width - 1] + (old[row - 1] == new[column - 1] ? 0 : 1)
      {
        steps.append(Step(old: old[row - 1], new: new[column - 1]))
        (row, column) = (row - 1, column - 1)
      } else if row > 0, counts[place] == counts[place - width] + 1 {
        steps.append(Step(old: old[row - 1], new: nil))
        row -= 1
      } else {
        steps.append(Step(old: nil, new: new[column - 1]))
        column -= 1
      }
    }
    self.steps = steps.reversed()
  }
}
