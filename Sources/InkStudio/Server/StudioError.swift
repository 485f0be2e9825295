import Automata
import AutomatonEditor
import ErrorText
import Foundation
import HTTPTypes
import Ink
import InkDatasets
import InkImageIO
import InkNetwork
import InkRaster
import InkRecognizer
import InkSeries
import InkTraining
import SafeFiles

/// An error of a request: what is wrong and what to do, as text for people.
struct StudioError: DescribedError {
  /// The text.
  var description: String
  /// The HTTP status of the answer.
  var status: HTTPResponse.Status

  init(_ description: String, _ status: HTTPResponse.Status = .badRequest) {
    self.description = description
    self.status = status
  }

  /// The error of a request that comes while the studio ends.
  static let ending = StudioError("The studio is ending. Start it again.", .serviceUnavailable)
}

/// Returns an error as text for people, without names of Swift types and without system messages.
func plainText(of error: any Error) -> String {
  switch error {
  case is StudioError, is MissingDocument, is AutomatonError, is InkError,
    is RasterError, is ModelError, is ArchitectureError, is TrainingError, is BLASError,
    is PictureError, is FileError, is SeriesError, is WindowError, is PreparationError:
    return "\(error)"
  default:
    return "Something went wrong: \(reason(for: error)). Try again."
  }
}

/// Returns the reason why a file cannot be read or written, to follow a colon.
func reason(for error: any Error) -> String {
  if let error = error as? FileError { return error.found }
  switch (error as? CocoaError)?.code {
  case .fileWriteOutOfSpace?: return "the disk is full"
  case .fileWriteNoPermission?, .fileReadNoPermission?: return "no permission"
  case .fileNoSuchFile?, .fileReadNoSuchFile?: return "the file is missing"
  case .fileWriteFileExists?: return "a file of that name exists"
  default: break
  }
  switch POSIXError(causing: error)?.code {
  case .ENOSPC?, .EDQUOT?: return "the disk is full"
  case .EACCES?, .EPERM?, .EROFS?: return "no permission"
  case .EIO?: return "a disk error"
  default: return "the system reported an error"
  }
}
