import Foundation
import Ink
import Testing

@testable import InkDatasets

@Suite struct PageFieldsTests {
  private static let composer = PageComposer(
    seed: 3, width: 256, height: 256, writers: PageWriter.synthetic(count: 2, seed: 2))
  private static let pictures = (0..<24).map { composer.picture($0) }

  /// The values of a group at a cell, or `nil` if they are not known.
  private func values(_ fields: SegmentationFields, group: Int, at index: Int) -> [Float]? {
    let names = fields.names
    guard fields.known[index * names.groups.count + group] == 1 else { return nil }
    let start = names.groups[..<group].reduce(0) { $0 + $1.fields.count }
    let first = index * names.count + start
    return Array(fields.values[first..<first + names.groups[group].fields.count])
  }

  private func place(_ index: Int, _ mask: SegmentationMask) -> Vector {
    Vector(2 * Double(index % mask.width) + 1, 2 * Double(index / mask.width) + 1)
  }

  /// The half sides of the upright frame of a state, measured at places on its rim.
  private func halfSides(of state: Page.State) -> [Double] {
    let rim = (0..<720).map { step in
      let angle = 2 * .pi * Double(step) / 720
      return Vector(cos(angle) * state.halfWidth, sin(angle) * state.halfHeight)
        .turned(by: state.angle)
    }
    return [rim.map { abs($0.x) }.max()!, rim.map { abs($0.y) }.max()!]
  }

  @Test func statesHaveTheirCentreAndSize() {
    var (known, rings, long) = (0, 0, 0)
    for picture in Self.pictures {
      let halfSides = picture.page.states.map(halfSides)
      for index in picture.mask.classes.indices {
        let own = values(picture.fields, group: 0, at: index)
        if picture.mask.classes[index] == PageClass.ring.rawValue {
          rings += 1
          #expect(own != nil)
        }
        guard let own else { continue }
        known += 1
        let center =
          place(index, picture.mask) + Vector(Double(own[0]), Double(own[1]))
          * SegmentationFieldNames.pageUnit
        let states = picture.page.states
        let number = states.indices.min {
          states[$0].center.distance(to: center) < states[$1].center.distance(to: center)
        }!
        #expect(states[number].center.distance(to: center) < 0.01)
        let stated = own[2...3].map { SegmentationFieldNames.pageUnit * exp(Double($0)) }
        #expect(zip(stated, halfSides[number]).allSatisfy { abs($0 - $1) < 0.01 * $1 })
        if stated.max()! > 1.1 * stated.min()! { long += 1 }
        #expect(picture.page.states.contains { $0.isFinal == (own[4] == 1) })
      }
    }
    #expect(rings > 1000 && known > 2 * rings && long > 1000)
  }

  @Test func linesAndHeadsLeadToTheTip() {
    var (cells, heads, ahead) = (0, 0, 0)
    for picture in Self.pictures {
      for index in picture.mask.classes.indices {
        let one = picture.mask.classes[index]
        guard let towards = values(picture.fields, group: 1, at: index) else {
          #expect(one != PageClass.head.rawValue)
          continue
        }
        cells += 1
        let way = Vector(Double(towards[0]), Double(towards[1]))
        #expect(abs(way.length - 1) < 1e-4)
        #expect(one == PageClass.line.rawValue || one == PageClass.head.rawValue)
        guard one == PageClass.head.rawValue else { continue }
        // A head points from its wings to the tip of an arrow nearby.
        heads += 1
        let here = place(index, picture.mask)
        let tips = picture.page.arrows.flatMap { $0.hasTwoHeads ? [$0.tip, $0.path[0]] : [$0.tip] }
        let tip = tips.min { $0.distance(to: here) < $1.distance(to: here) }!
        if (tip - here).dot(way) > -3 { ahead += 1 }
      }
    }
    #expect(heads > 100 && cells > 1000)
    #expect(Double(ahead) > 0.95 * Double(heads))
  }

