import SeededRandom

/// The values that a trait of a page can have.
public enum PageValues: Hashable, Sendable {
  /// Numbers of a range; `share` of them are `usual`.
  case range(ClosedRange<Double>, usual: ClosedRange<Double>, share: Double)
  /// True with a probability.
  case chance(Double)
  /// One of several, with weights.
  case choice([Double])

  /// The values at the ends: the smallest and the largest number, always, or each single choice.
  public var ends: [PageValues] {
    switch self {
    case .range(let range, _, _):
      [range.lowerBound, range.upperBound].map(Self.only)
    case .chance: [.chance(0), .chance(1)]
    case .choice(let weights):
      weights.indices.map { chosen in .choice(weights.indices.map { $0 == chosen ? 1 : 0 }) }
    }
  }

  /// The usual values only, where there are some.
  fileprivate var usual: PageValues {
    guard case .range(_, let usual, _) = self else { return self }
    return .even(usual)
  }

  /// Numbers of a range, none more usual than others.
  static func even(_ range: ClosedRange<Double>) -> PageValues {
    .range(range, usual: range, share: 1)
  }

  /// One number only.
  static func only(_ value: Double) -> PageValues { even(value...value) }

  /// One of the choices only.
  fileprivate static func only<Choice: CaseIterable & RawRepresentable<Int>>(
    _ choice: Choice
  ) -> PageValues {
    .choice((0..<Choice.allCases.count).map { $0 == choice.rawValue ? 1 : 0 })
  }

  func draw(using generator: inout SeededGenerator) -> Double {
    switch self {
    case .range(let range, let usual, let share):
      return generator.uniform(generator.chance(share) ? usual : range)
    case .chance(let probability): return generator.chance(probability) ? 1 : 0
    case .choice(let weights):
      var rest = generator.uniform() * weights.reduce(0, +)
      for (index, weight) in weights.enumerated() {
        rest -= weight
        if rest < 0 { return Double(index) }
      }
      return Double(weights.lastIndex { $0 > 0 } ?? 0)
    }
  }
}

/// The values of all traits of pages.
public struct PageVariety: Hashable, Sendable {
  private var values = PageTrait.allCases.map(\.people)

  /// Creates the variety of people's drawings.
  public init() {}

  /// The variety of drawings whose writing is large and sharp enough to be read, with an automaton on each page.
  public static var legible: PageVariety {
    var variety = PageVariety()
    variety[.stateSize] = .range(30...200, usual: 50...120, share: 0.85)
    variety[.nameHeight] = .range(0.35...1, usual: 0.5...0.85, share: 0.85)
    variety[.symbolHeight] = .range(0.3...0.95, usual: 0.45...0.8, share: 0.85)
    variety[.penWidth] = .range(1...5, usual: 1.2...2.8, share: 0.85)
    variety[.blur] = .range(0...1.4, usual: 0...0.7, share: 0.85)
    variety[.originalSize] = .range(0.6...1, usual: 1...1, share: 0.85)
    variety[.noAutomaton] = .chance(0)
    // Outputs, patterns and words need more practice than people's drawings have of them.
    variety[.symbolKind] = .choice([0.3, 4, 3, 1.2, 0.7, 3, 2, 4])
    return variety
  }

