extension Automaton {
  /// A number for each state, in order: its id if that is one, otherwise its position, or the first
  /// free number.
  ///
  /// JFLAP's ids are such numbers.
  var stateNumbers: [Int] {
    let known = states.map { state -> Int? in
      let number = Int32(state.id)
      return number.flatMap { $0 >= 0 && String($0) == state.id ? Int($0) : nil }
    }
    var taken = Set(known.compactMap(\.self))
    var next = 0
    return known.enumerated().map { index, number in
      if let number { return number }
      if taken.insert(index).inserted { return index }
      while !taken.insert(next).inserted { next += 1 }
      return next
    }
  }

  /// The names of the states in order; a state without a name has that which JFLAP shows: `q` and
  /// its number.
  ///
  /// If another state has that name, a number follows it.
  var stateNames: [String] {
    guard states.contains(where: \.name.isEmpty) else { return states.map(\.name) }
    var taken = Set(states.map(\.name))
    return zip(states, stateNumbers).map { state, number in
      state.name.isEmpty ? Self.freeName("q\(number)", besides: &taken) : state.name
    }
  }

  /// Returns `base`, followed by a number if it is taken, and adds it to the names that are taken.
  static func freeName(_ base: String, besides taken: inout Set<String>) -> String {
    var name = base
    var count = 1
    while !taken.insert(name).inserted {
      count += 1
      name = "\(base)_\(count)"
    }
    return name
  }
}
