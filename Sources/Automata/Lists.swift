/// Lists of elements, which lie one after the other in one array.
struct Lists<Element> {
  /// The elements of all lists.
  let elements: [Element]
  /// Where each list begins, and the end of the last one.
  private let starts: [Int]

  /// Creates `count` lists of elements, each of which goes to the end of its list.
  init(count: Int, _ all: some Collection<(list: Int32, element: Element)>) {
    var places = [Int](repeating: 0, count: count + 1)
    for (list, _) in all { places[Int(list) + 1] += 1 }
    for list in 0..<count { places[list + 1] += places[list] }
    starts = places
    let total = places[count]
    elements = [Element](unsafeUninitializedCapacity: total) { elements, initialized in
      for (list, element) in all {
        elements.initializeElement(at: places[Int(list)], to: element)
        places[Int(list)] += 1
      }
      initialized = total
    }
  }

  private init(elements: [Element], starts: [Int]) {
    (self.elements, self.starts) = (elements, starts)
  }

  /// The number of lists.
  var count: Int { starts.count - 1 }

  var indices: Range<Int> { 0..<count }

  /// The elements of a list.
  subscript(list: Int) -> ArraySlice<Element> { elements[places(of: list)] }

  /// Where the elements of a list are among ``elements``.
  func places(of list: Int) -> Range<Int> { starts[list]..<starts[list + 1] }

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
