import Foundation
import Ink
import SeededRandom

/// Composes pages with automata, as people draw and photograph them, with their truth.
///
/// All writing of a page is that of one person. Rings, arrows and heads are those of one other person,
/// or drawn. The seed and the number of a page decide everything.
public struct PageComposer: Sendable {
  /// The random seed.
  public let seed: UInt64
  /// What differs from page to page.
  public var variety: PageVariety
  /// The width and height of the pictures, in px.
  public let size: (width: Int, height: Int)
  /// How many times as wide and as high a photograph is as its page.
  public let enlargement: Double
  private let writers: [PageWriter]
  private let shapes: [PageShapes]

  /// Creates a composer.
  ///
  /// - Precondition: there is a writer, and a picture has at least 32 × 32 px.
  public init(
    seed: UInt64, width: Int = 384, height: Int = 384, variety: PageVariety = PageVariety(),
    enlargement: Double = 1, writers: [PageWriter], shapes: [PageShapes] = []
  ) {
    precondition(!writers.isEmpty, "pages need a writer")
    precondition(width >= 32 && height >= 32, "a page of \(width) × \(height) px is too small")
    (self.seed, self.variety, self.writers, self.shapes) = (seed, variety, writers, shapes)
    size = (width, height)
    self.enlargement = enlargement
  }

  /// Returns page number `index`, from 0.
  public func page(_ index: Int) -> Page {
    var dice = PageDice(
      variety, generator: SeededGenerator(seed: seed, stream: 0x9a6e, UInt64(index)))
    let writer = dice.generator.pick(writers)
    let isRecorded = dice.happens(.recordedShapes)
    let shapes = shapes.isEmpty || !isRecorded ? nil : dice.generator.pick(shapes)
    let turn =
      dice.number(.turn) * .pi / 180 + Double(dice.count(.quarterTurns)) * .pi / 2
    // What is turned by about a quarter fills the picture as it is seen.
    let isAcross = abs(sin(turn)) > abs(cos(turn))
    var draft = PageDraft(
      width: isAcross ? size.height : size.width, height: isAcross ? size.width : size.height,
      writer: writer, shapes: shapes, dice: dice)
    draft.compose()
    var page = Page(width: size.width, height: size.height, writer: writer.name)
    (page.strokes, page.states) = (draft.page.strokes, draft.page.states)
    (page.arrows, page.texts, page.turn) = (draft.page.arrows, draft.page.texts, turn)
    page.drawn = draft.dice.drawn
    let shift = Vector(
      Double(size.width - draft.page.width) / 2, Double(size.height - draft.page.height) / 2)
    return page.shifted(by: shift)
  }
}

extension Page {
  fileprivate func shifted(by shift: Vector) -> Page {
    guard shift != Vector(0, 0) else { return self }
    var page = self
    for index in page.strokes.indices {
      page.strokes[index].path = strokes[index].path.map { $0 + shift }
    }
    for index in page.states.indices { page.states[index].center = states[index].center + shift }
    for index in page.arrows.indices {
      page.arrows[index].path = arrows[index].path.map { $0 + shift }
    }
    return page
  }
}

/// What the drawer of a page does in the same way all over it.
struct PageHabits {
  let radius: Double
  let scatter: Double
  let aspect: Double
  let angle: Double
  let exponent: Double
  let areDots: Bool
  let spacing: Double
  let tremor: Double
  let innerRing: Double
  let content: StateContent
  let nameHeight: Double
  let hasNamesOutside: Bool
  let headLength: Double
  let headOpening: Double
  let headStyle: HeadStyle
  let gap: Double
  let loopSize: Double
  let symbolHeight: Double
  let penWidth: Double

  init(using dice: inout PageDice) {
    radius = dice.number(.stateSize) / 2
    scatter = dice.number(.stateScatter)
    content = dice.choose(.stateContent)
    var aspect = dice.number(.stateAspect)
    // Words need wide states.
    if content == .words, aspect < 1.25 { aspect = dice.number(.stateAspect) }
    self.aspect = aspect
    angle = dice.number(.stateAngle) * .pi / 180
    let squareness = dice.number(.squareness)
    exponent = dice.happens(.boxes) ? .infinity : squareness
    areDots = dice.happens(.dots)
    spacing = dice.number(.spacing)
    tremor = dice.number(.tremor) * radius
    innerRing = dice.number(.innerRing)
    nameHeight = dice.number(.nameHeight) * radius
    hasNamesOutside = dice.happens(.nameOutside) || areDots
    headLength = dice.number(.headLength) * radius
    headOpening = dice.number(.headOpening) * .pi / 180
    headStyle = dice.choose(.headStyle)
    gap = dice.number(.arrowGap)
    loopSize = dice.number(.loopSize)
    symbolHeight = dice.number(.symbolHeight) * radius
    // A pen much wider would leave no letters.
    penWidth = min(dice.number(.penWidth), 0.8 + 0.12 * radius)
  }
}
