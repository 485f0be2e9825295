/// Disjoint sets of the numbers from 0, which can be joined (union–find with path halving; Tarjan &
/// van Leeuwen, 1984).
package struct DisjointSets {
  private var parents: [Int]

  /// Creates `count` sets of one number each.
  package init(count: Int) { parents = Array(0..<count) }

  /// Adds the set of the next number.
  package mutating func append() { parents.append(parents.count) }

  /// Returns the number that stands for the set of `number`.
  package mutating func root(of number: Int) -> Int {
    var number = number
    while parents[number] != number {
      parents[number] = parents[parents[number]]
      number = parents[number]
    }
    return number
  }

  /// Joins the set of `number` into that of `other`, whose root then stands for both.
  package mutating func join(_ number: Int, into other: Int) {
    parents[root(of: number)] = root(of: other)
  }

  /// Returns `numbers`, which increase, divided into their sets, in the order of the first number of each.
  package mutating func groups(of numbers: some Sequence<Int>) -> [[Int]] {
    Dictionary(grouping: numbers) { root(of: $0) }.values.sorted { $0[0] < $1[0] }
  }
}
