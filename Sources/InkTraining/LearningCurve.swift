import InkEvaluation

/// The loss and accuracy of every epoch, as a table or a picture.
public struct LearningCurve: Sendable {
  /// The epochs.
  public var history: [EpochRecord]

  /// Creates the curve of `history`.
  public init(_ history: [EpochRecord]) {
    self.history = history
  }

  /// Whether a reader learnt.
  private var readsText: Bool { history.contains { $0.trainingReading != nil } }

  /// A CSV table with a header and one line for each epoch; missing values are empty.
  ///
  /// For a reader, the accuracy is that of whole texts, and more columns have the character and word error
  /// rates and the shares of blanks.
  public var csv: String {
    let header =
      "epoch,learning_rate,training_loss,training_accuracy,validation_loss,validation_accuracy"
      + (readsText
        ? ["training", "validation"].map {
          ",\($0)_character_error_rate,\($0)_word_error_rate,\($0)_blank_share"
        }.joined() : "") + "\n"
    return history.reduce(header) { text, record in
      var fields: [Double?] = [
        record.learningRate, record.trainingLoss, record.trainingAccuracy, record.validationLoss,
        record.validationAccuracy,
      ]
      if readsText {
        for reading in [record.trainingReading, record.validationReading] {
          fields += [
            reading?.characterErrorRate, reading?.wordErrorRate, reading?.blankShare,
          ]
        }
      }
      let values = fields.map { $0.map { "\($0)" } ?? "" }.joined(separator: ",")
      return text + "\(record.epoch),\(values)\n"
    }
  }

  /// Two plots, of loss and accuracy, or of a reader's character error rate: training in blue, validation in
  /// orange.
  public var svg: String {
    let losses = (history.map { Optional($0.trainingLoss) }, history.map(\.validationLoss))
    let most = (losses.0 + losses.1).compactMap { $0 }.max() ?? 1
    let lossTop = max(most, 1e-6)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 340" font-family="system-ui" \
      font-size="13"><rect width="860" height="340" fill="#fff"/>
      \(plot("loss", losses, low: 0, high: lossTop, left: 60))
      \(ratePlot)
      <text x="60" y="330" fill="#1f77b4">training</text>
      <text x="130" y="330" fill="#ff7f0e">validation</text></svg>

      """
  }

  private var ratePlot: String {
    if readsText {
      let rates = (
        history.map(\.trainingReading?.characterErrorRate),
        history.map(\.validationReading?.characterErrorRate)
      )
      let most = (rates.0 + rates.1).compactMap { $0 }.max() ?? 1
      return plot("character error rate", rates, low: 0, high: max(most, 0.01), left: 500)
    }
    let rates = (history.map { Optional($0.trainingAccuracy) }, history.map(\.validationAccuracy))
    let least = (rates.0 + rates.1).compactMap { $0 }.min() ?? 0
    return plot("accuracy", rates, low: min(least, 0.99), high: 1, left: 500)
  }

  private func plot(
    _ title: String, _ lines: ([Double?], [Double?]), low: Double, high: Double, left: Double
  ) -> String {
    let (top, width, height) = (40.0, 320.0, 240.0)
    func y(_ value: Double) -> Double { top + height * (1 - (value - low) / (high - low)) }
    func path(_ values: [Double?], _ color: String) -> String {
      let step = width / Double(max(1, values.count - 1))
      let points = values.enumerated().compactMap { index, value in
        value.map { "\((left + Double(index) * step).fixed(1)),\(y($0).fixed(1))" }
      }
      return points.isEmpty
        ? ""
        : "<polyline points=\"\(points.joined(separator: " "))\" fill=\"none\" "
          + "stroke=\"\(color)\" stroke-width=\"2\"/>"
    }
    let marks = (0...4).map { mark -> String in
      let value = low + (high - low) * Double(mark) / 4
      return """
        <line x1="\(left)" x2="\(left + width)" y1="\(y(value).fixed(1))" \
        y2="\(y(value).fixed(1))" stroke="#ddd"/><text x="\(left - 6)" \
        y="\((y(value) + 4).fixed(1))" text-anchor="end">\(value.fixed(3))</text>
        """
    }.joined()
    return """
      <text x="\(left)" y="25" font-weight="bold">\(title)</text>\(marks)
      <text x="\(left)" y="300">1</text><text x="\(left + width)" y="300" text-anchor="end">\
      epoch \(history.count)</text>
      \(path(lines.0, "#1f77b4"))\(path(lines.1, "#ff7f0e"))
      """
  }
}
