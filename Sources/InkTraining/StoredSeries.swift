import InkDatasets
import InkEvaluation
import InkRaster
import InkRecognizer
import SafeFiles

/// The values of the examples of a data set for one input of a network.
///
/// Lines of writing are kept as bytes, because as numbers they need four times as much memory: those of a network
/// that reads the pen directions have five planes.
enum StoredSeries: Sendable {
  /// None, for an input that reads pictures.
  case none
  /// Series.
  case series([[Float]])
  /// The planes of lines, which are multiplied with `scale`.
  case lines([[UInt8]], scale: Float)

  /// Prepares the examples.
  ///
  /// - Throws: `FileError` naming an example that the network cannot read.
  init(of dataset: Dataset, _ preprocessing: Preprocessing) throws {
    switch preprocessing {
    case .raster, .page: self = .none
    case .line(_, let scale):
      self = .lines(
        try dataset.examples.map { try $0.linePlanes(for: preprocessing) }, scale: scale)
    case .strokes, .series:
      self = .series(
        try dataset.examples.map { example in
          do throws(PreparationError) {
            return try preprocessing.values(of: example.recognitionInput)
          } catch {
            throw FileError(path: example.origin, error, reader: "network")
          }
        })
    }
  }

  /// Whether there are no examples, or the input reads pictures.
  var isEmpty: Bool {
    switch self {
    case .none: true
    case .series(let values): values.isEmpty
    case .lines(let pixels, _): pixels.isEmpty
    }
  }

  /// The number of values of the largest example.
  var largestCount: Int {
    switch self {
    case .none: 0
    case .series(let values): values.lazy.map(\.count).max() ?? 0
    case .lines(let pixels, _): pixels.lazy.map(\.count).max() ?? 0
    }
  }

  /// The number of values of example `index`.
  func count(of index: Int) -> Int {
    switch self {
    case .none: 0
    case .series(let values): values[index].count
    case .lines(let pixels, _): pixels[index].count
    }
  }

  /// The values of example `index`.
  func values(of index: Int) -> [Float] {
    switch self {
    case .none: []
    case .series(let values): values[index]
    case .lines(let pixels, let scale): pixels[index].map { Float($0) * scale }
    }
  }
}

extension Example {
  /// Returns the planes that a network with `preprocessing`, which reads lines, gets for the example.
  ///
  /// - Throws: `FileError` naming the example if the network cannot read it.
  fileprivate func linePlanes(for preprocessing: Preprocessing) throws(FileError) -> [UInt8] {
    do throws(PreparationError) {
      return try preprocessing.linePlanes(of: recognitionInput, isTraced: isTraced)!
    } catch {
      throw FileError(path: origin, error, reader: "network")
    }
  }

  /// Returns the picture that a network with `preprocessing`, which makes pictures, gets for the example.
  ///
  /// - Throws: `FileError` naming the example if the network cannot read it.
  func picture(for preprocessing: Preprocessing) throws(FileError) -> Bitmap {
    do {
      return try preprocessing.picture(of: recognitionInput)!
    } catch {
      throw FileError(path: origin, error, reader: "network")
    }
  }
}
