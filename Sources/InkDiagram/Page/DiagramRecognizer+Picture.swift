import Foundation
import Ink
import InkRaster
import ParallelLoops

extension DiagramRecognizer {
  /// Recognises the automaton in a picture, whichever way the picture lies.
  ///
  /// The pixels tell the states and arrows, and what each stroke is. The writing is read at four quarter turns: upright is
  /// the one at which it can be read best, marks are whole characters, and the network is surest of what it sees, if it
  /// is clearly better than the picture as it lies.
  ///
  /// - Parameters:
  ///   - picture: The picture and the strokes that were traced in it.
  ///   - vocabulary: Names and symbols that are likely in it.
  ///   - alphabet: The only symbols in it besides `ε`; empty if any symbol can be.
  ///   - workers: The number of cores that look at the page and read the writing.
  /// - Returns: The diagram of the upright drawing of the picture as it is returned.
  public func recognize<Picture: DiagramPicture>(
    _ picture: Picture, vocabulary: [String] = [], alphabet: [String] = [],
    workers: Int = ProcessInfo.processInfo.activeProcessorCount
  ) -> (diagram: Diagram, upright: Picture) {
    recognize(
      picture, seen: see(picture.page, workers: workers), vocabulary: vocabulary,
      alphabet: alphabet, workers: workers)
  }

  /// Recognises the automaton in a picture whose page was looked at, or is looked at if there is ink in it.
  ///
  /// - Precondition: `look` gives what ``see(_:workers:)`` returns for the page of `picture`.
  package func recognize<Picture: DiagramPicture>(
    _ picture: Picture, seen look: @autoclosure () -> Sight, vocabulary: [String],
    alphabet: [String], workers: Int
  ) -> (diagram: Diagram, upright: Picture) {
    let drawing = picture.uprightDrawing
    guard !drawing.traces.isEmpty else { return (.empty(of: drawing), picture) }
    let seen = look()
    let (views, uprightness) = turns(of: picture, seen: seen.page, workers: workers)
    let best = Self.quarterTurns(uprightness: uprightness, sureness: seen.sureness)
    var view = views[best]
    if best != 0 {
      // The network knows upright pages best.
      let reading = PageReading(
        of: picture.page, quarters: best, with: network, workers: workers)
      view = View(of: view.picture, seen: PageSight(reading))
    }
    let diagram = diagram(
      view.labels, of: view.drawing,
      with: LabelReader(
        reader: reader, vocabulary: vocabulary, alphabet: alphabet, workers: workers))
    return (diagram, view.picture)
  }

  /// What the network sees on a page, and how sure it is of that after 0 to 3 quarter turns clockwise.
  package typealias Sight = (page: PageSight, sureness: [Double])

  /// Looks at a page as it lies.
  ///
  /// - Parameters:
  ///   - page: A picture as photographed, in grey, with at least one pixel (``DiagramPicture/page``).
  ///   - workers: The number of cores that look at the page.
  package func see(_ page: Bitmap, workers: Int) -> Sight {
    (
      PageSight(PageReading(of: page, with: network, workers: workers)),
      PageReading.sureness(of: page, with: network.recognizer, workers: workers)
    )
  }

  /// Recognises a picture again, in which a person found a state that was missed.
  ///
  /// Where the network sees no ring, the missed state is a circle of the usual size.
  ///
  /// - Parameters:
  ///   - known: The states, in the upright drawing of `picture`.
  ///   - quarters: The quarter turns clockwise after which the picture is upright.
  /// - Returns: The diagram of the upright drawing of the picture as it is returned, with the known states, the missed one
  ///   and their arrows, and the id of the missed one; `nil` if there is no ink, or that one is not in the picture.
  public func recognize<Picture: DiagramPicture>(
    _ picture: Picture, with known: KnownStates, quarters: Int,
    workers: Int = ProcessInfo.processInfo.activeProcessorCount
  ) -> (diagram: Diagram, missed: String, upright: Picture)? {
    guard !picture.uprightDrawing.traces.isEmpty else { return nil }
    // Pixels are squares.
    let scale = (picture.pixel(at: Vector(1, 0)) - picture.pixel(at: Vector(0, 0))).length
    guard
      let known = known.moved(scale: scale, by: picture.pixel)
        .inside(width: picture.page.width, height: picture.page.height)
    else { return nil }
    let page = PageReading(
      of: picture.page, quarters: quarters, known: known, with: network, workers: workers)
    let missed = page.states[known.states.count]
    let view = View(of: picture.turned(byQuarters: quarters), seen: PageSight(page))
    let diagram = diagram(
      view.labels, of: view.drawing,
      with: LabelReader(reader: reader, vocabulary: [], alphabet: [], workers: workers))
    let place = view.picture.drawingPlace(ofPixel: page.place(missed.center))
    let nearest = diagram.states.min {
      $0.center.distance(to: place) < $1.center.distance(to: place)
    }
    guard let nearest, nearest.center.distance(to: place) < nearest.radius else { return nil }
    return (diagram, nearest.id, view.picture)
  }

