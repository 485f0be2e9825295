import DisjointSets

/// Chooses candidates that share no strokes so that they save as much cost as possible.
///
/// Candidates that share strokes form groups, which are solved one by one: exactly if they are small,
/// otherwise with a beam.
struct Packing {
  /// The strokes of a candidate, and what it saves.
  struct Candidate {
    var strokes: [Int]
    var saving: Double
  }

  let candidates: [Candidate]

  /// The number of partial choices that are followed.
  private static let beamWidth = 48
  /// The number of partial choices in a large group, and how many candidates such a group has.
  private static let narrowBeamWidth = 8
  private static let largeGroup = 80
  /// The number of candidates in a group above which the best ones are taken one by one.
  private static let maximumInGroup = 300

  /// Returns the positions of the chosen candidates, in increasing order.
  func chosen() -> [Int] {
    let useful = candidates.indices.filter { candidates[$0].saving > 0 }
    return groups(of: useful).flatMap(best).sorted()
  }

  private func groups(of useful: [Int]) -> [[Int]] {
    var sets = DisjointSets(count: candidates.count)
    var owner: [Int: Int] = [:]
    for index in useful {
      for stroke in candidates[index].strokes {
        if let other = owner[stroke] {
          sets.join(index, into: other)
        } else {
          owner[stroke] = index
        }
      }
    }
    return sets.groups(of: useful)
  }

  private struct Choice {
    var taken: Set<Int> = []
    var indices: [Int] = []
    var saving = 0.0
  }

  /// Returns the best choice from one group.
  private func best(_ group: [Int]) -> [Int] {
    guard group.count > 1 else { return group }
    let order = group.sorted {
      (candidates[$0].saving, $1) > (candidates[$1].saving, $0)
    }
    guard group.count <= Self.maximumInGroup else {
      var taken: Set<Int> = []
      return order.filter { index in
        guard taken.isDisjoint(with: candidates[index].strokes) else { return false }
        taken.formUnion(candidates[index].strokes)
        return true
      }
    }
    let width = group.count > Self.largeGroup ? Self.narrowBeamWidth : Self.beamWidth
    var choices = [Choice()]
    for index in order {
      let candidate = candidates[index]
      var next = choices
      for choice in choices where choice.taken.isDisjoint(with: candidate.strokes) {
        var extended = choice
        extended.taken.formUnion(candidate.strokes)
        extended.indices.append(index)
        extended.saving += candidate.saving
        next.append(extended)
      }
      // The sort keeps earlier choices first, so that the answer does not depend on the order.
      if next.count > width {
        next.sort { ($0.saving, $1.indices.count) > ($1.saving, $0.indices.count) }
        next.removeLast(next.count - width)
      }
      choices = next
    }
    return choices.max { $0.saving < $1.saving }?.indices ?? []
  }
}
