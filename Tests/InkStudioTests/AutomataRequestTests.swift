import Automata
import Foundation
import TestSupport
import Testing

@testable import InkStudio

/// Requests that run, compare and convert automata.
@Suite(.timeLimit(.minutes(30))) struct AutomataRequestTests {
  private func text(_ answer: RunningStudio.Answer) throws -> String {
    try JSONDecoder().decode(String.self, from: answer.data)
  }

  @Test func examplesAreOpenedRunConvertedAndCompared() async throws {
    try await RunningStudio.run { studio in
      var names: [String] = []
      for example in ExampleAutomaton.all {
        let title = try #require(
          example.title.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        names.append(try text(try await studio.post("/api/examples/\(title)", "")))
      }
      #expect(names == ExampleAutomaton.all.map(\.title) && names.count == 7)
      #expect(try await studio.post("/api/examples/none", "").status == 404)

      let path = "/api/documents/Repetitions%20of%2010"
      let words = try await studio.post(
        "\(path)/words", #"{"lines":"10\n1,rejected\n\n01, accepted\n"}"#)
      let results = try JSONSerialization.jsonObject(with: words.data) as? [[String: Any]] ?? []
      #expect(results.map { $0["word"] as? String } == ["10", "1", "", "01", ""])
      #expect(results.map { $0["isAccepted"] as? Bool } == [true, false, true, false, true])
      #expect(results.map { $0["expected"] as? Bool } == [nil, false, nil, true, nil])
      #expect(try await studio.post("\(path)/words", #"{"lines":"a, perhaps"}"#).status == 400)
      let accepted = try await studio.ask(.get, "\(path)/accepted?count=3")
      #expect(try JSONDecoder().decode([String].self, from: accepted.data) == ["", "10", "1010"])

      #expect(try text(try await studio.ask(.get, "\(path)/expression")) == "(10)*")
      let made = try text(try await studio.post("/api/expression", #"{"text":"(10)*"}"#))
      let same = try await studio.post("\(path)/compare?with=\(made)", "").json
      #expect((same["runs"] as? [Any])?.isEmpty == true)
      #expect(try await studio.post("/api/expression", #"{"text":"(10"}"#).status == 400)
      let different = try await studio.post("\(path)/compare?with=Three%20words", "").json
      let runs = try #require(different["runs"] as? [[String: Any]])
      #expect(runs.map { $0["isAccepted"] as? Bool } == [true, false])
      #expect(try await studio.post("\(path)/compare?with=none", "").status == 400)

      for conversion in Conversion.allCases {
        let name = try text(try await studio.post("\(path)/\(conversion.rawValue)", ""))
        #expect(name == "Repetitions of 10 \(conversion.adjective)")
      }
      for combination in Conversion.combinations {
        let name = try text(
          try await studio.post("\(path)/\(combination.name)?with=Three%20words", ""))
        #expect(name == "Repetitions of 10 \(combination.name)")
      }
    }
  }

  @Test func whatIsMissingIsSaidBeforeItIsConvertedOrCompared() async throws {
    try await RunningStudio.run { studio in
      for name in ["A", "B"] {
        let dot = #"digraph { node [shape=circle]; "" -> q0; q0 -> q1 [label="a"] }"#
        let opened = try await studio.post("/api/documents/\(name)/open?form=dot", dot)
        #expect(opened.status == 200, "\(opened.text)")
      }
      let path = "/api/documents/A"
      #expect(try await studio.post("\(path)/determinize", "").status == 200)
      let shown = try await studio.ask(.get, path).json
      let states = try #require(shown["states"] as? [[String: Any]])
      let ids = states.compactMap { $0["id"] as? String }
      _ = try await studio.post(
        "\(path)/command", #"{"kind":"connect","id":"\#(ids[1])","to":"\#(ids[0])"}"#)
      let what = "the arrow from q1 to q0 has no symbols"
      let requests =
        (Conversion.allCases.map(\.rawValue) + Conversion.combinations.map { "\($0.name)?with=B" }
          + ["compare?with=B"])
      for request in requests {
        let answer = try await studio.post("\(path)/\(request)", "")
        #expect(answer.status == 409 && answer.error.contains(what), "\(request): \(answer.text)")
        #expect((answer.json["missing"] as? [String])?.count == 1)
        let mark = request.contains("?") ? "&" : "?"
        let anyway = try await studio.post("\(path)/\(request)\(mark)anyway=true", "")
        #expect(anyway.status == 200, "\(request): \(anyway.text)")
        if request.hasPrefix("compare") {
          #expect(anyway.json["missing"] as? [String] == ["in “A”, \(what)"])
        }
      }
      #expect(try await studio.ask(.get, "\(path)/expression").status == 409)
      #expect(try await studio.ask(.get, "\(path)/expression?anyway=true").status == 200)
      // The other document counts as well, and so does ink.
      #expect(try await studio.post("/api/documents/B/compare?with=A", "").status == 409)
      let zigzag = (0..<12).map { "\(600 + 14 * $0)" }.joined(separator: ",")
      let heights = (0..<12).map { $0 % 2 == 0 ? "240" : "360" }.joined(separator: ",")
      _ = try await studio.post(
        "/api/documents/B/stroke", #"{"drawing":[[[\#(zigzag)],[\#(heights)]]]}"#)
      let inked = try await studio.post("/api/documents/B/complement", "")
      #expect(inked.status == 409 && inked.error.contains("1 stroke is not read"), "\(inked.text)")
    }
  }

  @Test func elementsAreCopiedBetweenDocuments() async throws {
    try await RunningStudio.run { studio in
      _ = try await studio.post("/api/documents?name=A", "")
      _ = try await studio.post("/api/documents?name=B", "")
      let made = try await studio.post(
        "/api/documents/A/command", #"{"kind":"addState","place":{"x":100,"y":100}}"#)
      let id = try #require((made.json["states"] as? [[String: Any]])?.first?["id"] as? String)
      let copied = try await studio.post("/api/documents/A/copy", #"{"ids":["\#(id)"]}"#)
      let command = try JSONSerialization.data(withJSONObject: [
        "kind": "insert", "text": copied.text, "place": ["x": 5, "y": 7],
      ])
      let pasted = try await studio.ask(.post, "/api/documents/B/command", command)
      let state = try #require((pasted.json["states"] as? [[String: Any]])?.first)
      #expect((state["center"] as? [String: Double]) == ["x": 105, "y": 107])
      let broken = try await studio.post(
        "/api/documents/B/command", #"{"kind":"insert","text":"q","place":{"x":0,"y":0}}"#)
      #expect(broken.status == 400 && broken.error.contains("clipboard"), "\(broken.error)")
    }
  }

  @Test func commandsForSeveralElementsAreRead() throws {
    func command(_ json: String) throws -> Bool {
      let message = try JSONDecoder().decode(Message.CommandMessage.self, from: Data(json.utf8))
      return (try? message.command()) != nil
    }
    #expect(try command(#"{"kind":"move","ids":["a"],"place":{"x":1,"y":2}}"#))
    #expect(try command(#"{"kind":"arrange","ids":["a"],"text":"row"}"#))
    #expect(try !command(#"{"kind":"arrange","ids":["a"],"text":"circle"}"#))
    #expect(try command(#"{"kind":"convertInk","number":0,"text":"state"}"#))
    #expect(try !command(#"{"kind":"convertInk","number":0,"text":"other"}"#))
    #expect(try command(#"{"kind":"deleteInk","number":0}"#))
    #expect(try command(#"{"kind":"delete","ids":["a","b"]}"#))
  }
}
