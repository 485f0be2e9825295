import Foundation
import Ink
import InkDatasets
import InkDiagram
import JSONReading
import SafeFiles

extension PageTruth {
  /// The name of the file with the truth of the pictures in its folder.
  public static let fileName = "truth.json"

  /// Reads the truth of the pictures in a folder, by the names of their files.
  ///
  /// - Throws: `FileError` if there is no such file, it is no such truth, or it has no picture in the folder.
  public static func read(folder: String) throws -> [String: PageTruth] {
    let path = FileTree.join(folder, fileName)
    let truths: [String: PageTruth]
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      truths = try [String: PageTruth](json: data)
    } catch let error as DecodingError {
      throw FileError(
        path: path,
        expected: "an object with the truth of each picture: states, initial, final, transitions",
        found: error.place)
    } catch {
      throw FileError(
        path: path, expected: "the truth of the pictures in the folder",
        found: "no file that can be read")
    }
    guard !truths.isEmpty else {
      throw FileError(path: path, expected: "the truth of a picture", found: "none")
    }
    for (name, truth) in truths.sorted(by: { $0.key < $1.key }) {
      guard !name.isEmpty, !name.split(separator: "/").contains("..") else {
        throw FileError(
          path: path, expected: "names of pictures in the folder", found: "`\(name)`")
      }
      if let mistake = truth.mistake {
        throw FileError(path: "\(path), \(name)", expected: mistake.expected, found: mistake.found)
      }
    }
    return truths
  }

  /// Returns where a picture can be: in the folder, and in its folder `pictures`.
  public static func places(of name: String, in folder: String) -> [String] {
    [FileTree.join(folder, name), FileTree.join(folder, "pictures/\(name)")]
  }

  /// Returns the path of a picture in a folder.
  ///
  /// - Throws: `FileError` if there is none.
  public static func path(of name: String, in folder: String) throws(FileError) -> String {
    let places = places(of: name, in: folder)
    guard let path = places.first(where: FileTree.exists) else {
      throw FileError(path: places[0], expected: "a picture, which truth.json names", found: "none")
    }
    return path
  }

  /// The largest coordinate, in px: more than the sides of any picture that is read.
  private static let farthest = 100_000.0

  /// What contradicts itself.
  private var mistake: (expected: String, found: String)? {
    let known = Set(states)
    if known.count < states.count { return ("different states", "one twice") }
    if let names, names.count != states.count {
      return ("a name for each of \(states.count) states", "\(names.count)")
    }
    if let places, places.count != states.count || !places.allSatisfy({ $0.count == 4 }) {
      return ("a centre and half sides for each of \(states.count) states", "others")
    }
    let points = (writing ?? []).flatMap { $0.strokes.joined() }
    if !points.allSatisfy({ $0.count == 2 && $0.allSatisfy { abs($0) <= Self.farthest } }) {
      return (
        "two coordinates of at most \(Int(Self.farthest)) for each point of the writing", "others"
      )
    }
    if let other = transitions.first(where: { $0.count != 3 }) {
      return ("transitions of source, target and symbols", "one of \(other.count) texts")
    }
    let ends = (lines ?? []).flatMap { [$0.from, $0.to].compactMap(\.self) }
    let named = initial + final + transitions.flatMap { $0.prefix(2) } + ends
    if let unknown = named.first(where: { !known.contains($0) }) {
      return ("one of the states", "`\(unknown)`")
    }
    return nil
  }

  /// The automaton, as comparisons take it; a place that is not known is not a number.
  ///
  /// It has names even where they do not count.
  public var diagram: Diagram {
    let diagramStates = states.enumerated().map { number, state in
      let place = places?[number]
      return Diagram.State(
        id: state,
        name: names?[number] ?? String(state.prefix { $0 != "#" }),
        initial: initial.contains(state), final: final.contains(state),
        center: place.map { Vector($0[0], $0[1]) } ?? Vector(.nan, .nan),
        radius: place.map { max($0[2], $0[3]) } ?? 0)
    }
    return Diagram(
      states: diagramStates,
      transitions: transitions.map { line in
        let symbols = line[2].split(separator: ",").map(String.init)
        return Diagram.Transition(from: line[0], to: line[1], symbols: symbols)
      }, strokes: [])
  }
}

extension DecodingError {
  /// Where the mistake is, as `a.png.states: …`.
  fileprivate var place: String {
    let context: Context
    switch self {
    case .typeMismatch(_, let other), .valueNotFound(_, let other), .keyNotFound(_, let other),
      .dataCorrupted(let other):
      context = other
    @unknown default: return "\(self)"
    }
    let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
    return (path + [context.debugDescription]).joined(separator: ": ")
  }
}
