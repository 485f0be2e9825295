import Foundation
import InkNetwork
import InkRecognizer
import JSONReading

/// The networks that judge the lines and the heads of a page by a few measures, fitted by models/train/fit-arrows.py to
/// composed pages in the handwriting of people whom the page network saw.
struct PageArrowNetworks: Sendable, Decodable {
  /// From what is known of a line, and what is left to it, to the logarithm of the odds that it is an arrow
  /// (``PageArrowOdds``).
  let arrow: Perceptron
  /// The same for a shortest path along what chosen lines leave (``PageShortestPaths``).
  let shortestPath: Perceptron
  /// From what is known of a line with one end at a state to the logarithm of the odds that it marks the initial state,
  /// where those of no marker are 1 (``PageArrowSearch/initialArrows(among:automata:)``).
  let initialLine: Perceptron
  /// The same for a head without a line.
  let initialHead: Perceptron
  /// The weights of the heads of a line with which it leads forwards, and both ways, each with its offset first.
  private let direction: [[Double]]

  /// The number of measures of the heads of a line.
  private static let headMeasureCount = 13

  /// Reads the networks that come with this package.
  ///
  /// - Throws: `ModelError` if their file is missing or damaged.
  static func released() throws(ModelError) -> PageArrowNetworks {
    try read(ModuleResources(module: "InkDiagram").path(of: "arrows.json"))
  }

  /// Reads networks from JSON.
  ///
  /// - Throws: `ModelError` if the file is none of such networks.
  static func read(_ path: String) throws(ModelError) -> PageArrowNetworks {
    let networks: Self
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      // The decoder takes 6 ms at the start of a program, and explains what is wrong.
      networks = try Self(plain: data) ?? Self(strictJSON: data, name: path)
    } catch {
      throw ModelError(json: error, path: path)
    }
    for (field, network, count) in [
      ("arrow", networks.arrow, 28), ("shortestPath", networks.shortestPath, 32),
      ("initialLine", networks.initialLine, 38), ("initialHead", networks.initialHead, 13),
    ] where !network.takes(count) {
      throw ModelError(
        path: path, field: field, expected: "weights of \(count) measures and one answer",
        found: "others (models/train/fit-arrows.py fits them)")
    }
    guard networks.direction.map(\.count) == [headMeasureCount + 1, headMeasureCount + 1] else {
      throw ModelError(
        path: path, field: "direction",
        expected: "two rows of weights of \(headMeasureCount) measures",
        found: "others (models/train/fit-arrows.py fits them)")
    }
    return networks
  }

  /// Reads plain JSON; `nil` if it is other JSON, or none of such networks.
  private init?(plain data: Data) {
    var names: [String] = []
    var matrices: [String: [[Double]]] = [:]
    func read(_ cursor: inout JSONCursor, _ name: String) -> Bool {
      guard matrices[name] == nil else { return false }
      var rows: [[Double]] = []
      let isRead: Void? = cursor.list { cursor in
        rows.append([])
        return cursor.list { cursor in
          guard let number = cursor.number() else { return false }
          rows[rows.count - 1].append(number)
          return true
        } != nil
      }
      matrices[name] = rows
      return isRead != nil
    }
    let isPlain = data.withUnsafeBytes { bytes in
      var cursor = JSONCursor(bytes)
      let isRead: Void? = cursor.object { cursor, name in
        names.append(name)
        return name == "direction"
          ? read(&cursor, name) : cursor.object { read(&$0, "\(name).\($1)") } != nil
      }
      return isRead != nil && cursor.isAtEnd()
    }
    func network(_ name: String) -> Perceptron? {
      guard let hidden = matrices["\(name).hidden"], let output = matrices["\(name).output"]
      else { return nil }
      return Perceptron(hidden: hidden, output: output)
    }
    // Four networks of two matrices each, and the directions.
    guard isPlain, names.count == 5, matrices.count == 9, let arrow = network("arrow"),
      let shortestPath = network("shortestPath"), let initialLine = network("initialLine"),
      let initialHead = network("initialHead"), let direction = matrices["direction"]
    else { return nil }
    (self.arrow, self.shortestPath) = (arrow, shortestPath)
    (self.initialLine, self.initialHead, self.direction) = (initialLine, initialHead, direction)
  }

  /// Returns the odds, as logarithms with one offset, that a line between states leads from its first to its last
  /// place, back, and both ways, if these heads are its own.
  func directions(_ heads: PageHeads) -> (forward: Double, backward: Double, both: Double) {
    func answers(_ heads: PageHeads) -> [Double] {
      let values = PageArrowOdds.values(of: heads)
      return direction.map { Perceptron.sum($0, values) }
    }
    let (there, back) = (answers(heads), answers(heads.turned))
    return (there[0], back[0], there[1] + back[1])
  }
}
