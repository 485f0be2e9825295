import Foundation
import InkNetwork
import InkRecognizer
import SwiftProtobuf

/// A reader of one model file of another program; its errors name the file.
protocol ModelFileReader {
  /// The path of the file.
  var path: String { get }
}

extension ModelFileReader {
  /// Returns an error at `place` in the file.
  func mismatch(_ place: String, _ expected: String, _ found: String) -> ModelError {
    ModelError(path: path, field: place, expected: expected, found: found)
  }

  /// Decodes a file in protobuf's wire format; `kind` is the file's content in errors.
  func decode<Content: Message>(
    _ type: Content.Type, from data: Data, _ schema: ProtobufFields.Schema, kind: String
  ) throws(ModelError) -> Content {
    guard !data.isEmpty else { throw mismatch("file", kind, "an empty file") }
    guard ProtobufFields.count(in: data, schema) <= ProtobufFields.most else {
      throw mismatch("file", "at most \(ProtobufFields.most) fields", "more")
    }
    do {
      return try type.init(serializedBytes: data)
    } catch {
      throw mismatch("file", kind, "damaged data")
    }
  }
}
