import InkNetwork
import InkRecognizer

/// The network that sees a page of an automaton, and the numbers with which its answers are decoded.
package struct PageNetwork: Sendable {
  let recognizer: PageRecognizer
  package let decoding: PageDecoding
  /// The networks that judge its lines.
  let arrows: PageArrowNetworks

  /// Creates the network of a recogniser; errors call its model `name`.
  ///
  /// - Throws: `ModelError` if the model has other classes or fields than those of a page of an automaton, or stores a
  ///   number that pages are not decoded with, or one out of its range; or if the networks that judge its lines, which
  ///   come with this package, are missing.
  package init(_ recognizer: PageRecognizer, name: String = "model") throws(ModelError) {
    let model = recognizer.model
    for (field, expected, found) in [
      ("labels", PageNumbers.classes, model.labels), ("fields", PageNumbers.fields, model.fields),
    ] where found != expected {
      throw ModelError(
        path: name, field: field, expected: expected.joined(separator: ", "),
        found: found.isEmpty ? "none" : found.joined(separator: ", "))
    }
    let numbers = model.decision.decoding ?? [:]
    if let wrong = PageDecoding.firstWrong(in: numbers) {
      throw ModelError(
        path: name, field: "decision.decoding.\(wrong)",
        expected: PageDecoding.ranges[wrong]
          .map { "a number from \($0.lowerBound) to \($0.upperBound)" }
          ?? "only numbers that pages are decoded with (`inkstate calibrate` fits them again)",
        found: "\(numbers[wrong]!)")
    }
    (self.recognizer, decoding) = (recognizer, PageDecoding(byName: numbers)!)
    arrows = try .released()
  }

  /// Makes the network that comes with this package.
  ///
  /// - Throws: `ModelError` if its file is missing or damaged.
  package static func released() throws(ModelError) -> PageNetwork {
    try PageNetwork(PageRecognizer.released())
  }
}

extension PageRecognizer {
  /// Makes a recogniser with the model `page` that comes with this package, in the resources of the module
  /// `InkDiagram`: it tells rings, lines, heads and writing apart.
  ///
  /// - Throws: `ModelError` if the file is missing, with the folders where it was looked for, or damaged.
  public static func released() throws(ModelError) -> PageRecognizer {
    let resources = ModuleResources(module: "InkDiagram")
    return try PageRecognizer(modelPath: resources.path(of: "page.safetensors"))
  }
}
