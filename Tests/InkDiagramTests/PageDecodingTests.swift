import InkDatasets
import InkNetwork
import InkReader
import InkRecognizer
import Testing

@testable import InkDiagram

/// The numbers with which a page is decoded, and the models that store them.
@Suite struct PageDecodingTests {
  @Test func numbersAreKnownByTheirNames() throws {
    var decoding = PageDecoding()
    (decoding.gap, decoding.goingOn, decoding.leastOdds) = (0.223456789, 0.3515625, -0.7)
    let numbers = decoding.byName
    #expect(numbers["gap"] == 0.223456789 && numbers["goingOn"] == 0.3515625)
    #expect(PageDecoding(byName: numbers) == decoding)
    // Those that are not given are the usual ones, and others are none.
    let some = try #require(PageDecoding(byName: ["gap": 0.223456789, "goingOn": 0.3515625]))
    #expect(some.leastOdds == PageDecoding().leastOdds && some.gap == decoding.gap)
    #expect(PageDecoding(byName: ["gap": 1, "gaps": 1]) == nil)
    // None is far from the usual one, so that the search ends.
    for wrong in [["gap": 0.12], ["takenWidth": 0.25], ["headSize": -0.8], ["gap": .nan]] {
      #expect(PageDecoding(byName: wrong) == nil, "\(wrong)")
    }
  }

  @Test func aModelStoresItsNumbers() throws {
    var model = try PageRecognizer.released().model
    var numbers = PageDecoding().byName
    numbers["joinGap"] = 7
    model.decision.decoding = numbers
    let read = try Model(model.encoded(), path: "model")
    let network = try PageNetwork(PageRecognizer(model: read))
    #expect(network.decoding.joinGap == 7)
    #expect(network.decoding == PageDecoding(byName: numbers))
    model.decision.decoding = ["joinGap": .nan]
    #expect(throws: ModelError.self) { try model.encoded() }
  }

  /// Training and decoding mean the same by the classes and the fields, in the same order.
  @Test func classesAreThoseOfComposedPages() {
    #expect(PageNumbers.classes == PageClass.allCases.map(\.name))
    #expect(PageNumbers.fields == SegmentationFieldNames.pages.all)
  }

  /// A model that sees something else is refused, and crashes nothing.
  @Test func otherModelsAreRefused() throws {
    let released = try PageRecognizer.released().model
    func problem(_ model: Model) throws -> String {
      let pages = try PageRecognizer(model: model)
      let reader = try Reader.released()
      let error = #expect(throws: ModelError.self) {
        try DiagramRecognizer(reader: reader, pages: pages)
      }
      return error.map { "\($0)" } ?? ""
    }
    for (name, value, expected) in [
      ("joinGaps", 4, "only numbers that pages are decoded with"),
      ("takenWidth", 0.25, "a number from 0.06 to 0.24"),
      ("gap", .nan, "a number from 0.125 to 0.5"),
    ] {
      var numbered = released
      numbered.decision.decoding = ["joinGap": 4, name: value]
      let text = try problem(numbered)
      #expect(text.contains("model, decision.decoding.\(name): expected \(expected)"), "\(text)")
    }
    var labels = released.labels
    labels.swapAt(1, 2)
    let other = try Model(
      network: released.network, labels: labels, preprocessing: released.preprocessing,
      fields: released.fields)
    #expect(try problem(other).contains("expected nothing, ring, line, head, writing"))
    let fields = try Model(
      network: released.network, labels: released.labels, preprocessing: released.preprocessing,
      fields: released.fields.map { "\($0)s" })
    #expect(try problem(fields).contains("found centerXs"))
  }
}
