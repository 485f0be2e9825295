import Testing

@testable import InkRaster

@Suite struct SelectionTests {
  @Test(arguments: [1, 2, 3, 10, 257, 1000]) func theValueAtAnIndexIsThatOfTheSortedValues(
    count: Int
  ) {
    // Few different values, so that many are equal, and many different ones.
    for modulus in [3, 7919] {
      let values = (0..<count).map { Float(($0 * 7907 + 13) % modulus) }
      let sorted = values.sorted()
      for index in Set([0, count / 4, count / 2, count * 3 / 4, count - 1]) {
        var selected = values
        #expect(selected.selectSorted(at: index) == sorted[index])
        #expect(selected.sorted() == sorted)
      }
    }
  }
}