  /// The variety of one automaton as most people draw it with a pen: round states, arrows that reach them, and at
  /// most a title and a remark beside it.
  static var plain: PageVariety {
    var variety = PageVariety()
    for trait in PageTrait.allCases { variety[trait] = trait.people.usual }
    let rare: [PageTrait] = [
      .boxes, .dots, .filledState, .nameOutside, .headAtBothEnds, .brokenArrow, .retracedArrow,
      .doubleLine, .sharedEnd, .initialWord, .numbering, .table, .otherAutomaton, .noAutomaton,
      .crossedOut, .remarkArrow,
    ]
    for trait in rare { variety[trait] = .chance(0) }
    variety[.stateSize] = .even(64...132)
    variety[.spacing] = .even(0.9...2)
    // A ring that is drawn twice looks like that of a final state.
    variety[.ringForm] = .choice([8, 1, 0, 1])
    variety[.nameHeight] = .even(0.5...0.9)
    variety[.symbolHeight] = .even(0.5...0.9)
    variety[.arrowForm] = .choice([5, 5, 0, 0, 0])
    variety[.headStyle] = .choice([4, 3, 1.5, 0, 0.7, 0])
    variety[.initialMarker] = .choice([0, 9, 1, 0])
    variety[.symbolPlace] = .choice([6, 3, 0.1, 0.3])
    variety[.title] = .chance(0.09)
    variety[.remarks] = .range(0...1, usual: 0...0, share: 0.9)
    return variety
  }

  /// The values of a trait.
  public subscript(trait: PageTrait) -> PageValues {
    get { values[trait.rawValue] }
    set { values[trait.rawValue] = newValue }
  }
}

