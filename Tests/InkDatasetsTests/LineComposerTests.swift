import Foundation
import Ink
@testable import InkDatasets
import InkRaster
import SeededRandom
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30))) struct LineComposerTests {
  /// Single characters by two hands, as boxes whose number of points tells the character.
  private static let letters = Array(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

  private func recorded(hands: Int = 2, letters: [Character] = Self.letters) -> Dataset {
    Dataset(
      (0..<hands).flatMap { hand in
        letters.enumerated().map { index, letter in
          Example(
            .drawing(box(points: 80 + 4 * (Self.letters.firstIndex(of: letter) ?? 0) + hand)),
            label: String(letter), writer: "writer \(hand)", source: "test",
            origin: "\(hand) \(index)")
        }
      })
  }

  /// A box 60 wide and 90 high, as one stroke of `points` points.
  private func box(points: Int) -> Drawing {
    let corners = [Point(5, 5), Point(65, 5), Point(65, 95), Point(5, 95), Point(5, 5)]
    return Drawing([Stroke(corners).resampled(count: points)])
  }

  private func drawing(_ example: Example) throws -> Drawing {
    try #require(example.content.drawing)
  }

  @Test func everyHandWritesEveryKindWithItsOwnCharacters() throws {
    let composed = LineComposer(seed: 1).compose(from: recorded(), perWriter: 20)
    let counts = Dictionary(grouping: composed.examples) { "\($0.hand!) \($0.kind)" }
    #expect(counts.count == 32 && counts.values.allSatisfy { $0.count == 20 })
    for example in composed.examples {
      let hand = example.writer == "writer 0" ? 0 : 1
      var drawn: Set<Character> = []
      if case .text(let characters)? = example.attributes["drawn"] { drawn = Set(characters) }
      // Each recorded character is the one stroke with its number of points, in the order of the text.
      let written = try drawing(example).strokes.map(\.points.count).filter { $0 >= 80 }
      let expected = example.label.filter { !drawn.union([" "]).contains($0) || $0 == "ε" }.map {
        letter in
        (letter == "ε" ? "3c" : String(letter)).map {
          80 + 4 * Self.letters.firstIndex(of: $0)! + hand
        }
      }
      let isExpected =
        written.count == expected.count && zip(written, expected).allSatisfy { $1.contains($0) }
      #expect(isExpected, "\(example.label)")
      #expect(drawn.isSubset(of: example.label))
      #expect(drawn.isDisjoint(with: Self.letters))
      #expect(example.source == "test" && example.origin.contains("composed"))
    }
  }

  @Test func outputsFollowSlashesAndConditionsHaveSigns() {
    let lines = LineComposer(seed: 3).compose(from: recorded(hands: 1), perWriter: 200).examples
    func texts(_ kind: String) -> [String] {
      lines.filter { $0.kind == "composed \(kind)" }.map(\.label)
    }
    #expect(texts("output").allSatisfy { $0.contains("/") })
    #expect(texts("output").contains { $0.wholeMatch(of: /[a-zA-Z0-9]\/[a-zA-Z0-9]/) != nil })
    for sign in ["_", "=", "<", "!", "&", "|", "(", "/"] {
      #expect(texts("condition").contains { $0.contains(sign) }, "\(sign)")
    }
    // A writer without these signs has them drawn; one with few letters writes what is possible.
    let few = recorded(hands: 1, letters: Array("ab01"))
    let others = LineComposer(seed: 3).compose(from: few, perWriter: 50).examples
    #expect(others.contains { $0.kind == "composed output" })
    #expect(others.allSatisfy { $0.kind != "composed condition" })
  }

  @Test func halfOfTheOutputsAreLowerThanTheirSymbols() throws {
    let lines = LineComposer(seed: 4).compose(from: recorded(hands: 1), perWriter: 900).examples
      .filter { $0.kind == "composed output" && $0.label.wholeMatch(of: /[1-9]\/[1-9]/) != nil }
    try #require(lines.count > 40)
    let drops = try lines.map { line in
      let boxes = try drawing(line).strokes.filter { $0.points.count >= 80 }
        .compactMap { Drawing([$0]).bounds }
      try #require(boxes.count == 2 && boxes[0].center.x < boxes[1].center.x, "\(line.label)")
      let slash = try #require(
        drawing(line).strokes.first { $0.points.count < 80 }.flatMap { Drawing([$0]).bounds })
      #expect(
        boxes[0].center.x < slash.center.x && slash.center.x < boxes[1].center.x, "\(line.label)")
      return (boxes[1].center.y - boxes[0].center.y) / slash.height
    }
    let low = Double(drops.count { $0 > 0.25 }) / Double(drops.count)
    #expect((0.3...0.45).contains(low), "\(low) of \(drops.count)")
    let level = Double(drops.count { abs($0) < 0.25 }) / Double(drops.count)
    #expect(level > 0.4, "\(level) of \(drops.count)")
  }

  @Test func theSeedDecides() {
    let one = LineComposer(seed: 1).compose(from: recorded(), perWriter: 5)
    #expect(one == LineComposer(seed: 1).compose(from: recorded(), perWriter: 5))
    #expect(one != LineComposer(seed: 2).compose(from: recorded(), perWriter: 5))
  }

  @Test func textsHaveTheFormOfTheirKind() throws {
    let composed = LineComposer(seed: 3, marksSubscripts: true)
      .compose(from: recorded(), perWriter: 60)
    let plain = LineComposer(seed: 3).compose(from: recorded(), perWriter: 60)
    let signKinds = LineKind.withSigns.map { "composed \($0.rawValue)" }
    // Only kinds with signs have an underscore that is written.
    #expect(
      plain.examples.map(\.label)
        == composed.examples.map { example in
          signKinds.contains(example.kind) ? example.label : example.label.filter { $0 != "_" }
        })
    for example in composed.examples {
      let text = example.label
      let fits: Bool
      switch example.kind {
      case "composed name": fits = text.wholeMatch(of: /\w(_?[0-9]{1,2})?/) != nil
      case "composed index": fits = text.wholeMatch(of: /\w_[ijkmn0-9]/) != nil
      case "composed primed": fits = text.wholeMatch(of: /\w(_?[0-9]{1,2})?'{1,2}/) != nil
      case "composed symbol": fits = text.count == 1
      case "composed list":
        fits = text.wholeMatch(of: /[^,](,[^,]){1,3}|[01]{2,3}(,[01]{2,3})+/) != nil
      case "composed number": fits = text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/) != nil
      case "composed expression":
        fits = text.wholeMatch(of: /\w(\+\+|--|[-+=<>]\w\??|=\w[-+]\w)/) != nil
      case "composed word": fits = text.wholeMatch(of: /[A-Za-z]+/) != nil
      case "composed letters": fits = (2...6).contains(text.count) && !text.contains(",")
      case "composed empty word":
        fits = text.split(separator: ",").contains { ["ε", "λ", "eps"].contains(String($0)) }
      case "composed signs":
        fits =
          (2...5).contains(text.count)
          || text.count == 1 && "ΣΓ∅⊢□⊔→…#$*|:;{}/()[]_!~&".contains(text)
      case "composed output":
        fits = text.wholeMatch(of: /\w{1,2}(,\w)*(\/\w{1,2})(,\w\/\w)?/) != nil
      case "composed condition":
        fits = text.wholeMatch(of: /[!~]?\w+(([=<>!&|+*\/]+|\()\w+\)?)?/) != nil
      case "composed machine":
        // Turing machines write and move; pushdown automata replace the top of the stack.
        let turing = /[\w□$](\/[\w□$],|→[\w□$],|;[\w□$];)[RLSrl]|\([\w□$],[\w□$],[RLSrl]\)/
        let pushdown = /[\w□$],[\w□$](→[\w□$]{1,2}|\/[\w□$])/
        fits = text.wholeMatch(of: turing) != nil || text.wholeMatch(of: pushdown) != nil
      case "composed description":
        let word = /\(?[A-Za-z]+(:[0-9]|=[0-9]{1,2};?|\/[A-Za-z]+|\))?/
        let number = /[0-9]{1,2}|[01]{1,5}\/[0-9]|[0-9](\.[0-9])?[Mm]?[Ss]/
        fits = text.split(separator: " ", omittingEmptySubsequences: false).allSatisfy {
          $0.wholeMatch(of: word) != nil || $0.wholeMatch(of: number) != nil
        }
      case "composed pattern":
        let ranges = /.*[0aA1]-[1-9zZ].*/
        let names = /\[?(digit|letter|other|any|alpha|space)(\]|([\/|,]| or )[a-z]+)/
        fits =
          text.wholeMatch(of: ranges) != nil || text.wholeMatch(of: names) != nil
          || text.wholeMatch(of: /.\|.|\[\^.\]/) != nil
      default: fits = false
      }
      #expect(fits, "\(example.kind): \(text)")
    }
    for text in ["q_0", "q_1", "q0"] {
      #expect(composed.examples.contains { $0.label == text })
    }
    for text in ["A", "0,1", "a,b", "ε", "eps", "λ", "[a-z]", "0-9"] {
      #expect(plain.examples.contains { $0.label == text })
    }
  }

  /// The words of a description are farther apart than its letters.
  @Test func wordsAreApart() throws {
    let composed = LineComposer(seed: 8).compose(from: recorded(hands: 6), perWriter: 40)
    var count = 0
    for example in composed.examples where example.kind == "composed description" {
      let parts = example.label.split(separator: " ")
      guard parts.count == 2, example.label.allSatisfy({ $0.isLetter || $0.isNumber || $0 == " " })
      else { continue }
      let boxes = try drawing(example).strokes.filter { !isSlashOfZero($0) }
        .map { Drawing([$0]).bounds! }
      let gaps = zip(boxes, boxes.dropFirst()).map { $1.minX - $0.maxX }
      let between = gaps[parts[0].count - 1]
      #expect(
        gaps.enumerated().allSatisfy { $0.offset == parts[0].count - 1 || $0.element < between })
      count += 1
    }
    #expect(count > 60)
  }

  @Test func charactersStandOnTheLineInTheirSizes() throws {
    let composed = LineComposer(seed: 4, marksSubscripts: true)
      .compose(from: recorded(hands: 20), perWriter: 20)
    var checked = 0
    var (sizes, drops, gaps) = ([Double](), [Double](), [Double]())
    // These have signs that are drawn with two strokes.
    let signKinds = LineKind.withSigns.map { "composed \($0.rawValue)" }
    for example in composed.examples
    where !signKinds.contains(example.kind) && !example.label.contains(where: "ελ+=?".contains) {
      let boxes = try drawing(example).strokes.filter { !isSlashOfZero($0) }
        .map { Drawing([$0]).bounds! }
      let text = Array(example.label)
      // Characters follow each other from left to right.
      for (a, b) in zip(boxes, boxes.dropFirst()) {
        #expect(b.minX + b.width / 2 > a.minX + a.width / 2, "\(example.label)")
      }
      if example.kind == "composed index", text[0].isUppercase, text[2].isNumber {
        // A subscript is smaller and lower, or as large as the letter, or level with it.
        sizes.append(boxes[1].height / boxes[0].height)
        drops.append((boxes[1].maxY - boxes[0].maxY) / boxes[0].height)
        gaps.append((boxes[1].minX - boxes[0].maxX) / boxes[0].height)
        checked += 1
      }
      if example.kind == "composed list", text[0].isNumber, text[1] == "," {
        // A comma is small, and goes below the line.
        #expect(boxes[1].height < 0.6 * boxes[0].height)
        #expect(boxes[1].minY > boxes[0].center.y)
        checked += 1
      }
      if example.kind == "composed word", text.count > 1, text[1].isLowercase,
        "acemnorsuvwxz".contains(text[1]), text[0].isUppercase
      {
        #expect(boxes[1].height < boxes[0].height)
        #expect(abs(boxes[1].maxY - boxes[0].maxY) < 0.35 * boxes[0].height)
        checked += 1
      }
      #expect(!(try LineRasterizer.standard.render(drawing(example)).isBlank))
    }
    #expect(checked > 100 && (0.55...0.75).contains(sizes.reduce(0, +) / Double(sizes.count)))
    #expect(sizes.contains { $0 < 0.5 } && sizes.contains { $0 > 0.9 })
    #expect(drops.contains { abs($0) < 0.05 } && drops.contains { $0 > 0.25 })
    #expect(gaps.contains { $0 < 0 } && gaps.contains { $0 > 0.2 })
  }

  /// Whether a stroke is one line from the upper right to the lower left, as wide and high as a zero.
  private func isSlashOfZero(_ stroke: Stroke) -> Bool {
    guard stroke.points.count == 2 else { return false }
    let (a, b) = (stroke.points[0], stroke.points[1])
    return a.x > b.x && b.y - a.y > 0.3 * (a.x - b.x)
  }

  @Test func someWritersSlashTheirZeros() throws {
    let lines = LineComposer(seed: 8).compose(
      from: recorded(hands: 60, letters: Array("0123456789")), perWriter: 30
    ).examples.filter { $0.kind == "composed number" && !$0.label.contains(".") }
    let slashing = try Dictionary(grouping: lines) { $0.writer! }.mapValues { lines in
      try lines.reduce(0) { try $0 + drawing($1).strokes.count(where: isSlashOfZero) }
    }
    for (writer, count) in slashing where count > 0 {
      let zeros = lines.filter { $0.writer == writer }.reduce(0) {
        $0 + $1.label.count { $0 == "0" }
      }
      #expect(count == zeros, "\(writer)")
    }
    #expect((2...14).contains(slashing.count { $0.value > 0 }), "\(slashing)")
  }

  /// An ε is a mirrored 3 of the writer, or a c with a bar in it.
  @Test(arguments: [("3c", 0.2...0.4), ("3", 0...0), ("c", 1...1)])
  func theEmptyWordIsDrawnOfOtherCharacters(letters: String, share: ClosedRange<Double>) throws {
    let lines = LineComposer(seed: 10).compose(
      from: recorded(hands: 1, letters: Array("ab" + letters)), perWriter: 300
    ).examples.filter { $0.label == "ε" }
    try #require(lines.count > 50)
    let barred = try lines.filter { line in
      let strokes = try drawing(line).strokes
      guard strokes.count == 2 else { return false }
      let (bow, bar) = (Drawing([strokes[0]]).bounds!, Drawing([strokes[1]]).bounds!)
      #expect(bar.width > 0.4 * bow.width && bar.height < 0.2 * bow.height)
      #expect(bar.minX >= bow.minX && bar.maxX <= bow.maxX)
      #expect(abs(bar.center.y - bow.center.y) < 0.25 * bow.height)
      return true
    }
    #expect(share.contains(Double(barred.count) / Double(lines.count)))
  }

  @Test func someListsAndNumbersAreBinary() {
    let lines = LineComposer(seed: 9).compose(from: recorded(hands: 1), perWriter: 400).examples
    let lists = lines.filter { $0.kind == "composed list" }
      .map { $0.label.split(separator: ",").map(String.init) }
    let binary = lists.filter { $0.allSatisfy { $0.count > 1 } }
    #expect((60...140).contains(binary.count))
    #expect(binary.allSatisfy { Set($0.map(\.count)).count == 1 && $0 == $0.sorted() })
    #expect(binary.allSatisfy { (2...4).contains($0.count) && Set($0).count == $0.count })
    #expect(binary.contains { $0[0].first == "0" })
    let numbers = lines.filter { $0.kind == "composed number" && $0.label.count > 2 }
    let ofBits = numbers.count { $0.label.allSatisfy("01-.".contains) }
    #expect((0.2...0.45).contains(Double(ofBits) / Double(numbers.count)))
  }

  @Test func wordsOfTheVocabularyAreWrittenAloneAndInNames() {
    func texts(
      _ kind: String, _ vocabulary: [String], letters: [Character] = Self.letters
    ) -> [String] {
      LineComposer(seed: 5, vocabulary: vocabulary)
        .compose(from: recorded(hands: 1, letters: letters), perWriter: 400).examples
        .filter { $0.kind == "composed \(kind)" }.map(\.label)
    }
    let found = texts("word", ["quagga", "ibex"])
    let others = Set(texts("word", []).map { $0.lowercased() })
    let alone = found.count { ["quagga", "ibex"].contains($0.lowercased()) }
    #expect((120...240).contains(alone))
    #expect(found.contains { others.contains($0.lowercased()) })
    #expect(found.contains { $0.wholeMatch(of: /(?i)(quagga|ibex)[0-9]{2,4}/) != nil })
    #expect(found.contains { $0.wholeMatch(of: /(quagga|ibex)(Quagga|Ibex)/) != nil })
    #expect(found.contains { $0.wholeMatch(of: /(?i)(quagga|ibex)_(quagga|ibex)/) != nil })
    #expect(texts("condition", ["quagga"]).contains { $0.lowercased().contains("quagga") })
    // Who recorded capitals only writes words as well.
    let capitals = texts("word", ["quagga"], letters: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    #expect(capitals.count == 400 && capitals.contains("QUAGGA"))
  }

  @Test func onlyWhatAWriterCanWriteIsComposed() throws {
    let digits = LineComposer(seed: 1).compose(
      from: recorded(letters: Array("0123456789")), perWriter: 30)
    #expect(!digits.examples.contains { $0.kind == "composed word" })
    #expect(digits.examples.count { $0.kind == "composed list" } == 60)
    let possible = "0123456789,.-ελΣΓ∅⊢□⊔→…#$*|:;{}/()[]_!~&"
    #expect(digits.examples.allSatisfy { $0.label.allSatisfy(possible.contains) })
    // A recorded comma is used.
    var with = recorded(hands: 1, letters: Array("01"))
    with.examples.append(
      Example(
        .drawing(box(points: 7)), label: ",", writer: "writer 0", source: "test", origin: "comma"))
    for example in LineComposer(seed: 1).compose(from: with, perWriter: 9).examples
    where example.kind == "composed list" {
      #expect(example.attributes["drawn"] == nil)
      #expect(try drawing(example).strokes[1].points.count == 7)
    }
    // Without writers, ink or single characters there is nothing.
    var without = recorded()
    for index in without.examples.indices { without.examples[index].writer = nil }
    #expect(LineComposer(seed: 1).compose(from: without, perWriter: 2).examples.isEmpty)
    let others = Dataset([
      Example(.drawing(box(points: 9)), label: "state", writer: "a", origin: "1"),
      Example(.drawing(Drawing([])), label: "a", writer: "a", origin: "2"),
      Example(.bitmap(Bitmap(width: 3, height: 3)), label: "b", writer: "a", origin: "3"),
    ])
    #expect(LineComposer(seed: 1).compose(from: others, perWriter: 2).examples.isEmpty)
  }

  /// Recorded signs keep their place and size beside letters; others are drawn.
  @Test func signsStandWhereTheyBelong() throws {
    var data = recorded(hands: 1)
    let recordedSigns: [(Character, ClosedRange<Double>)] = [
      (",", -0.13...0.21), (";", -0.51...0.21), ("-", -0.51 ... -0.34), ("*", -0.96 ... -0.39),
      ("(", -1.11...0.16), ("'", -1.06 ... -0.71),
    ]
    for (sign, _) in recordedSigns {
      data.examples.append(
        Example(
          .drawing(box(points: 9)), label: String(sign), writer: "writer 0", source: "test",
          origin: "\(sign)"))
    }
    for (sign, zone) in recordedSigns {
      let frame = try #require(SignFrame(sign))
      for drawing in [box(points: 9), Drawing([Stroke([Point(0, 0), Point(90, 1)])])] {
        let bounds = try #require(frame.fitted(drawing).bounds)
        #expect(zone.contains(bounds.minY) && zone.contains(bounds.maxY), "\(sign)")
        #expect(bounds.width <= 0.71)
      }
    }
    #expect(SignFrame("a") == nil && SignFrame("7") == nil)
    let lines = LineComposer(seed: 2).compose(from: data, perWriter: 300).examples
      .filter { $0.kind == "composed signs" }
    for sign in DrawnSigns.all {
      let alone = lines.filter { $0.label == String(sign) }
      let isRecorded = recordedSigns.contains { $0.0 == sign }
      #expect(!alone.isEmpty, "\(sign)")
      for example in alone {
        #expect((example.attributes["drawn"] == nil) == isRecorded)
        #expect(!(try LineRasterizer.standard.render(drawing(example)).isBlank))
      }
    }
  }

  @Test func dotsAndFlatCharactersKeepASensibleSize() throws {
    var data = recorded(hands: 1)
    for index in data.examples.indices {
      let points = index % 2 == 0 ? [Point(4, 4)] : [Point(0, 0), Point(90, 0.1)]
      data.examples[index].content = .drawing(Drawing([Stroke(points)]))
    }
    for example in LineComposer(seed: 1).compose(from: data, perWriter: 20).examples {
      let bounds = try #require(try drawing(example).bounds)
      #expect(bounds.width < 60 * 2.5 * Double(example.label.count))
    }
  }

  @Test func drawingsThatAreNoWritingAreAdded() throws {
    let composer = LineComposer(seed: 1)
    let lines = composer.compose(from: recorded(), perWriter: 50)
    let others = composer.noWriting(beside: lines, share: 0.2)
    // 200 beside the 800 lines of each hand are a fifth of all.
    #expect(others.examples.count == 400 && others.labels == [Recording.noWriting])
    #expect(
      Dictionary(grouping: others.examples, by: \.writer).mapValues(\.count)
        == ["test/writer 0": 200, "test/writer 1": 200])
    let kinds = Dictionary(grouping: others.examples, by: \.kind)
    #expect(kinds.count == 12 && kinds["no writing: arrow"] != nil)
    #expect(kinds.allSatisfy { $0.value.count >= 20 && $0.key.hasPrefix("no writing: ") })
    for example in others.examples {
      #expect(example.source == "synthetic")
      #expect(try !example.line(.standard).isBlank)
    }
    #expect(others == composer.noWriting(beside: lines, share: 0.2))
    // Parts of divided data have drawings of their own.
    let ink = Dictionary(grouping: others.examples) { $0.contentFingerprint }
    #expect(ink.count == 400)
    #expect(composer.noWriting(beside: lines, share: 0).examples.isEmpty)
    // Also where each writer has the same shapes: 24 of the twelve kinds beside 80 lines.
    let few = composer.noWriting(
      beside: composer.compose(from: recorded(), perWriter: 5), share: 3.0 / 13)
    #expect(few.examples.prefix(24).map(\.kind) == few.examples.suffix(24).map(\.kind))
    #expect(Set(few.examples.map(\.contentFingerprint)).count == 48)
  }

  /// A ring that is drawn several times shows each turn, so that it is no `0`.
  @Test func overdrawnRingsAreNoSingleRings() throws {
    let lines = LineComposer(seed: 2).compose(from: recorded(), perWriter: 30)
    let others = LineComposer(seed: 2).noWriting(beside: lines, share: 0.5)
    let rings = others.examples.filter { $0.kind == "no writing: overdrawn ring" }
    #expect(rings.count > 20)
    for ring in rings {
      let stroke = try #require(drawing(ring).strokes.first)
      let bounds = try #require(Drawing([stroke]).bounds)
      let distances = stroke.points.map { $0.distance(to: bounds.center) / bounds.longerSide }
      #expect(distances.max()! - distances.min()! > 0.1)
    }
  }

  @Test(.enabled(if: SharedData.isPresent, "needs the data of datasets/README.md"))
  func recordedCharactersBecomeLines() throws {
    let path = "\(SharedData.path)/characters/chars74k.ndjson"
    let dataset = try Dataset.load(path).dataset
    let composed = LineComposer(seed: 1).compose(from: dataset, perWriter: 2)
    #expect(Set(composed.examples.map(\.hand)).count == 40)
    #expect(composed.examples.count == 40 * 16 * 2)
    for example in composed.examples {
      let image = try example.line(.standard)
      let longest = example.kind == "composed description" ? 960 : 480
      #expect(!image.isBlank && image.bitmap.width < longest, "\(example.label)")
    }
  }
}
