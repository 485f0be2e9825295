import Testing

@testable import Ink

struct MedianTests {
  @Test func aRankIsFoundInCounts() {
    // The values 1, 1, 3, 4, 4, 4.
    let counts = [0, 2, 0, 1, 3]
    #expect((-1...6).map(counts.value) == [nil, 1, 1, 3, 4, 4, 4, nil])
    #expect([Int]().value(atRank: 0) == nil)
  }

  @Test func theMedianIsTheUpperOneOfTwo() {
    #expect([3, 1, 2].median() == 2)
    #expect([4, 1, 3, 2].median() == 3)
    #expect([Int]().median() == nil)
  }

  /// A value counts as much as its weight says, whatever the order.
  @Test func heavyValuesCountMore() {
    func median(_ values: [(value: Double, weight: Double)]) -> Double? {
      let middle = weightedMedian(values)
      #expect(weightedMedian(values.reversed()) == middle)
      return middle
    }
    #expect(median([(1, 1), (5, 1), (2, 1)]) == 2)
    #expect(median([(1, 5), (5, 1), (2, 1)]) == 1)
    #expect(median([(1, 1), (2, 1), (5, 3)]) == 5)
    #expect(median([(7, 0), (3, 0.25), (9, 0)]) == 3)
    // The lower one of two.
    #expect(median([(1, 1), (2, 1)]) == 1)
  }

  @Test func nothingHasNoWeightedMedian() {
    #expect(weightedMedian([]) == nil)
    #expect(weightedMedian([(value: 1, weight: 0)]) == nil)
  }
}