  @Test func unknownCellsHaveNoValues() {
    for picture in Self.pictures {
      let groups = picture.fields.names.groups.count
      let count = picture.fields.names.count
      for index in picture.mask.classes.indices
      where (0..<groups).allSatisfy({ picture.fields.known[index * groups + $0] == 0 }) {
        #expect(picture.fields.values[index * count..<(index + 1) * count].allSatisfy { $0 == 0 })
      }
    }
  }
}

@Suite struct PageTruthTests {
  private func state(_ x: Double, isInitial: Bool = false, isFinal: Bool = false) -> Page.State {
    Page.State(
      center: Vector(x, 60), halfWidth: 20, halfHeight: 20, angle: 0, isFinal: isFinal,
      isInitial: isInitial)
  }

  private var page: Page {
    var page = Page(width: 300, height: 120, writer: "w")
    page.states = [state(60, isInitial: true), state(200, isFinal: true)]
    page.note("q0", strokeCount: 0, at: .state(0))
    page.note("1", strokeCount: 0, at: .state(0))
    page.arrows = [
      .init(from: nil, to: 0, path: [Vector(10, 60), Vector(38, 60)], hasTwoHeads: false),
      .init(from: 0, to: 1, path: [Vector(82, 60), Vector(178, 60)], hasTwoHeads: true),
    ]
    page.note("a,b", strokeCount: 0, at: .arrow(1))
    page.note("c", strokeCount: 0, at: .arrow(1))
    page.note("start", strokeCount: 0, at: .arrow(0))
    return page
  }

  @Test func hasStatesAndBothWaysOfTwoHeads() throws {
    let truth = try #require(PageTruth(page))
    #expect(truth.states == ["0", "1"] && truth.initial == ["0"] && truth.final == ["1"])
    #expect(truth.transitions == [["0", "1", "a,b,c"], ["1", "0", "a,b,c"]])
    #expect(truth.names == ["q0 1", ""])
    #expect(truth.places == [[60, 60, 20, 20], [200, 60, 20, 20]])
    let lines = try #require(truth.lines)
    #expect(lines.map(\.from) == [nil, "0"] && lines.map(\.to) == ["0", "1"])
    #expect(lines.map(\.hasTwoHeads) == [false, true])
    #expect(lines.map(\.path) == [[[10, 60], [38, 60]], [[82, 60], [178, 60]]])
  }

  @Test func anEnlargedPageHasItsTruthInPixelsOfThePhotograph() throws {
    func composer(_ enlargement: Double) -> PageComposer {
      var variety = PageVariety()
      variety[.tilt] = .range(0...0, usual: 0...0, share: 1)
      return PageComposer(
        seed: 5, width: 160, height: 96, variety: variety, enlargement: enlargement,
        writers: PageWriter.synthetic(count: 1, seed: 2))
    }
    for number in 0..<4 {
      let (page, large) = (composer(1).picture(number), composer(2.5).picture(number))
      #expect((large.photograph.width, large.photograph.height) == (400, 240))
      #expect((large.mask, large.fields) == (page.mask, page.fields))
      let (small, places) = (PageTruth(whole: page.page), PageTruth(whole: large.page).places!)
      #expect(places == small.places!.map { $0.map { 2.5 * $0 } })
      #expect(PageTruth(whole: large.page).turned == small.turned)
    }
  }

  @Test func theTruthHasTheTurnThatIsSeen() {
    var variety = PageVariety()
    variety[.turn] = .range(20...20, usual: 20...20, share: 1)
    // A tablet, which is not turned by hand.
    variety[.surface] = .choice([0, 0, 0, 0, 0, 1, 0, 0])
    let composer = PageComposer(
      seed: 5, width: 160, height: 96, variety: variety,
      writers: PageWriter.synthetic(count: 1, seed: 2))
    for number in 0..<4 {
      let turned = PageTruth(whole: composer.picture(number).page).turned!
      #expect(turned.truncatingRemainder(dividingBy: 90) == 0)
      #expect(PageDrawing(composer.page(number), named: "a.png").truth.turned == 0)
    }
  }

