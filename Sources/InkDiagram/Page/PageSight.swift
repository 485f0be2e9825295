import Foundation
import InkNetwork
import InkRaster
import InkRecognizer
import ParallelLoops

/// What the network sees on the page of a picture, whatever strokes are traced in it.
package struct PageSight: Sendable {
  let reading: PageReading
  let automaton: PageReading.Automaton
  /// The writing: cells that belong together.
  let marks: [[Int]]

  init(_ reading: PageReading) {
    (self.reading, automaton, marks) = (reading, reading.automaton(), reading.marks)
  }
}

extension PageReading {
  /// Returns how sure the network is of what it sees in a picture after 0 to 3 quarter turns clockwise.
  ///
  /// It learnt upright pages, and doubts what lies. This is the negative mean entropy of the classes of the cells that
  /// are not empty, in nats.
  static func sureness(of picture: Bitmap, with network: PageRecognizer, workers: Int) -> [Double] {
    let side = min(PageNumbers.turnSide, max(picture.width, picture.height))
    let picture = network.picture(of: picture.brightened, longerSide: side)
    @Sendable func seen(quarters: Int, workers: Int) -> (sum: Double, count: Int) {
      let cells = network.recognize(picture.turned(byQuarters: quarters), workers: workers).cells
      var (sum, count) = (0.0, 0)
      for cell in 0..<cells.rows * cells.columns
      where cells.probability(of: PageNumbers.nothing, in: cell) < PageNumbers.emptyCell {
        for index in 0..<cells.classCount {
          let probability = Double(cells.probability(of: index, in: cell))
          if probability > 0 { sum += probability * log(probability) }
        }
        count += 1
      }
      return (sum, count)
    }
    // Two of the same shape follow each other, for which the network is laid out once.
    let pairs = ParallelLoop(workers: workers).map(2) { first, _ in
      [first, first + 2].map { seen(quarters: $0, workers: (workers + 1) / 2) }
    }
    return means([pairs[0][0], pairs[1][0], pairs[0][1], pairs[1][1]])
  }

  /// Returns the mean at each turn; a turn at which there is much less than at others has the least mean of those.
  static func means(_ seen: [(sum: Double, count: Int)]) -> [Double] {
    let most = seen.map(\.count).max()!
    let means = seen.map { 2 * $0.count < most || most == 0 ? nil : $0.sum / Double($0.count) }
    let least = means.compactMap(\.self).min() ?? 0
    return means.map { $0 ?? least }
  }
}
