import Foundation

/// Requests of Google's handwriting input: `{"requests": [{"ink": [[xs, ys, ts], …]}]}`, each a
/// drawing.
enum HandwritingRequestReader {
  /// Reads the drawings in `data`.
  ///
  /// - Throws: `InkError` if they cannot be decoded; a bad drawing is an item.
  static func read(_ data: Data, path: String) throws(InkError) -> [InkFile.Item] {
    let place = Place(file: path)
    let file = try File(inkJSON: data, at: place, stroke: 1, point: 3)
    guard !file.requests.isEmpty else {
      throw InkError(at: place, expected: "requests", found: "none")
    }
    return file.requests.map { request in
      InkFile.Item(at: place) { ignored throws(InkError) in
        let strokes = try request.ink.enumerated().map { number, channels throws(InkError) in
          try stroke(channels, in: Place(file: path, stroke: number + 1), ignored: &ignored)
        }
        guard strokes.contains(where: { !$0.points.isEmpty }) else {
          throw InkError(at: place, expected: "strokes with points", found: "none")
        }
        return Recording(Drawing(strokes))
      }
    }
  }

  private struct File: Decodable {
    struct Request: Decodable {
      /// Stroke, then channel (x, y, time), then point.
      var ink: [[[Double?]]]
    }

    var requests: [Request]
  }

  private static func stroke(
    _ channels: [[Double?]], in place: Place, ignored: inout IgnoredParts
  ) throws(InkError) -> Stroke {
    guard channels.count >= 2 else {
      throw InkError(
        at: place, expected: "lists of x, y and time", found: channels.count.counted("list"))
    }
    let count = channels[0].count
    guard channels[1].count == count else {
      throw InkError(
        at: place, expected: "as many y values as x values, \(count)",
        found: "\(channels[1].count)")
    }
    var times: [Double?]?
    if channels.count > 2, !channels[2].isEmpty {
      if channels[2].count == count {
        times = channels[2]
      } else {
        ignored.add("times of another number than the points")
      }
    }
    if channels.count > 3 { ignored.add("lists after that of the times") }
    var points: [Point] = []
    for index in 0..<count {
      guard let x = channels[0][index], let y = channels[1][index], x.isFinite, y.isFinite else {
        var place = place
        place.point = index + 1
        throw InkError(at: place, expected: "two finite coordinates", found: "null")
      }
      points.append(Point(x, y, time: times?[index]))
    }
    return Stroke(points)
  }
}
