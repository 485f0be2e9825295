import AutomatonEditor
import Ink

/// The constants that the page shares with the server; the page requests them at its start.
struct Constants: Encodable {
  /// A file format of documents.
  struct Form: Encodable, Equatable {
    var ending: String
    var title: String
  }

  /// A level of the digit game.
  struct Level: Encodable, Equatable {
    var name: String
    var title: String
  }

  /// The extensions of files that can be opened as documents: automata, ink and photographs.
  static let documentEndings = DocumentForm.endings + DrawnFile.endings
  /// The same, for the page.
  var documentEndings = Self.documentEndings
  /// The formats in which a document can be saved.
  var savedForms = SavedForm.all.map { Form(ending: $0.ending, title: $0.title) }
  /// The extensions of files that can be imported as recordings.
  var recordingEndings = InkFile.Format.allCases.map(\.ending)
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
  var dashes = Geometry.dashes
  /// The radius of a state that a double-click adds, in canvas points.
  var stateRadius = EditorOptions().usualRadius
  /// The maximum length of the names of documents and learners, and of new models.
  var nameLength = FileName.mostCharacters
  var modelNameLength = FileName.mostWishedCharacters
  /// The characters of names, as the content of a character class in a regular expression.
  var nameCharacters = FileName.characterClass
  /// The maximum number of epochs.
  var epochs = Training.mostEpochs
  /// The networks for a new model, the usual one first.
  var networks = Training.networks
  /// The levels of the digit game.
  var levels = Practice.Level.allCases.map { Level(name: $0.rawValue, title: $0.title) }
  /// The number of new digits after which the model adapts to a learner again.
  var adaptsEvery = Practice.adaptsEvery
}
