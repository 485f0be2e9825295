import Foundation
import Ink
import InkDatasets
import InkDiagram
import InkImageIO
import InkRaster
import InkRecognizer
import ParallelLoops
import SafeFiles
import SeededRandom

/// A fit of the numbers with which pages are decoded, on pages whose automata are known.
///
/// One number after the other is made larger, or else smaller (coordinate search), in a random order that is always the same, with
/// steps that become smaller. A change stays if it is better over all pages together and on neither half of them worse, so that it
/// is no chance of a few. Every fifth page is held out, to measure the result. Numbers keep their signs.
package struct DecodingCalibration {
  /// How well pages are decoded that are not held out.
  private struct Quality: Equatable {
    /// The number of pages whose structure is right.
    var right = 0
    /// What the pages of each half count: 1 without mistakes, and less with each one.
    var credits = [0.0, 0.0]

    var sum: Double { credits.reduce(0, +) }
  }

  /// A number that was changed.
  package struct Change {
    /// Its name.
    package let name: String
    /// Its value before and now.
    package let before, now: Double
  }

  /// The pages whose structure is right.
  package struct Right {
    /// The number of pages.
    package let count: Int
    /// How many of them were right before, and are now.
    package let before, now: Int
  }

  /// The pages of the fit, and those that were held out.
  package let fitted, heldOut: Right
  /// The numbers that differ from those before, by name.
  package var changes: [Change] {
    let (old, new) = (first.byName, decoding.byName)
    return old.keys.sorted().filter { old[$0] != new[$0] }
      .map { Change(name: $0, before: old[$0]!, now: new[$0]!) }
  }

  private let first: PageDecoding
  private let decoding: PageDecoding

  /// The steps by which a number is changed, as shares of it.
  private static let steps = [0.3, 0.12]
  /// The states of a page, at most: larger pages take many times as long, and few people draw them.
  private static let mostStates = 16
  /// The number of mistakes with which a page counts 1/e.
  private static let patience = 2.0

  /// Fits the numbers of `network`.
  ///
  /// - Parameters:
  ///   - folders: Folders with pictures and truth.json, in which the places of states are known.
  ///   - chosen: The names of the numbers to fit; empty for all of them.
  ///   - looked: Called with the number of pages that were looked at, of how many.
  ///   - tried: Called with the number of numbers that were tried, of how many.
  /// - Throws: A typed error if a folder has no such truth, or a picture cannot be read.
  package init(
    of network: PageNetwork, on folders: [String], only chosen: [String] = [], workers: Int,
    looked: (_ done: Int, _ all: Int) -> Void,
    tried: (_ done: Int, _ all: Int) -> Void
  ) throws {
    let examples = try Self.examples(in: folders, with: network, workers: workers, looked: looked)
    let heldOut = examples.indices.filter { $0 % 5 == 4 }
    let halves = [[0, 2], [1, 3]].map { places in
      examples.indices.filter { places.contains($0 % 5) }
    }
    let loop = ParallelLoop(workers: workers)
    func mistakes(_ pages: [Int], _ decoding: PageDecoding) -> [Int] {
      loop.map(pages.count) { number, _ in examples[pages[number]].mistakes(with: decoding) }
    }
    /// Returns the quality, or `nil` if a half is worse than that of `least`.
    func quality(_ decoding: PageDecoding, noHalfWorseThan least: Quality) -> Quality? {
      var quality = Quality()
      for (half, pages) in halves.enumerated() {
        for count in mistakes(pages, decoding) {
          quality.credits[half] += exp(-Double(count) / Self.patience)
          if count == 0 { quality.right += 1 }
        }
        // Most changes are worse on the first half already.
        if quality.credits[half] < least.credits[half] { return nil }
      }
      return quality
    }
    first = network.decoding
    var best = first
    let before = quality(best, noHalfWorseThan: Quality())!
    var now = before
    var generator = SeededGenerator(seed: 1)
    let names = chosen.isEmpty ? best.byName.keys.sorted() : chosen
    for (round, step) in Self.steps.enumerated() {
      for (place, number) in generator.permutation(names.count).enumerated() {
        let name = names[number]
        for factor in [1 + step, 1 / (1 + step)] {
          let earlier = now
          // In one direction as long as it is better.
          while true {
            let value = best.byName[name]! * factor
            guard let other = PageDecoding(byName: best.byName.merging([name: value]) { $1 }),
              let better = quality(other, noHalfWorseThan: now), better.sum > now.sum
            else {
              break
            }
            (best, now) = (other, better)
          }
          if now != earlier { break }
        }
        tried(round * names.count + place + 1, Self.steps.count * names.count)
      }
    }
    decoding = best
    self.fitted = Right(
      count: halves.joined().count, before: before.right, now: now.right)
    func right(_ decoding: PageDecoding) -> Int { mistakes(heldOut, decoding).count { $0 == 0 } }
    self.heldOut = Right(count: heldOut.count, before: right(first), now: right(best))
  }

  /// Looks at all pages with a usual number of states.
  private static func examples(
    in folders: [String], with network: PageNetwork, workers: Int,
    looked: (_ done: Int, _ all: Int) -> Void
  ) throws -> [PageExample] {
    let pages = try folders.flatMap { folder in
      try PageTruth.read(folder: folder).filter { $1.states.count <= mostStates }
        .sorted { $0.key < $1.key }.map { (folder, $0.key, $0.value) }
    }
    guard pages.count >= 5 else {
      throw FileError(
        path: folders.joined(separator: ", "),
        expected: "at least five pages with at most \(mostStates) states", found: "\(pages.count)")
    }
    if let (folder, name, _) = pages.first(where: { $0.2.places == nil }) {
      throw FileError(
        path: "\(FileTree.join(folder, PageTruth.fileName)), \(name)",
        expected: "the places of the states, as `inkstate dataset compose pages` writes them",
        found: "none")
    }
    return try pages.enumerated().map { number, page in
      let (folder, name, truth) = page
      let picture = try Bitmap.read(path: PageTruth.path(of: name, in: folder))
      let example = PageExample(
        picture, truth: truth, places: truth.places!, with: network, workers: workers)
      looked(number + 1, pages.count)
      return example
    }
  }

  /// Stores the numbers in a model.
  package func store(in model: inout Model) {
    model.decision.decoding = decoding.byName
  }
}

extension PageExample {
  /// Looks at a page whose automaton and the places of whose states are known.
  fileprivate init(
    _ picture: Bitmap, truth: PageTruth, places: [[Double]], with network: PageNetwork, workers: Int
  ) {
    let numbers = Dictionary(uniqueKeysWithValues: truth.states.enumerated().map { ($1, $0) })
    let states = zip(truth.states, places).map { name, place in
      State(
        center: Vector(place[0], place[1]), half: Vector(place[2], place[3]),
        isFinal: truth.final.contains(name))
    }
    let arrows =
      truth.transitions.map { Arrow(from: numbers[$0[0]], to: numbers[$0[1]]!) }
      + truth.initial.map { Arrow(from: nil, to: numbers[$0]!) }
    self.init(picture, states: states, arrows: Set(arrows), with: network, workers: workers)
  }
}
