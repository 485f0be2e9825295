import Foundation
import Ink
import InkDatasets
import InkDiagram
import InkEvaluation
import Testing
import TestSupport

@Suite struct PictureEvaluationTests {
  private func truth(_ json: String) throws -> PageTruth {
    try JSONDecoder().decode(PageTruth.self, from: Data(json.utf8))
  }

  /// A diagram of states such as `>p`, `q*`, and transitions such as `p a,b q`.
  private func found(_ states: String, _ transitions: String = "") -> Diagram {
    let words = states.split(separator: " ").map(String.init)
    return Diagram(
      states: words.map { word in
        let name = word.filter { !">*".contains($0) }
        return .init(
          id: name, name: name, initial: word.hasPrefix(">"), final: word.hasSuffix("*"),
          center: Vector(0, 0), radius: 1)
      },
      transitions: transitions.split(separator: ";").map { line in
        let parts = line.split(separator: " ").map(String.init)
        return .init(
          from: parts[0], to: parts[2], symbols: parts[1].split(separator: ",").map(String.init))
      }, strokes: [])
  }

  private static let example = """
    {"states":["p","q"],"initial":["p"],"final":["q"],"transitions":[["p","q","a,0"],["q","q","eps"]]}
    """

  @Test(
    arguments: [
      (">p q*", "p a,0 q;q ε q", nil), (">p q*", "p O,a q;q e q", nil),
      (">P q*", "P a,0 q;q ε q", nil), ("", "", "no automaton"), (">p", "", "states"),
      (">p q", "p a,0 q;q ε q", "final states"), (">p q*", "p a,0 q", "transitions"),
      (">p q*", "q a,0 p;q ε q", "directions"), ("p q*", "p a,0 q;q ε q", "initial states"),
      (">p q*", "p a q;q ε q", "symbols"), (">p r*", "p a,0 r;r ε r", "names"),
    ] as [(String, String, String?)])
  func namesWhatIsWrongFirst(states: String, transitions: String, cause: String?) throws {
    let picture = PictureEvaluation.Picture(
      found(states, transitions), name: "a.png", truth: try truth(Self.example))
    // Other letters for the ids have no effect: names are compared.
    #expect(picture.cause?.rawValue == cause)
    #expect(picture.isStructureRight == (cause == nil || ["symbols", "names"].contains(cause)))
  }

  @Test func namesCanBeLeftOut() throws {
    let json = Self.example.dropLast() + #","nameless":true,"kind":"board"}"#
    let picture = PictureEvaluation.Picture(
      found(">x y*", "x a,0 y;y ε y"), name: "a.png", truth: try truth(String(json)))
    #expect(picture.cause == nil && picture.kind == "board")
  }

  @Test func aNumberSignTellsStatesOfOneNameApart() throws {
    let twice = try truth(
      #"{"states":["q","q#2"],"initial":[],"final":[],"transitions":[["q","q#2",""]]}"#)
    #expect(twice.diagram.states.map(\.name) == ["q", "q"])
    #expect(twice.diagram.transitions.map(\.symbols) == [[]])
  }

  @Test func sumsUp() throws {
    let truth = try truth(Self.example)
    let evaluation = PictureEvaluation(
      [found(">p q*", "p a,0 q;q ε q"), found(">p q*", "q a,0 p;q ε q")].enumerated().map {
        .init($1, name: "\($0).png", truth: truth)
      })
    #expect(
      evaluation.lines == [
        "0.png: everything right, states 2 of 2, transitions 2 of 2",
        "1.png: wrong: directions, states 2 of 2, transitions 2 of 2",
        "2 pictures: structure 1 (50 %), everything 1 (50 %), number of states 2 (100 %)",
        "states: 4 found, 0 missed, 0 wrong",
        "transitions: 3 found, 1 missed, 1 wrong, 1 of them reversed",
        "initial states: 2 found, 0 missed, 0 wrong", "final states: 2 found, 0 missed, 0 wrong",
        "names: 4 of 4 right", "symbols: 3 of 4 right", "wrong first: directions 1",
      ])
  }

  @Test(arguments: [
    (
      #"{"a.png":{"states":["p"],"initial":[],"final":[],"transitions":[["p","q",""]]}}"#,
      "a.png: expected one of the states, found `q`"
    ),
    (
      #"{"a.png":{"states":["p","p"],"initial":[],"final":[],"transitions":[]}}"#,
      "a.png: expected different states, found one twice"
    ),
    (
      #"{"a.png":{"states":["p"],"names":[],"initial":[],"final":[],"transitions":[]}}"#,
      "expected a name for each of 1 states, found 0"
    ),
    (
      #"{"a.png":{"states":["p"],"places":[[1,2]],"initial":[],"final":[],"transitions":[]}}"#,
      "expected a centre and half sides"
    ),
    (
      #"{"a.png":{"states":["p"],"initial":[],"final":[],"transitions":[["p","p"]]}}"#,
      "found one of 2 texts"
    ),
    (
      #"{"a.png":{"states":["p"],"initial":[],"final":[],"transitions":[],"#
        + #""lines":[{"to":"r","hasTwoHeads":false,"path":[]}]}}"#,
      "a.png: expected one of the states, found `r`"
    ),
    (#"{"a.png":{"states":["p"],"initial":[],"final":[]}}"#, "truth.json: expected an object"),
    ("[", "truth.json: expected an object"),
    (String(repeating: "[", count: 513), "truth.json: expected an object"),
    (
      #"{"../a.png":{"states":["p"],"initial":[],"final":[],"transitions":[]}}"#,
      "expected names of pictures in the folder, found `../a.png`"
    ),
    ("{}", "truth.json: expected the truth of a picture, found none"),
  ])
  func refusesATruthThatContradictsItself(json: String, message: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("truth.json", json)
    let error = #expect(throws: (any Error).self) { try PageTruth.read(folder: folder.path) }
    #expect("\(error!)".contains(message), "\(error!)")
  }
}
