import Foundation
import Ink
import InkRaster
import InkReader
import Testing

@testable import InkDiagram

@Suite struct LabelReaderTests {
  private func reader() throws -> LabelReader {
    LabelReader(reader: try Reader.released(), vocabulary: [], alphabet: [], workers: 2)
  }

  private func texts(_ scores: KeyValuePairs<String, Double>) -> [ScoredText] {
    scores.map { ScoredText(text: $0.key, score: $0.value) }
  }

  private func best(_ lists: [[ScoredText]]) -> [String?] { lists.map { $0.first?.text } }

  @Test func namesOfADrawingHaveOutputsOrNone() throws {
    let doubtful = texts(["q01": -0.5, "q0/1": -1.5])
    let outputs = [doubtful, texts(["q1/0": -0.2]), texts(["q2/0": -0.2]), texts(["q3/1": -0.2])]
    #expect(best(try reader().agreed(names: outputs)).first == "q0/1")
    let plain = [
      texts(["q0/1": -0.5, "q01": -1.5]), texts(["q1": -0.2]), texts(["q2": -0.2]),
      texts(["q3": -0.2]),
    ]
    #expect(best(try reader().agreed(names: plain)).first == "q01")
  }

  @Test func statesAreNumberedOneAfterTheOther() throws {
    let others = ["q0", "q1", "q2"].map { texts([$0: -0.1]) }
    #expect(
      best(try reader().agreed(names: [texts(["q4": -0.5, "q3": -1.5])] + others)).first == "q3")
    #expect(
      best(try reader().agreed(names: [texts(["q4": -0.1, "q3": -7])] + others)).first == "q4")
    // The readings of one state do not make each other likelier.
    let doubtful = texts(["q4": -0.1, "q5": -0.1, "q3": -2.4])
    #expect(best(try reader().agreed(names: [doubtful] + others)).first == "q3")
    // 10 is a number among numbers, beside 9, although it could be bits.
    let numbers = (1...9).map { texts(["\($0)": -0.1]) }
    #expect(
      best(
        try reader().agreed(names: numbers + [texts(["10": -0.1]), texts(["12": -0.1, "11": -1])])
      )
      .last == "11")
  }

  @Test func twoStatesRarelyHaveOneName() throws {
    let others = ["q0", "q1", "q2"].map { texts([$0: -0.1]) }
    #expect(
      best(try reader().agreed(names: [texts(["q1": -0.1, "q3": -4])] + others)).first == "q3")
    #expect(
      best(try reader().agreed(names: [texts(["q1": -0.1, "q3": -6])] + others)).first == "q1")
  }

  @Test func namesFarAfterTheLastStateAreRare() throws {
    let others = ["q0", "q1"].map { texts([$0: -0.1]) }
    #expect(
      best(try reader().agreed(names: [texts(["q9": -0.5, "q2": -3])] + others)).first == "q2")
    let letters = ["A", "B"].map { texts([$0: -0.1]) }
    #expect(
      best(try reader().agreed(names: [texts(["Z": -0.5, "C": -1.2])] + letters)).first == "C")
  }

  @Test func mostStatesAreNumberedFromZero() throws {
    let others = ["q1", "q2", "q3", "q4"].map { texts([$0: -0.1]) }
    #expect(
      best(try reader().agreed(names: [texts(["q5": -0.5, "q0": -1])] + others)).first == "q0")
    // Names that a drawing continues are no later than the states of the whole drawing.
    let second = [texts(["q3": -0.1]), texts(["q4": -0.1]), texts(["q5": -0.3, "q2": -1.5])]
    #expect(best(try reader().agreed(names: second, among: 6)).last == "q5")
  }

  @Test func binaryNamesHaveOneLengthAndAreEnough() throws {
    let others = ["010", "001", "000", "011"].map {
      texts([$0: -0.3, String($0.dropLast()): -0.9])
    }
    let doubtful = texts(["10": -0.3, "100": -2])
    // Five states have no room in two bits.
    #expect(best(try reader().agreed(names: [doubtful] + others)).first == "100")
    let twoBits = ["00", "01", "11"].map { texts([$0: -0.1]) }
    #expect(best(try reader().agreed(names: [doubtful] + twoBits)).first == "10")
  }

  @Test func inputsAndOutputsRepeatApart() throws {
    let doubtful = texts(["6/1": -0.5, "b/1": -1.2])
    let others = [texts(["a/1": -0.1]), texts(["b/0": -0.1]), texts(["a/0": -0.1])]
    #expect(best(try reader().agreed(symbols: [doubtful] + others)).first == "b/1")
    // Two inputs with one output are no symbol twice.
    let list = [
      texts(["0/1,1/1": -0.5, "0/1,1": -0.6]), texts(["0/1": -0.1]), texts(["1/1": -0.1]),
      texts(["1/0": -0.1]),
    ]
    #expect(best(try reader().agreed(symbols: list)).first == "0/1,1/1")
  }

  @Test func labelsThatAllLookLikeLettersAreDigits() throws {
    let one = texts(["l": -0.7, "1": -0.7])
    let zero = texts(["0": -0.5, "o": -1])
    let agreed = try reader().agreed(symbols: [one, zero, one, zero, one])
    #expect(best(agreed) == ["1", "0", "1", "0", "1"])
    #expect(try #require(agreed[0].first).score > 0.8)
    // More labels of that kind make it no less certain.
    let many = try reader().agreed(
      symbols: (0..<12).flatMap { _ in [texts(["l": -0.5, "1": -0.9]), texts(["0": -0.1])] })
    #expect(try #require(many[0].first).text == "1" && many[0][0].score > 0.8)
  }

  @Test func labelsOfADrawingHaveOutputsOrNone() throws {
    let doubtful = texts(["d": -0.5, "0/1": -4])
    let outputs = ["0/0", "1/0", "1/1", "0/0"].map { texts([$0: -0.2]) }
    #expect(best(try reader().agreed(symbols: [doubtful] + outputs)).first == "0/1")
    let plain = ["a", "b", "a", "b"].map { texts([$0: -0.2]) }
    let stray = texts(["a/b": -0.5, "d": -7])
    #expect(best(try reader().agreed(symbols: [stray] + plain)).first == "d")
    // An output that no other label has is as likely as a symbol that none has.
    let other = texts(["0/1": -1.6, "0": -2.3, "0/0": -6])
    let zeros = ["1/0", "0/0", "1/0", "0/0", "1/0", "0/0"].map { texts([$0: -0.2]) }
    #expect(best(try reader().agreed(symbols: [other] + zeros)).first == "0/1")
    // A label may lack its output.
    let without = texts(["1": -0.1, "1/0": -6])
    #expect(best(try reader().agreed(symbols: [without] + outputs)).first == "1")
  }

  private func row(
    _ scores: KeyValuePairs<String, Double>, doubtfulOdds: Double? = nil
  ) -> LabelReader.LabelRow {
    LabelReader.LabelRow(texts: texts(scores), doubtfulOdds: doubtfulOdds)
  }

  @Test func furtherRowsAreSymbolsOfTheDrawingOrRemarks() throws {
    let others = ["a", "b", "a", "b"].map { [row([$0: -0.1])] }
    let reader = try reader()
    func isRemark(_ rows: LabelReader.LabelRow...) -> [Bool] {
      reader.areRemarks(in: [rows] + others)[0]
    }
    #expect(isRemark(row(["a": -0.2]), row(["b": -0.2])) == [false, false])
    // Rare symbols can be in a list, and titles cannot.
    #expect(isRemark(row(["a": -0.2]), row(["c": -0.2])) == [false, false])
    #expect(isRemark(row(["automaton": -0.2]), row(["b": -0.2])) == [true, false])
    #expect(isRemark(row(["w": -0.2]), row(["b": -0.2])) == [true, false])
    // A label alone is one, whatever it is.
    #expect(isRemark(row(["automaton": -0.2])) == [false])
    // Where labels are words, a further one is no title.
    let words = ["open", "close", "open", "stop"].map { [row([$0: -0.1])] }
    let rows = [row(["open": -0.2]), row(["reset": -0.2])]
    #expect(reader.areRemarks(in: [rows] + words)[0] == [false, false])
  }

  @Test func aFarRowIsALabelIfOthersAreLikeIt() throws {
    let others = ["0/1", "1/0", "0/0", "1/0"].map { [row([$0: -0.1])] }
    let reader = try reader()
    func isRemark(_ rows: LabelReader.LabelRow...) -> [Bool] {
      reader.areRemarks(in: [rows] + others)[0]
    }
    #expect(isRemark(row(["1/0": -0.2], doubtfulOdds: -2)) == [false])
    #expect(isRemark(row(["5.": -0.2], doubtfulOdds: -2)) == [true])
    #expect(isRemark(row(["0/1": -0.2]), row(["1/0": -0.2], doubtfulOdds: 1)) == [false, true])
    #expect(isRemark(row(["0/1": -0.2]), row(["1/1": -0.2])) == [false, false])
    // It is rather the label than a remark that is nearer.
    #expect(isRemark(row(["5.": -0.2]), row(["1/0": -0.2], doubtfulOdds: 0)) == [true, false])
    #expect(isRemark(row([:], doubtfulOdds: 1)) == [true])
    // What is doubtful and unlike other labels is none, however strange the row at the arrow is.
    #expect(isRemark(row(["open": -0.2]), row(["5.": -0.2], doubtfulOdds: -2)) == [false, true])
    #expect(isRemark(row([:]), row(["5.": -0.2], doubtfulOdds: -2)) == [false, true])
  }

  @Test func signsAreSymbolsBesideWords() throws {
    let doubtful = texts([">": -0.1, "y": -4.3])
    let words = ["letter", "digit", "letter", "space"].map { texts([$0: -0.2]) }
    #expect(best(try reader().agreed(symbols: [doubtful] + words)).first == ">")
    let letters = ["a", "b", "x", "y"].map { texts([$0: -0.2]) }
    #expect(best(try reader().agreed(symbols: [doubtful] + letters)).first == "y")
  }

  @Test func lettersLikeTheirCapitalsAreSmallBesideNoOtherCapitals() throws {
    let fork = [
      Stroke([Point(0, 0), Point(7, 12), Point(15, 25), Point(15, 38), Point(15, 50)]),
      Stroke([Point(30, 0), Point(23, 12), Point(15, 25)]),
    ]
    let line = TextLine(traces: fork.enumerated().compactMap { Trace($1, index: $0) })
    let labelReader = try reader()
    let read = labelReader.texts(names: [], symbols: [line], doubtful: []) { _, _ in
      .ink(Drawing(fork))
    }.symbols[0]
    #expect(read.first?.text == "Y")
    #expect(best(labelReader.agreed(symbols: [read, read, texts(["a": -0.1])])).first == "y")
    let capitals = ["A", "B", "A"].map { texts([$0: -0.1]) }
    #expect(best(labelReader.agreed(symbols: [read] + capitals)).first == "Y")
  }

  @Test(arguments: [
    ("X,l", ["X,1", "x,1", "x,l"]), ("X/1", ["x/1"]), ("X/", ["x/"]), ("O", ["0", "o"]),
    ("E", ["ε"]), ("ε,l", ["ε,1"]), ("K", []), ("A", []),
  ]) func listsLookLikeOthers(text: String, others: [String]) {
    #expect(Set(LabelReader.alike(text, known: ["K"])).subtracting([text]).sorted() == others)
  }

  @Test func fewListsEndWithAComma() {
    let read = texts(["0,1": -3.5, "0,": -0.9])
    #expect(LabelReader.withCostOfOpenLists(read) == texts(["0,1": -3.5, "0,": -3.9]))
  }

  @Test func theDirectionsOfTracedStrokesAreLeftOut() throws {
    let strokes = [
      Stroke(
        (0...20).map {
          let angle = Double($0) * 0.3
          return Point(20 * cos(angle), 25 * sin(angle))
        }), Stroke((0...10).map { Point(40, 5 * Double($0) - 25) }),
    ]
    let line = TextLine(traces: strokes.enumerated().compactMap { Trace($1, index: $0) })
    let labelReader = try reader()
    /// How much the scores of all texts change where the strokes are drawn from their other ends.
    func change(_ writing: @Sendable (Drawing) -> LabelReader.Writing) -> Double {
      let scores = [strokes, strokes.map { $0.reversed() }].map { strokes in
        let texts = labelReader.texts(names: [line], symbols: [], doubtful: []) { _, _ in
          writing(Drawing(strokes))
        }
        return Dictionary(texts.names[0].map { ($0.text, $0.score) }) { first, _ in first }
      }
      return scores[0].reduce(0) { $0 + abs($1.value - (scores[1][$1.key] ?? -100)) }
    }
    #expect(change { .picture(nil, $0) } < 0.1)
    #expect(change { .ink($0) } > 0.5)
  }

  @Test func onlyDoubtfulWritingIsReadInSeveralViews() throws {
    let labelReader = try reader()
    func read(
      _ stroke: Stroke, isPicture: Bool = false
    ) throws -> (texts: [ScoredText], views: [[ScoredText]]) {
      let strokes = Drawing([stroke])
      let strip = try LineRasterizer(height: 64, penWidth: 4).render(strokes).bitmap
      let writing = isPicture ? LabelReader.Writing.picture(strip, strokes) : .ink(strokes)
      let line = TextLine(traces: [Trace(stroke, index: 0)!])
      return (
        labelReader.texts(names: [], symbols: [], doubtful: [line]) { _, _ in writing }.doubtful[0],
        ([.plain] + Reader.otherViews).map { labelReader.symbols(writing, $0) }
      )
    }
    // Two thirds of a ring are like many letters.
    let arc = Stroke(
      (0...20).map { Point(10 * cos(1 + Double($0) / 5), 16 * sin(1 + Double($0) / 5)) })
    for isPicture in [false, true] {
      let (texts, views) = try read(arc, isPicture: isPicture)
      #expect(texts.count > 1 && texts != views[0] && Set(views).count == 5)
      for text in texts.prefix(3) {
        let scores = views.map { view in view.first { $0.text == text.text }?.score ?? -30 }
        let mean = scores.reduce(0) { $0 + exp($1) } / Double(scores.count)
        #expect(abs(exp(text.score) - mean) < 1e-9, "\(text.text)")
      }
    }
    let letter = try read(
      Stroke(
        [(0, 0), (0, 30), (0, 16), (8, 13), (15, 18), (15, 25), (8, 30), (0, 27)].map {
          Point($0.0, $0.1)
        }))
    #expect(letter.texts[0].text == "b")
    #expect(LabelReader.weights(letter.views[0])[0] >= Reader.sureProbability)
    #expect(letter.texts == letter.views[0] && letter.views[0] != letter.views[1])
  }

  @Test func writingThatLiesIsLessLegible() throws {
    // A7, and the same after a quarter turn; dots are no characters.
    let strokes = [
      [(0, 50), (15, 0), (30, 50)], [(5, 32), (25, 32)], [(45, 0), (70, 0), (52, 50)],
    ].map { corners in Stroke(corners.map { Point(Double($0.0), Double($0.1)) }) }
    let turned = strokes.map { Stroke($0.points.map { Point(-$0.y, $0.x) }) }
    let dots = (0..<4).map { Stroke([Point(30 * Double($0), 0)]) }
    let labelReader = try reader()
    func legibility(_ strokes: [Stroke]...) -> (mean: Double, count: Int) {
      let lines = strokes.map { strokes in
        TextLine(traces: strokes.enumerated().compactMap { Trace($1, index: $0) })
      }
      return labelReader.legibility(names: lines, symbols: []) { line in
        .picture(nil, Drawing(line.traces.map { Stroke($0.points.map { Point($0.x, $0.y) }) }))
      }
    }
    let upright = legibility(strokes)
    #expect(upright.count == 2 && upright.mean > -0.2)
    #expect(legibility(turned).mean < upright.mean - 0.2)
    // A line that cannot be read counts as one character, with the least score.
    let unread = legibility(dots)
    #expect(unread.count == 1 && unread.mean == -1)
    let both = legibility(strokes, dots)
    #expect(both.count == 3 && abs(both.mean - (2 * upright.mean - 1) / 3) < 1e-9)
    #expect(labelReader.legibility(names: [], symbols: []) { _ in .ink(Drawing([])) } == (0, 0))
  }

  @Test(arguments: [
    ("btn_press", true), ("0/1", true), ("x==0", true), ("a", false), ("/0", false), ("0/", false),
    ("0/1,/1", false), ("0,1", true), ("0,", true), ("0,,1", false), (",0", false),
    ("--", false), ("", false),
  ])
  func aWholeTextLacksNoSymbolInputOrOutput(text: String, isWhole: Bool) {
    #expect(LabelReader.isWhole(text) == isWhole)
  }
}
