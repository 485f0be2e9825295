import Ink

extension Interpretation {
  /// Interprets the strokes that were traced in a picture as the network sees the page.
  ///
  /// The states and arrows are those of the page; each stroke is what most of its cells are, and belongs to the
  /// nearest element.
  init(of traces: [Trace], in sight: PageSight, _ picture: any DiagramPicture) {
    let (page, seen) = (sight.reading, sight.automaton)
    func place(_ cell: Vector) -> Vector { picture.drawingPlace(ofPixel: page.place(cell)) }
    let rings = seen.states.map { Ring([$0.rim.map(place)], strokes: []) }
    // From left to right, whatever the order of the votes.
    let order = seen.states.indices.filter { rings[$0] != nil }.sorted {
      let (one, other) = (rings[$0]!.center, rings[$1]!.center)
      return (one.x, one.y) < (other.x, other.y)
    }
    let numbers = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    states = order.map {
      StateCandidate(
        ring: rings[$0]!, strokes: [], isFinal: seen.states[$0].finalOdds > 0,
        evidence: seen.states[$0].odds)
    }
    arrows = seen.arrows.compactMap { arrow -> ArrowCandidate? in
      // An outline without an area is no state.
      guard [arrow.from, arrow.to].allSatisfy({ $0 == nil || numbers[$0!] != nil }) else {
        return nil
      }
      // A direction below 0 is one against the heads, of an arrow that was turned.
      var candidate = ArrowCandidate(
        shaft: Shaft(strokes: [], path: arrow.path.map(place)), heads: [],
        from: arrow.from.map { numbers[$0]! }, to: arrow.to.map { numbers[$0]! }, cost: 0,
        hasHead: arrow.headAtTip > PageNumbers.leastHead && arrow.direction > 0)
      candidate.saving = arrow.oddsIfChosen
      return candidate
    }
    arrows.sort { ($0.from ?? -1, $0.to ?? -1) < ($1.from ?? -1, $1.to ?? -1) }
    scale = states.map(\.ring.radius).median() ?? 0
    (writing, cost) = ([], 0)
    isTraced = true
    var written: [Trace] = []
    let rims = states.map(\.ring)
    for trace in traces {
      let shares = page.shares(of: trace.points.map(picture.pixel(at:)))
      /// The ring whose outline the stroke is nearest to: a whole ring has its middle in the state.
      func nearestRim() -> (state: Int, distance: Double)? {
        rims.enumerated().map { state, ring in
          let sum = trace.points.reduce(0) { $0 + abs(ring.share(of: $1) - 1) }
          return (state, sum / Double(trace.points.count))
        }.min { $0.1 < $1.1 }
      }
      switch shares.indices.max(by: { shares[$0] < shares[$1] }) {
      case PageNumbers.writing:
        // A part of a ring can look like a bracket.
        if let rim = nearestRim(), rim.distance < PageNumbers.onOutline,
          trace.size > PageNumbers.partOfOutline * rims[rim.state].radius
        {
          states[rim.state].strokes.append(trace.index)
        } else {
          written.append(trace)
        }
      case PageNumbers.ring:
        if let rim = nearestRim() { states[rim.state].strokes.append(trace.index) }
      case PageNumbers.line, PageNumbers.head:
        func apart(_ arrow: ArrowCandidate) -> Double {
          arrow.shaft.path.reduce(.infinity) { min($0, $1.distance(to: trace.mean)) }
        }
        let near = arrows.indices.min { apart(arrows[$0]) < apart(arrows[$1]) }
        if let near, apart(arrows[near]) < scale {
          arrows[near].shaft.strokes.append(trace.index)
        }
      default: break
      }
    }
    let pageWriting = PageWriting(sight.marks, of: page, traces: written, in: picture)
    (self.pageWriting, writing) = (pageWriting, pageWriting.marks)
  }

  /// Returns the strokes of a line of writing.
  func strokes(of line: TextLine) -> [Int] { pageWriting?.strokes(of: line) ?? line.strokes }

  /// Returns what a line of writing in `drawing` looks like.
  ///
  /// - Parameter angle: How far it is turned clockwise from where its baseline is level, in radians.
  func writing(
    _ line: TextLine, in drawing: Drawing, turnedBy angle: Double
  ) -> LabelReader.Writing {
    let turn = angle - line.slope
    let across = Vector(angle: line.slope + .pi / 2, length: 1)
    let own = strokes(of: line).map { drawing.strokes[$0] }.filter { stroke in
      guard let band = line.band else { return true }
      let inside = stroke.points.count { band.contains(Vector($0).dot(across)) }
      return 2 * inside > stroke.points.count
    }
    let strokes = Drawing(own).transformed(by: .rotation(turn))
    guard isTraced else { return .ink(strokes) }
    return .picture(pageWriting?.strip(of: line, turnedBy: turn), strokes)
  }
}
