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

  /// The names of the classes of cells, if a network answers with those.
  private var cellClasses: [String] { history.first?.trainingOverlaps?.map(\.name) ?? [] }

  /// A CSV table with a header and one line for each epoch; missing values are empty.
  ///
  /// For a reader, the accuracy is that of whole texts, and more columns have the character and word error
  /// rates and the shares of blanks; for cells of pages, the overlap of each class and the loss of fields.
  public var csv: String {
    var header =
      "epoch,learning_rate,training_loss,training_accuracy,validation_loss,validation_accuracy"
    for part in ["training", "validation"] {
      if readsText {
        header +=
          ",\(part)_character_error_rate,\(part)_word_error_rate,\(part)_blank_share"
      }
      for name in cellClasses { header += ",\(part)_overlap_of_\(name)" }
      if !cellClasses.isEmpty { header += ",\(part)_field_loss" }
    }
    header += "\n"
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
      if !cellClasses.isEmpty {
        let parts = [
          (record.trainingOverlaps, record.trainingFieldLoss),
          (record.validationOverlaps, record.validationFieldLoss),
        ]
        for (overlaps, loss) in parts {
          for index in cellClasses.indices { fields.append(overlaps?[index].value) }
          fields.append(loss)
        }
      }
      let values = fields.map { $0.map { "\($0)" } ?? "" }.joined(separator: ",")
      return text + "\(record.epoch),\(values)\n"
    }
  }

  /// Two charts, of loss and accuracy, or of a reader's character error rate: training in blue, validation in
  /// orange.
  public var svg: String {
    let loss = chart("loss", [{ $0.trainingLoss }, { $0.validationLoss }], from: 0, least: 1e-6)
    let rate =
      readsText
      ? chart(
        "character error rate",
        [{ $0.trainingReading?.characterErrorRate }, { $0.validationReading?.characterErrorRate }],
        from: 0, least: 0.01)
      : chart(
        "accuracy", [{ $0.trainingAccuracy }, { $0.validationAccuracy }], from: nil, least: 1)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 340" font-family="system-ui" \
      font-size="13"><rect width="860" height="340" fill="#fff"/>
      <text x="60" y="25" font-weight="bold">\(loss.title)</text>
      \(loss.elements(left: 60, top: 40, width: 320))
      <text x="500" y="25" font-weight="bold">\(rate.title)</text>
      \(rate.elements(left: 500, top: 40, width: 320))
      <text x="60" y="330" fill="\(LineChart.colors[0])">training</text>
      <text x="130" y="330" fill="\(LineChart.colors[1])">validation</text></svg>

      """
  }

  /// Returns the chart of values of training and validation.
  ///
  /// Its vertical axis goes from `low`, or from the lowest value and at most 0.99, to the highest value
  /// and at least to `least`.
  private func chart(
    _ title: String, _ values: [(EpochRecord) -> Double?], from low: Double?, least: Double
  ) -> LineChart {
    let lines = values.map { value in
      history.compactMap { record in value(record).map { (x: Double(record.epoch), y: $0) } }
    }
    let all = lines.joined().map(\.y)
    var chart = LineChart(title: title, lines: lines)
    chart.horizontal = "epoch"
    (chart.xDigits, chart.yDigits) = (0, 3)
    chart.xRange = 1...Double(max(1, history.count))
    chart.yRange = (low ?? min(0.99, all.min() ?? 0))...max(least, all.max() ?? least)
    return chart
  }
}
