import Foundation

extension Decodable {
  /// Creates a value from JSON that may come from anywhere, with the default settings of `JSONDecoder`.
  ///
  /// Foundation's decoder ends the process if the last byte opens the 513th array: it reports that arrays
  /// may be nested 512 deep, and looks for the line of this byte behind the end. JSON never ends like
  /// this, so such data are refused here first, also in UTF-16 and UTF-32.
  ///
  /// - Throws: `DecodingError` if the data are not valid JSON for this type, or an error of the type.
  package init(json data: Data) throws {
    guard data.last(where: { $0 != 0 }) != UInt8(ascii: "[") else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "The given data was not valid JSON."))
    }
    self = try JSONDecoder().decode(Self.self, from: data)
  }
}
