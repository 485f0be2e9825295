import InkDatasets
import InkImageIO
import InkNetwork
import InkRaster
import InkRecognizer
import SafeFiles
import TestSupport
import Testing

@testable import InkEvaluation

@Suite(.timeLimit(.minutes(10))) struct SegmentationEvaluationTests {
  private func mask(_ width: Int, _ rows: [[UInt8]]) -> SegmentationMask {
    SegmentationMask(width: width, height: rows.count, classes: Array(rows.joined()))
  }

  @Test func measuresFollowFromTheCells() {
    var confusion = SegmentationConfusion(classCount: 3)
    confusion.add(
      mask(4, [[0, 0, 1, 1], [0, 1, 1, SegmentationMask.ignored]]),
      answer: mask(4, [[0, 1, 1, 1], [0, 1, 0, 1]]))
    #expect(confusion.counts == [[2, 1, 0], [1, 3, 0], [0, 0, 0]])
    #expect(confusion.accuracy == 5.0 / 7)
    let reports = confusion.reports(["nothing", "ring", "line"])
    #expect(reports[1].cells == 4)
    #expect(reports[1].precision == 0.75)
    #expect(reports[1].recall == 0.75)
    #expect(reports[1].intersectionOverUnion == 0.6)
    // A class that is neither there nor answered says nothing.
    #expect(!reports[2].occurs)
    #expect(abs(confusion.meanIntersectionOverUnion - (0.5 + 0.6) / 2) < 1e-12)
  }

  @Test func answersOfAnotherSizeAreReadUnderTheMiddleOfCells() {
    var confusion = SegmentationConfusion(classCount: 2)
    confusion.add(mask(2, [[0, 1]]), answer: mask(4, [[1, 0, 0, 1], [1, 0, 0, 1]]))
    #expect(confusion.counts == [[1, 0], [0, 1]])
    var coarse = SegmentationConfusion(classCount: 2)
    coarse.add(mask(4, [[0, 0, 1, 1], [0, 0, 1, 0]]), answer: mask(2, [[0, 1]]))
    #expect(coarse.counts == [[4, 1], [0, 3]])
  }

  private func recognizer(labels: [String]) throws -> PageRecognizer {
    try PageRecognizer(
      model: Model(
        network: randomNetwork(Architecture.page(classCount: labels.count, fields: 1), seed: 2),
        labels: labels, preprocessing: [.page(.standard)], fields: ["size"]))
  }

  @Test func pagesAreEvaluatedBySourceWithTheWorstFirst() throws {
    let recognizer = try recognizer(labels: ["nothing", "ring"])
    let folder = try TemporaryFolder()
    let path = FileTree.join(folder.path, "pages")
    var pictures: [Bitmap] = []
    try SegmentationWriter.write(
      to: path,
      classes: [
        SegmentationClass(name: "nothing", color: .init(255, 255, 255)),
        SegmentationClass(name: "ring", color: .init(214, 39, 40)),
      ]
    ) { writer in
      for page in 0..<4 {
        var picture = Bitmap(width: 64, height: 48, filledWith: 220)
        for index in 0..<30 { picture[10 + page, 10 + index] = 30 }
        pictures.append(picture)
        var mask = SegmentationMask(recognizer.recognize(picture).cells)
        // The more rows are wrong, the worse.
        for index in 0..<page * 4 * mask.width { mask.classes[index] = 1 - mask.classes[index] }
        try writer.add(
          .init(
            Photograph(width: 64, height: 48, channels: 1, samples: picture.pixels), mask: mask,
            writer: nil, source: page % 2 == 0 ? "even" : "odd"))
      }
    }
    let dataset = try SegmentationDataset(folder: path)
    let evaluation = try SegmentationEvaluation(
      of: recognizer, on: dataset, pages: [0, 1, 2, 3], workers: 2)
    #expect(evaluation.pages.map(\.index) == [3, 2, 1, 0])
    #expect(evaluation.pages.last?.meanIntersectionOverUnion == 1)
    #expect(evaluation.sources.map(\.source) == ["even", "odd"])
    #expect(evaluation.sources.map(\.pages) == [2, 2])
    #expect(evaluation.cells == 4 * 32 * 24)
    #expect(abs(evaluation.accuracy - (1 - 24.0 / 96)) < 1e-12)
    let one = try SegmentationEvaluation(
      of: recognizer, on: dataset, pages: [0, 1, 2, 3], workers: 1)
    #expect(one == evaluation)
    let report = SegmentationReport(
      model: "model", data: path, part: "whole", evaluation: evaluation)
    #expect(report.text.contains("IoU by source"))
    let html = try report.html(of: dataset, recognizer, workers: 1)
    #expect(html.contains("000004.png") && html.contains("data:image/png;base64,"))
    #expect(throws: FileError.self) {
      try SegmentationEvaluation(
        of: self.recognizer(labels: ["nothing", "wire"]), on: dataset, pages: [0], workers: 1)
    }
  }
}
