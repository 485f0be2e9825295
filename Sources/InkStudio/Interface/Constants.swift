import Automata
import AutomatonEditor
import Ink
import InkImageIO

/// The constants that the page shares with the server; the page requests them at its start.
struct Constants: Encodable {
  /// A file format of documents.
  struct Format: Encodable, Equatable {
    var ending: String
    var title: String
    /// Whether it has pixels, so that it can have any scale and a transparent background.
    var hasScale = false
  }

  /// One of several choices, such as a level of the digit game.
  struct Choice: Encodable, Equatable {
    var name: String
    var title: String
  }

  /// Who asks: `owner`, `device`, `presenter` or `audience`.
  var visitor: String
  /// Whether the studio is shared with other devices.
  var isShared: Bool
  /// A kind of automaton that a document can have.
  struct Kind: Encodable, Equatable {
    var name: String
    var title: String
    /// What is typed at a state and at a transition.
    var state: String
    var label: String
    /// Whether the answer to a word is an output.
    var isTransducer = false
    /// Why there are no conversions, as a sentence; none for finite automata.
    var refusal: String?
  }

  /// The name of finite automata among the kinds.
  static let finiteKind = "finite"
  /// The kinds of automata, the usual one first.
  var kinds =
    [Kind(name: finiteKind, title: "Finite automaton", state: "q_0", label: "a, b, ε")]
    + Machine.Kind.allCases.map { kind in
      Kind(
        name: kind.rawValue, title: kind.title, state: kind == .moore ? "q0/x" : "q_0",
        label: kind.exampleLabel, isTransducer: kind.isTransducer,
        refusal: "Conversions are for finite automata: \(kind.reasonAgainstConversions).")
    }
  /// The largest scale of a PNG.
  var maximumScale = PictureFormat.maximumScale
  /// The maximum size of a file that is opened or imported, in bytes.
  var maximumFileBytes = BodyLimit.file
  /// The extensions of files that can be opened as documents: automata, ink and photographs.
  static let documentEndings = DocumentFormat.endings + DrawnFile.endings
  /// The same, for the page.
  var documentEndings = Self.documentEndings
  /// The formats in which a document can be saved.
  var savedForms = SavedFormat.all.map {
    Format(ending: $0.ending, title: $0.title, hasScale: $0 == .picture(.png))
  }
  /// The extensions of photographs.
  var photographEndings = Photograph.endings
  /// The extensions of files that can be imported as recordings.
  var recordingEndings = InkFile.Format.endings
  /// The extensions of files with recordings of sensors.
  var seriesEndings = SeriesFile.endings
  /// The shape to draw for each class.
  var meanings = [
    DrawnClass.state.rawValue: "a circle",
    DrawnClass.transition.rawValue: "an arrow or a line",
    DrawnClass.cycle.rawValue: "an arrow that returns to its start",
    DrawnClass.otherLabel: "any other shape: a letter, a scribble, a square",
  ]
  /// The number of latest recordings on the page.
  var shownRecordings = StudioInterface.shownRecordings
  /// The line width, the width of the background around text, the text size, and the dashes of dangling
  /// transitions, in canvas points.
  var lineWidth = Geometry.lineWidth
  var haloWidth = Geometry.haloWidth
  var textSize = Geometry.textSize
  /// The distance between two lines of a label, in canvas points.
  var lineHeight = Geometry.lineHeight
  var dashes = Geometry.dashes
  /// The size of indices and how far they are below the line, as shares of the text size.
  var indexScale = ShownText.indexScale
  var indexDrop = ShownText.indexDrop
  /// The reach of the eraser, in pixels.
  var eraserReach = EditorOptions().eraserReach
  /// The classes of drawings that become elements.
  var labels = DrawnClass.labels
  /// The conversions of one automaton, and the combinations of two.
  var conversions = Conversion.allCases.map { Choice(name: $0.rawValue, title: $0.title) }
  var combinations = Conversion.combinations.map { Choice(name: $0.name, title: $0.title) }
  /// The automata that can be opened as examples.
  var examples = ExampleAutomaton.all.map(\.title) + ExampleMachine.all.map(\.title)
  /// The radius of a state that a double-click adds, in canvas points.
  var stateRadius = EditorOptions().usualRadius
  /// The maximum length of the names of documents and learners, and of new models.
  var nameLength = FileName.maximumCharacters
  var modelNameLength = FileName.maximumWishedCharacters
  /// The characters of names, as the content of a character class in a regular expression.
  var nameCharacters = FileName.characterClass
  /// The maximum number of epochs.
  var epochs = Training.maximumEpochs
  /// The networks for a new model, the usual one first.
  var networks = Training.networks
  /// The levels of the digit game.
  var levels = Practice.Level.allCases.map { Choice(name: $0.rawValue, title: $0.title) }
  /// The number of new digits after which the model adapts to a learner again.
  var adaptsEvery = Practice.adaptsEvery
}
