/// Lists that are stored in one array.
struct Lists<Element> {
  /// The elements of all lists.
  let elements: [Element]
  /// Where each list begins, and the end of the last one.
  private let starts: [Int32]

  /// Creates `count` lists; each element goes to the end of its list.
  init(count: Int, _ all: some Collection<(list: Int, element: Element)>) {
    // The end of each list, two places later: there it becomes the start of the next one while the lists are
    // filled.
    var starts = [Int32](repeating: 0, count: count + 2)
    for (list, _) in all { starts[list + 2] += 1 }
    for list in 0..<count { starts[list + 2] += starts[list + 1] }
    let total = Int(starts[count + 1])
    elements = [Element](unsafeUninitializedCapacity: total) { elements, initialized in
      for (list, element) in all {
        elements.initializeElement(at: Int(starts[list + 1]), to: element)
        starts[list + 1] += 1
      }
      initialized = total
    }
    starts.removeLast()
    self.starts = starts
  }

  private init(elements: [Element], starts: [Int32]) {
    (self.elements, self.starts) = (elements, starts)
  }

  /// The number of lists.
  var count: Int { starts.count - 1 }

  var indices: Range<Int> { 0..<count }

  /// The elements of a list.
  subscript(list: Int) -> ArraySlice<Element> { elements[places(of: list)] }

  /// Where the elements of a list are among ``elements``.
  func places(of list: Int) -> Range<Int> { Int(starts[list])..<Int(starts[list + 1]) }

  /// Whether no list has an element.
  var isEmpty: Bool { elements.isEmpty }

  /// Returns the lists, each sorted.
  func sorted(by precedes: (Element, Element) -> Bool) -> Lists {
    var elements = elements
    for list in indices {
      let places = places(of: list)
      let isSorted = places.dropFirst().allSatisfy { !precedes(elements[$0], elements[$0 - 1]) }
      if !isSorted { elements[places].sort(by: precedes) }
    }
    return Lists(elements: elements, starts: starts)
  }
}
