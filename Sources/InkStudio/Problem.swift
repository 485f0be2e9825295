import Automata
import AutomatonEditor
import Foundation
import HTTPTypes
import Ink
import InkDatasets
import InkImageIO
import InkNetwork
import InkRaster
import InkTraining
import SafeFiles

/// A request that the studio refuses, with a sentence that says why and what to do.
struct Problem: Error, CustomStringConvertible {
  /// The sentence.
  var description: String
  /// The HTTP status that fits.
  var status: HTTPResponse.Status

  init(_ description: String, _ status: HTTPResponse.Status = .badRequest) {
    self.description = description
    self.status = status
  }
}

/// A document that is not there, and what became of it where that is known.
struct MissingDocument: Error, CustomStringConvertible, Equatable {
  /// The name that was asked for.
  var name: String
  /// The name that the document has now.
  var newName: String?
  /// Whether it was deleted.
  var isDeleted = false
  /// Whether another document has the name now.
  var isReplaced = false

  var description: String {
    if let newName { return "The document \(name) was renamed to \(newName)." }
    if isDeleted { return "The document \(name) was deleted." }
    if isReplaced { return "\(name) is another document now. Open it again." }
    return "There is no document \(name)."
  }
}

/// An error as a sentence for people: no Swift names and no texts of the system.
func plainText(of error: any Error) -> String {
  switch error {
  case is Problem, is MissingDocument, is AutomatonError, is DocumentError, is InkError,
    is RasterError, is ModelError, is ArchitectureError, is TrainingError, is BLASError,
    is PNGError, is FileError:
    return "\(error)"
  default:
    return "Something went wrong: \(reason(for: error)). Try again."
  }
}

/// Why a file could not be read or written, to follow a colon.
func reason(for error: any Error) -> String {
  switch error {
  case let error as FileError: return error.found
  case let error as CocoaError:
    switch error.code {
    case .fileWriteOutOfSpace: return "the disk is full"
    case .fileWriteNoPermission, .fileReadNoPermission: return "no permission"
    case .fileNoSuchFile, .fileReadNoSuchFile: return "the file is missing"
    case .fileWriteFileExists: return "a file of that name exists"
    default: break
    }
  case let error as POSIXError:
    switch error.code {
    case .ENOSPC, .EDQUOT: return "the disk is full"
    case .EACCES, .EPERM, .EROFS: return "no permission"
    default: break
    }
  default: break
  }
  return "the system refused it"
}