extension PageTrait {
  /// The values of people's drawings.
  ///
  /// This is the table "the generator: what people draw" of the design. The ranges are those that were
  /// seen; how often something occurs is an estimate.
  public var people: PageValues {
    switch self {
    case .stateCount: .range(1...24, usual: 2...8, share: 0.8)
    case .fullness: .range(0...0.9, usual: 0...0.3, share: 0.6)
    case .layout: .choice([3, 1, 3, 1.5, 1.5, 4])
    case .spacing: .range(0.15...3, usual: 0.5...1.6, share: 0.75)
    case .stateSize: .range(8...400, usual: 26...110, share: 0.85)
    case .stateScatter: .range(0...0.4, usual: 0...0.1, share: 0.75)
    case .stateAspect: .range(0.4...5, usual: 0.92...1.12, share: 0.55)
    case .stateAngle: .range(-15...15, usual: -3...3, share: 0.7)
    case .squareness: .range(2...12, usual: 2...2.5, share: 0.85)
    case .boxes: .chance(0.1)
    case .dots: .chance(0.03)
    case .filledState: .chance(0.02)

    case .ringForm: .choice([8, 1, 1, 1])
    case .ringOvershoot: .range(-0.06...0.25, usual: -0.01...0.1, share: 0.6)
    case .ringGap: .range(0...0.15, usual: 0...0.08, share: 0.5)
    case .ringDrift: .range(-0.12...0.12, usual: -0.04...0.04, share: 0.7)
    case .tremor: .range(0...0.1, usual: 0.01...0.04, share: 0.8)
    case .finalState: .chance(0.25)
    case .innerRing: .range(0.5...0.95, usual: 0.7...0.9, share: 0.7)
    case .innerShift: .range(0...0.1, usual: 0...0.04, share: 0.7)

    case .stateContent: .choice([1, 2, 4, 1.5, 4, 0.7, 0.3])
    case .wordLines: .range(1...4, usual: 1...2, share: 0.7)
    case .nameHeight: .range(0.25...1, usual: 0.45...0.8, share: 0.8)
    case .nameOutside: .chance(0.05)

    case .headLength: .range(0.15...1, usual: 0.25...0.55, share: 0.65)
    case .headOpening: .range(30...90, usual: 40...70, share: 0.6)
    case .headStyle: .choice([4, 3, 1, 1.5, 0.5, 0.3])
    case .headAtBothEnds: .chance(0.04)

    case .arrowGap: .range(-0.3...1, usual: -0.04...0.15, share: 0.75)
    case .arrowForm: .choice([5, 5, 0.7, 0.7, 0.7])
    case .bow: .range(-0.5...0.5, usual: -0.2...0.2, share: 0.65)
    case .brokenArrow: .chance(0.04)
    case .arrowPieces: .range(2...3, usual: 2...2, share: 0.5)
    case .retracedArrow: .chance(0.03)
    case .doubleLine: .chance(0.015)
    case .sharedEnd: .chance(0.05)
    case .allReached: .chance(0.85)

    case .loop: .chance(0.3)
    case .loopOpening: .range(0...0.8, usual: 0.15...0.6, share: 0.7)
    case .loopSize: .range(0.4...2.5, usual: 0.7...1.4, share: 0.7)
    case .loopPlace: .choice([5, 1, 1, 1, 2])

    case .initialMarker: .choice([2, 6, 0.7, 0.4])
    case .initialPlace: .choice([5, 1, 2])
    case .initialLength: .range(0.6...5, usual: 0.6...2, share: 0.65)
    case .initialWord: .chance(0.2)

    case .symbolKind: .choice([0.7, 6, 3, 0.7, 0.7, 1.2, 0.7, 2])
    case .symbolCount: .range(1...6, usual: 2...3, share: 0.7)
    case .symbolPlace: .choice([6, 3, 0.5, 0.5])
    case .symbolTurn: .range(-90...90, usual: -6...6, share: 0.85)
    case .symbolHeight: .range(0.25...0.95, usual: 0.35...0.7, share: 0.8)

    case .title: .chance(0.15)
    case .numbering: .chance(0.1)
    case .remarks: .range(0...6, usual: 0...2, share: 0.75)
    case .table: .chance(0.08)
    case .otherAutomaton: .chance(0.15)
    case .noAutomaton: .chance(0.04)
    case .crossedOut: .chance(0.05)
    case .remarkArrow: .chance(0.05)

    case .penWidth: .range(1...12, usual: 1.2...3.4, share: 0.85)
    case .contrast: .range(0.1...0.95, usual: 0.45...0.9, share: 0.7)
    case .recordedShapes: .chance(0.4)

    case .surface: .choice([8, 1, 2, 1.2, 1, 2.5, 0.7, 0.7])
    case .paperLines: .choice([5, 4, 2, 0.6])
    case .lineSpacing: .range(6...70, usual: 12...36, share: 0.8)
    case .lineStrength: .range(0.03...0.8, usual: 0.06...0.3, share: 0.65)
    case .marginLine: .chance(0.15)
    case .holes: .chance(0.08)
    case .spiral: .chance(0.06)
    case .sheetEdges: .range(0...3, usual: 0...0, share: 0.72)
    case .fingers: .range(0...2, usual: 0...0, share: 0.92)
    case .folds: .range(0...3, usual: 0...0, share: 0.85)

    case .dimmestLight: .range(0.35...1, usual: 0.65...1, share: 0.7)
    case .shadow: .chance(0.2)
    case .reflection: .chance(0.06)
    case .tilt: .range(0...25, usual: 0...8, share: 0.6)
    case .turn: .range(-180...180, usual: -5...5, share: 0.92)
    case .quarterTurns: .range(0...3, usual: 0...0, share: 0.92)
    case .blur: .range(0...2.2, usual: 0...0.8, share: 0.75)
    case .noise: .range(0...16, usual: 0...4, share: 0.75)
    case .originalSize: .range(0.4...1, usual: 1...1, share: 0.85)
    case .compressed: .chance(0.65)
    case .jpegQuality: .range(30...95, usual: 60...92, share: 0.6)
    }
  }

  /// The names of the choices, or `nil` for numbers and chances.
  public var choiceNames: [String]? {
    func names<Choice: CaseIterable>(_: Choice.Type) -> [String] {
      Choice.allCases.map { "\($0)" }
    }
    return switch self {
    case .layout: names(PageLayout.self)
    case .ringForm: names(RingForm.self)
    case .stateContent: names(StateContent.self)
    case .headStyle: names(HeadStyle.self)
    case .arrowForm: names(ArrowForm.self)
    case .loopPlace: names(LoopPlace.self)
    case .initialMarker: names(InitialMarker.self)
    case .initialPlace: names(InitialPlace.self)
    case .symbolKind: names(SymbolKind.self)
    case .symbolPlace: names(SymbolPlace.self)
    case .surface: names(PageSurface.self)
    case .paperLines: names(PaperRuling.self)
    default: nil
    }
  }
}

