import Ink

extension Interpretation {
  /// Interprets the strokes that were traced in a picture as the network sees the page.
  ///
  /// The states and arrows are those of the page; each stroke is what most of its cells are, and belongs to the
  /// nearest element.
  init(of traces: [Trace], in page: PageReading, _ picture: any DiagramPicture) {
    func place(_ cell: Vector) -> Vector { picture.drawingPlace(ofPixel: page.place(cell)) }
    // From left to right, whatever the order of the votes.
    let order = page.states.indices.sorted {
      let (one, other) = (place(page.states[$0].center), place(page.states[$1].center))
      return (one.x, one.y) < (other.x, other.y)
    }
    let numbers = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    states = order.compactMap { number in
      let state = page.states[number]
      guard let ring = Ring([state.rim.map(place)], strokes: []) else { return nil }
      return StateCandidate(
        ring: ring, strokes: [], isFinal: state.finalOdds > 0, evidence: Self.sure)
    }
    precondition(states.count == order.count, "an outline around a centre has an ellipse")
    arrows = page.arrows.flatMap { arrow in
      var candidate = ArrowCandidate(
        shaft: Shaft(path: arrow.path.map(place)), heads: [],
        from: arrow.from.map { numbers[$0]! }, to: arrow.to.map { numbers[$0]! }, cost: 0,
        hasHead: arrow.direction > PageNumbers.knownDirection
          && arrow.headAtTip > PageNumbers.leastHead)
      let isWeak =
        arrow.votes < PageNumbers.weakVotes || arrow.own < PageNumbers.weakOwn
      candidate.saving = isWeak ? Self.doubtful : Self.sure
      guard arrow.hasTwoHeads, arrow.from != arrow.to, arrow.from != nil else { return [candidate] }
      var back = candidate
      back.shaft = back.shaft.reversed
      swap(&back.from, &back.to)
      return [candidate, back]
    }
    arrows.sort { ($0.from ?? -1, $0.to ?? -1) < ($1.from ?? -1, $1.to ?? -1) }
    scale = states.map(\.ring.radius).median() ?? 0
    (writing, others, cost) = ([], [], 0)
    let rims = states.map(\.ring)
    for trace in traces {
      switch page.pageClass(of: trace.points.map(picture.pixel(at:))) {
      case PageNumbers.writing:
        writing.append(trace)
      case PageNumbers.ring:
        let distances = rims.map { abs($0.share(of: trace.mean) - 1) }
        if let nearest = distances.indices.min(by: { distances[$0] < distances[$1] }) {
          states[nearest].strokes.append(trace.index)
        }
      case PageNumbers.line, PageNumbers.head:
        func apart(_ arrow: ArrowCandidate) -> Double {
          arrow.line.reduce(.infinity) { min($0, $1.distance(to: trace.mean)) }
        }
        let near = arrows.indices.min { apart(arrows[$0]) < apart(arrows[$1]) }
        if let near, apart(arrows[near]) < scale {
          arrows[near].shaft.strokes.append(trace.index)
        } else {
          others.append(trace)
        }
      default: others.append(trace)
      }
    }
  }

  /// The logarithm of the odds of what the network sees, and of lines that lead elsewhere too.
  private static let (sure, doubtful) = (3.0, 1.0)
}

extension Shaft {
  /// Creates the line of an arrow without strokes.
  fileprivate init(path: [Vector]) {
    (self.strokes, self.path) = ([], path)
  }
}