  @Test func theTruthHasTheTextsOfPages() {
    let composer = PageComposer(
      seed: 9, width: 384, height: 384, writers: PageWriter.synthetic(count: 2, seed: 2))
    let truths = (0..<40).map { PageTruth(whole: composer.page($0)) }
    #expect(truths.contains { $0.names!.contains { !$0.isEmpty } })
    #expect(truths.contains { $0.transitions.contains { !$0[2].isEmpty } })
    #expect(truths.allSatisfy { $0.names!.allSatisfy { !$0.contains("\n") } })
    // Words in rows are one symbol; other rows are one each.
    #expect(PageTruth.symbols(inRows: "north\nApproach of") == ["north Approach of"])
    #expect(PageTruth.symbols(inRows: "w\na") == ["w", "a"])
    #expect(PageTruth.symbols(inRows: "001\n011") == ["001", "011"])
    #expect(PageTruth.symbols(inRows: "").isEmpty)
  }

  @Test func theTruthHasTheStrokesOfTexts() throws {
    var composer = PageComposer(
      seed: 9, width: 384, height: 384, variety: .legible,
      writers: PageWriter.synthetic(count: 2, seed: 2))
    composer.variety[.tilt] = .range(10...10, usual: 10...10, share: 1)
    for number in 0..<20 {
      let page = composer.picture(number).page
      let truth = PageTruth(whole: page)
      #expect(truth.writer == page.writer)
      let writing = truth.writing ?? []
      let named = page.states.map(\.name) + page.arrows.map(\.symbols)
      #expect(writing.isEmpty == named.allSatisfy(\.isEmpty))
      #expect(writing.allSatisfy { text in named.contains { $0.contains(text.text) } })
      // They are where the writing of the page is.
      let written = page.strokes.filter { $0.pageClass == .writing && $0.element != .none }
      let places = Set(
        written.map { $0.path.map { [($0.x * 10).rounded() / 10, ($0.y * 10).rounded() / 10] } })
      #expect(writing.allSatisfy { !$0.strokes.isEmpty && $0.strokes.allSatisfy(places.contains) })
    }
    #expect(PageDrawing(composer.page(0), named: "a.png").truth.writing == nil)
  }

  @Test(arguments: [
    ("a, b", "a,b"), ("two  words", "two words"), ("x, y → z0 / q 1", "x,y→z0/q 1"), (" ", ""),
  ])
  func labelsHaveSpacesBetweenWordsOnly(text: String, label: String) throws {
    let json = Data(#"{"text": "\#(text)", "strokes": []}"#.utf8)
    #expect(try JSONDecoder().decode(PageTruth.Writing.self, from: json).label == label)
  }

  @Test func aDrawingSaysWhatEachStrokeIs() throws {
    var page = page
    page.strokes = [PageClass.ring, .writing, .head].enumerated().map { number, pageClass in
      Page.Stroke(
        path: [Vector(1, 2), Vector(3.456, Double(number))], pageClass: pageClass, element: .none,
        width: 2, strength: 1)
    }
    let line = try JSONEncoder().encode(PageDrawing(page, named: "7.png"))
    let recording = try #require(
      try NDJSON.item(line, at: Place(file: "x"))?.result.get())
    #expect(recording.drawing.strokes.map { $0.points.last! }.map(\.x) == [3.46, 3.46, 3.46])
    #expect(recording.drawing.strokes.map { $0.points.last!.y } == [0, 1, 2])
    #expect(recording.writer == "w")
    let json = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
    #expect(json["page"] as? String == "7.png")
    #expect(json["roles"] as? [String] == ["ring", "text", "head"])
    #expect((json["truth"] as? [String: Any])?["states"] as? [String] == ["0", "1"])
  }

  @Test func whatIsCutOffHasNoTruth() {
    var cut = page
    cut.states[1].center = Vector(290, 60)
    #expect(PageTruth(cut) == nil)
    cut = page
    cut.arrows[0].path[0] = Vector(-5, 60)
    #expect(PageTruth(cut) == nil)
  }
}