extension PageVariety {
  /// Returns the variety of pages on which `trait` has `values` and can be seen: all else is usual, and
  /// what it depends on occurs.
  public static func showing(_ trait: PageTrait, _ values: PageValues) -> PageVariety {
    var variety = PageVariety()
    for other in PageTrait.allCases { variety[other] = other.people.usual }
    variety[.surface] = .only(PageSurface.white)
    variety[.turn] = .only(0)
    variety[.contrast] = .only(0.8)
    variety[.noAutomaton] = .chance(0)
    for (needed, values) in trait.conditions { variety[needed] = values }
    variety[trait] = values
    return variety
  }
}

extension PageTrait {
  /// The values of other traits without which this one is not seen.
  fileprivate var conditions: [(PageTrait, PageValues)] {
    switch self {
    case .stateCount: [(.fullness, .only(0))]
    case .squareness, .ringForm, .filledState: [(.boxes, .chance(0)), (.dots, .chance(0))]
    case .ringOvershoot, .ringDrift:
      [(.ringForm, .only(RingForm.whole)), (.recordedShapes, .chance(0)), (.boxes, .chance(0))]
    case .ringGap: [(.ringForm, .only(RingForm.open)), (.boxes, .chance(0))]
    case .innerRing, .innerShift: [(.finalState, .chance(1)), (.dots, .chance(0))]
    case .stateContent, .nameHeight: [(.nameOutside, .chance(0)), (.dots, .chance(0))]
    case .wordLines: [(.stateContent, .only(StateContent.words)), (.nameOutside, .chance(0))]
    case .headLength, .headOpening: [(.headStyle, .choice([1, 1, 0, 0, 0, 0]))]
    case .bow: [(.arrowForm, .only(ArrowForm.bowed))]
    case .arrowForm: [(.spacing, .only(1.4))]
    case .arrowPieces: [(.brokenArrow, .chance(1))]
    case .loopOpening, .loopSize, .loopPlace: [(.loop, .chance(1))]
    case .initialPlace, .initialLength, .initialWord: [(.initialMarker, .only(InitialMarker.arrow))]
    case .symbolCount: [(.symbolKind, .only(SymbolKind.list))]
    case .symbolTurn: [(.symbolKind, .only(SymbolKind.words))]
    case .lineSpacing, .lineStrength: [(.paperLines, .only(PaperRuling.squared))]
    case .reflection: [(.surface, .only(PageSurface.whiteboard))]
    case .jpegQuality: [(.compressed, .chance(1))]
    default: []
    }
  }
}

/// Draws the traits of one page, and keeps what was drawn.
struct PageDice: Sendable {
  private let variety: PageVariety
  var generator: SeededGenerator
  /// What was drawn for each trait, in order; choices are numbers, chances 0 or 1.
  private(set) var drawn = [[Double]](repeating: [], count: PageTrait.allCases.count)

  init(_ variety: PageVariety, generator: SeededGenerator) {
    (self.variety, self.generator) = (variety, generator)
  }

  /// Returns a number for a trait.
  mutating func number(_ trait: PageTrait) -> Double {
    let value = variety[trait].draw(using: &generator)
    drawn[trait.rawValue].append(value)
    return value
  }

  /// Returns a whole number for a trait.
  mutating func count(_ trait: PageTrait) -> Int { Int(number(trait).rounded()) }

  /// Returns whether a trait occurs.
  mutating func happens(_ trait: PageTrait) -> Bool { number(trait) > 0 }

  /// Returns a choice for a trait.
  mutating func choose<Choice: RawRepresentable<Int>>(_ trait: PageTrait) -> Choice {
    Choice(rawValue: Int(number(trait)))!
  }
}
