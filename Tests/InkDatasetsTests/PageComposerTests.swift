import Ink
import InkImageIO
import Testing

@testable import InkDatasets

@Suite(.timeLimit(.minutes(30))) struct PageComposerTests {
  private static let writers = PageWriter.synthetic(count: 4, seed: 2)
  private static let shapes = PageShapes.all(
    in: Dataset(
      Synthesizer(seed: 2).recordings(writers: 3, perClass: 8).map {
        Example($0, label: $0.label!, origin: "test")
      }))

  private func composer(_ variety: PageVariety = PageVariety(), seed: UInt64 = 5) -> PageComposer {
    PageComposer(seed: seed, variety: variety, writers: Self.writers, shapes: Self.shapes)
  }

  /// The number of pages with which everything occurs.
  private static let many = 600
  private static let drawn: [[Double]] = {
    let composer = PageComposer(
      seed: 1, width: 128, height: 128, writers: writers, shapes: shapes)
    var all = [[Double]](repeating: [], count: PageTrait.allCases.count)
    for index in 0..<many {
      let picture = composer.picture(index)
      for trait in all.indices {
        all[trait] += picture.page.drawn[trait] + picture.drawn[trait]
      }
    }
    return all
  }()

  @Test(arguments: PageTrait.allCases) func everyRowOccurs(trait: PageTrait) {
    let values = Self.drawn[trait.rawValue]
    switch trait.people {
    case .range(let range, _, _):
      let width = range.upperBound - range.lowerBound
      #expect(values.allSatisfy(range.contains))
      #expect(values.min() ?? .infinity < range.lowerBound + 0.15 * width)
      #expect(values.max() ?? -.infinity > range.upperBound - 0.15 * width)
    case .chance: #expect(Set(values) == [0, 1])
    case .choice(let weights):
      #expect(Set(values) == Set(weights.indices.map(Double.init)))
      #expect(trait.choiceNames?.count == weights.count)
    }
  }

  @Test func rowsAreShownAtTheirEnds() {
    for trait in PageTrait.allCases {
      for values in trait.people.ends {
        let picture = composer(.showing(trait, values)).picture(trait.rawValue)
        let drawn = Set(
          picture.page.drawn[trait.rawValue] + picture.drawn[trait.rawValue])
        // One end, where the trait was asked for at all.
        #expect(drawn.count <= 1, "\(trait.name)")
      }
    }
  }

  @Test func theSeedDecidesEverything() {
    let (one, same, other) = (composer(), composer(), composer(seed: 6))
    for index in [7, 0, 3] {
      let (a, b) = (one.picture(index), same.picture(index))
      #expect(a.photograph == b.photograph && a.mask == b.mask && a.page == b.page)
      #expect(a.photograph != other.picture(index).photograph)
    }
  }

  @Test func writingOfAPageIsOfOneWriter() {
    let names = Set(Self.writers.map(\.name))
    let used = Set((0..<40).map { composer().page($0).writer })
    #expect(used == names)
  }

  // MARK: Truth

  /// Pages on which all ink is part of an automaton or writing, well seen.
  private func plain(tilt: Double = 0, turn: Double = 0) -> PageVariety {
    var variety = PageVariety.showing(.stateCount, .range(4...6, usual: 4...6, share: 1))
    for trait in [
      PageTrait.title, .numbering, .table, .crossedOut, .remarkArrow, .filledState, .holes, .spiral,
      .marginLine, .shadow, .reflection, .compressed,
    ] {
      variety[trait] = .chance(0)
    }
    func fix(_ trait: PageTrait, _ value: Double) {
      variety[trait] = .range(value...value, usual: value...value, share: 1)
    }
    fix(.remarks, 0)
    fix(.blur, 0)
    fix(.noise, 0)
    fix(.dimmestLight, 1)
    fix(.tilt, tilt)
    fix(.turn, turn)
    variety[.paperLines] = .choice([1, 0, 0, 0])
    return variety
  }

  @Test func statesAreReached() {
    /// The states to which no arrow from another one leads, besides one of each page.
    func unreached(_ chance: Double) -> Int {
      var variety = plain()
      variety[.allReached] = .chance(chance)
      variety[.otherAutomaton] = .chance(0)
      let composer = composer(variety)
      return (0..<100).reduce(0) { sum, index in
        let page = composer.picture(index).page
        let count = page.states.indices.count { state in
          !page.arrows.contains {
            $0.to == state && $0.from != nil && $0.from != state
              || $0.hasTwoHeads && $0.from == state
          }
        }
        return sum + max(0, count - 1)
      }
    }
    let (always, never) = (unreached(1), unreached(0))
    #expect(always <= 1 && never >= 25, "\(always), \(never)")
  }

  @Test(arguments: [(0.0, 0.0), (25, 0), (10, 140)])
  func theMaskIsWhereTheInkIs(tilt: Double, turn: Double) {
    let composer = composer(plain(tilt: tilt, turn: turn))
    var (dark, darkInMask, cells, cellsWithInk) = (0, 0, 0, 0)
    for index in 0..<12 {
      let picture = composer.picture(index)
      let (photograph, mask) = (picture.photograph, picture.mask)
      let paper = photograph.samples.max()!
      func isDark(_ row: Int, _ column: Int) -> Bool {
        row >= 0 && column >= 0 && row < photograph.height && column < photograph.width
          && Int(photograph.samples[row * photograph.width + column]) < Int(paper) * 6 / 10
      }
      for row in 0..<photograph.height {
        for column in 0..<photograph.width where isDark(row, column) {
          dark += 1
          if mask[row / 2, column / 2] != 0 { darkInMask += 1 }
        }
      }
      for row in 0..<mask.height {
        for column in 0..<mask.width where mask[row, column] != 0 {
          cells += 1
          let isInk = (-2...3).contains { down in
            (-2...3).contains { isDark(2 * row + down, 2 * column + $0) }
          }
          if isInk { cellsWithInk += 1 }
        }
      }
    }
    #expect(dark > 10_000)
    #expect(Double(darkInMask) > 0.99 * Double(dark))
    #expect(Double(cellsWithInk) > 0.97 * Double(cells))
  }

  @Test func ringsLieAroundTheirStates() {
    let composer = composer(plain(tilt: 12, turn: 30))
    for index in 0..<20 {
      let page = composer.picture(index).page
      for (number, state) in page.states.enumerated() {
        let rings = page.strokes.filter {
          $0.pageClass == .ring && $0.element == .state(number)
        }
        #expect(rings.count >= (state.isFinal ? 2 : 1))
        let outer = rings[0].path
        let distances = outer.map { place -> Double in
          let way = (place - state.center).turned(by: -state.angle)
          return Vector(way.x / state.halfWidth, way.y / state.halfHeight).length
        }
        // 1 on an ellipse, and up to √2 in the corners of a box.
        #expect(distances.allSatisfy { (0.7...1.6).contains($0) }, "page \(index)")
      }
    }
  }

  @Test func tipsAreAtTheTargetsAndHeadsAtTheTips() {
    let composer = composer(plain())
    var heads = 0
    for index in 0..<20 {
      let page = composer.page(index)
      for (number, arrow) in page.arrows.enumerated() {
        let target = page.states[arrow.to]
        let reach = max(target.halfWidth, target.halfHeight)
        let radius = (target.halfWidth * target.halfHeight).squareRoot()
        #expect(arrow.tip.distance(to: target.center) < 1.5 * reach + 3 * radius)
        for stroke in page.strokes where stroke.element == .arrow(number) {
          switch stroke.pageClass {
          case .head:
            heads += 1
            let ends = arrow.hasTwoHeads ? [arrow.tip, arrow.path[0]] : [arrow.tip]
            let nearest = stroke.path.flatMap { place in ends.map(place.distance) }.min()!
            #expect(nearest < 0.6 * radius + 6, "page \(index)")
          case .line:
            // The points lead towards the tip.
            let (first, last) = (stroke.path[0], stroke.path[stroke.path.count - 1])
            let place = { (point: Vector) in
              arrow.path.indices.min {
                arrow.path[$0].distance(to: point) < arrow.path[$1].distance(to: point)
              }!
            }
            #expect(place(first) <= place(last), "page \(index)")
          default: break
          }
        }
      }
    }
    #expect(heads > 50)
  }

  @Test func crossedOutStatesAreNothing() {
    var variety = plain()
    variety[.crossedOut] = .chance(1)
    let page = (0..<20).map { composer(variety).page($0) }.first { page in
      page.strokes.contains { $0.pageClass == .nothing }
    }
    #expect(page?.strokes.contains { $0.pageClass == .nothing && $0.element == .none } == true)
  }
}