  /// Returns a picture after 0 to 3 quarter turns clockwise, and how its writing looks then.
  private func turns<Picture: DiagramPicture>(
    of picture: Picture, seen: PageSight, workers: Int
  ) -> (views: [View<Picture>], uprightness: [Uprightness?]) {
    // What is expected can be read into a drawing that lies.
    let unbiased = LabelReader(reader: reader, vocabulary: [], alphabet: [], workers: workers)
    let views = ParallelLoop(workers: workers).map(4) { quarters, _ in
      View(of: picture.turned(byQuarters: quarters), seen: seen)
    }
    return (views, views.map { $0.uprightness(with: unbiased) })
  }

  /// Returns how the writing of a picture looks after 0 to 3 quarter turns clockwise; `nil` where there is hardly any.
  func uprightness(of picture: some DiagramPicture, seen: PageSight, workers: Int) -> [Uprightness?]
  {
    turns(of: picture, seen: seen, workers: workers).uprightness
  }

  /// Returns after how many quarter turns clockwise a picture is upright.
  ///
  /// - Parameters:
  ///   - uprightness: How its writing looks at each turn; `nil` where there is hardly any.
  ///   - sureness: How sure the network is of what it sees at each turn.
  static func quarterTurns(uprightness: [Uprightness?], sureness: [Double]) -> Int {
    // Without writing to compare with, the picture stays as it is.
    guard uprightness[0] != nil else { return 0 }
    let counts = uprightness.compactMap { $0?.characterCount }
    // Many characters say more than few, though less than if each were read alone.
    let trust = (Double(counts.reduce(0, +)) / Double(counts.count)).squareRoot()
    let logOdds = uprightness.indices.map { quarters in
      uprightness[quarters].map { writing in
        PageNumbers.turnLegibility * trust * writing.legibility
          + PageNumbers.turnCharacters
          * log(Double(writing.characterCount) / Double(writing.markCount))
          + PageNumbers.turnSureness * sureness[quarters]
          - (quarters == 0 ? 0 : PageNumbers.otherTurn)
      } ?? -.infinity
    }
    return logOdds.indices.max { logOdds[$0] < logOdds[$1] }!
  }

  /// How a sample of the writing of a picture looks at one of the quarter turns.
  struct Uprightness: Encodable {
    /// The mean score of a character; see ``LabelReader/legibility(names:symbols:as:)``.
    var legibility: Double
    /// The numbers of characters that were read, and of the marks in which they were read.
    var (characterCount, markCount): (Int, Int)
  }

  /// A picture at one of the quarter turns.
  private struct View<Picture: DiagramPicture>: Sendable {
    let picture: Picture
    let drawing: Drawing
    let labels: LabelSearch

    init(of picture: Picture, seen: PageSight) {
      (self.picture, drawing) = (picture, picture.uprightDrawing)
      labels = .ofPicture(Interpretation(of: drawing.traces, in: seen, picture))
    }

    /// Returns how a sample of the names and symbols looks; `nil` if there is hardly any writing.
    func uprightness(with labelReader: LabelReader) -> Uprightness? {
      let interpretation = labels.interpretation
      func first(_ lines: some Sequence<TextLine>) -> [TextLine] {
        Array(lines.sorted { $0.strokes[0] < $1.strokes[0] }.prefix(PageNumbers.turnSample))
      }
      let names = first(labels.names.values.flatMap(\.rows))
      let symbols = first(labels.symbols.values.joined())
      let markCount = (names + symbols).reduce(0) { $0 + $1.traces.count }
      guard markCount >= PageNumbers.leastTurnMarks else { return nil }
      let (legibility, characterCount) = labelReader.legibility(names: names, symbols: symbols) {
        interpretation.writing($0, in: drawing, turnedBy: 0)
      }
      return Uprightness(
        legibility: legibility, characterCount: characterCount, markCount: markCount)
    }
  }
}

extension Drawing {
  /// The strokes that can be recognised.
  var traces: [Trace] { strokes.enumerated().compactMap { Trace($1, index: $0) } }
}

extension Diagram {
  /// The diagram of a drawing without strokes.
  static func empty(of drawing: Drawing) -> Diagram {
    Diagram(
      states: [], transitions: [], strokes: drawing.strokes.map { _ in .init(.other) },
      rejection: .empty)
  }
}
