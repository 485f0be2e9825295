import AutomatonEditor
import Ink

/// What the page and the server have to agree on: the page asks for it when it starts.
struct Constants: Encodable {
  /// A form of a document's file.
  struct Form: Encodable, Equatable {
    var ending: String
    var title: String
  }

  /// A level of the digit game.
  struct Level: Encodable, Equatable {
    var name: String
    var title: String
  }

  /// The endings of files that can be opened as documents.
  var documentEndings = DocumentForm.endings
  /// What a document can be saved as.
  var savedForms = SavedForm.all.map { Form(ending: $0.ending, title: $0.title) }
  /// The endings of files that can be imported as recordings.
  var recordingEndings = InkFile.Format.allCases.map(\.ending)
  /// What to draw for a class, by its label.
  var meanings = [
    DrawnClass.state.rawValue: "a circle",
    DrawnClass.transition.rawValue: "an arrow or a line",
    DrawnClass.cycle.rawValue: "an arrow that returns to its start",
    DrawnClass.otherLabel: "any other shape: a letter, a scribble, a square",
  ]
  /// How many of the latest recordings are shown.
  var shownRecordings = StudioInterface.shownRecordings
  /// The width of lines and of the blank around letters, the height of letters, and the dashes of dangling
  /// transitions, in canvas points.
  var lineWidth = Geometry.lineWidth
  var haloWidth = Geometry.haloWidth
  var textSize = Geometry.textSize
  var dashes = Geometry.dashes
  /// The radius of a state that is added without being drawn, in canvas points.
  var stateRadius = EditorOptions().usualRadius
  /// The greatest length of the name of a document or a learner, and of one that a new model gets.
  var nameLength = FileName.mostCharacters
  var modelNameLength = FileName.mostWishedCharacters
  /// The greatest number of epochs.
  var epochs = Training.mostEpochs
  var levels = Practice.Level.allCases.map { Level(name: $0.rawValue, title: $0.title) }
  /// The model adapts to a learner each time that so many more digits are known.
  var adaptsEvery = Practice.adaptsEvery
}
