import Foundation
import InkRaster
import Testing

@Suite struct PagePreparationTests {
  /// A page in uneven light with one stroke.
  private func page(ink: Int, width: Int = 90, height: Int = 70) -> Bitmap {
    var picture = Bitmap(width: width, height: height)
    for row in 0..<height {
      for column in 0..<width {
        let isInk = (30..<33).contains(row) && (20..<70).contains(column)
        picture[row, column] = UInt8(128 + column / 3 - row / 4 + (isInk ? ink : 0))
      }
    }
    return picture
  }

  @Test func inkIsPositiveWhetherDarkOrLight() throws {
    let preparation = try PagePreparation(longerSide: 1024, radius: 10)
    let dark = preparation.values(of: page(ink: -90))
    let light = preparation.values(of: page(ink: 90))
    for values in [dark, light] {
      #expect(values[31 * 90 + 45] > 0.7)
      #expect(abs(values[60 * 90 + 45]) < 0.15)
      #expect(values.allSatisfy { (-0.3...1.5).contains($0) })
    }
  }

  @Test func valuesFollowTheFormula() throws {
    let picture = page(ink: -70, width: 23, height: 19)
    let radius = 4
    func mean(_ values: [Double]) -> [Double] {
      (0..<19 * 23).map { place in
        let (row, column) = (place / 23, place % 23)
        var (sum, count) = (0.0, 0.0)
        for y in max(0, row - radius)...min(18, row + radius) {
          for x in max(0, column - radius)...min(22, column + radius) {
            sum += values[y * 23 + x]
            count += 1
          }
        }
        return sum / count
      }
    }
    let grey = picture.pixels.map(Double.init)
    let contrast = zip(grey, mean(mean(grey))).map { $0 - $1 }
    let sign = contrast.reduce(0) { $0 + $1 * $1 * $1 } > 0 ? 1.0 : -1.0
    let steps = contrast.map { Int(max(0, $0 * sign) * 4) }.sorted(by: >)
    let strongest = Double(steps[Int(Double(steps.count) * 0.01)]) / 4
    let values = try PagePreparation(longerSide: 1024, radius: radius).values(of: picture)
    for (value, contrast) in zip(values, contrast) {
      let expected = min(max(contrast * sign / (strongest + 8), -0.3), 1.5)
      #expect(abs(Double(value) - expected) < 1e-4)
    }
  }

  @Test func blankAndTinyPicturesAreGround() {
    for (width, height) in [(1, 1), (1, 200), (300, 1), (64, 64)] {
      let blank = Bitmap(width: width, height: height, filledWith: 200)
      #expect(PagePreparation.standard.values(of: blank).allSatisfy { abs($0) < 1e-3 })
    }
    #expect(PagePreparation.standard.values(of: Bitmap(width: 0, height: 0)).isEmpty)
  }

  @Test func onlyLargerPicturesAreScaled() throws {
    let preparation = try PagePreparation(longerSide: 45, radius: 10)
    let scaled = preparation.scaled(page(ink: -90))
    #expect((scaled.width, scaled.height) == (45, 35))
    // The mean of 2 × 2 pixels.
    let original = page(ink: -90)
    let sum = [original[30, 40], original[30, 41], original[31, 40], original[31, 41]]
      .reduce(0) { $0 + Int($1) }
    #expect(abs(Int(scaled[15, 20]) - sum / 4) <= 1)
    let small = page(ink: -90, width: 40, height: 30)
    #expect(preparation.scaled(small) == small)
    let larger = PagePreparation.scaled(small, longerSide: 80)
    #expect((larger.width, larger.height) == (80, 60))
    let thin = PagePreparation.scaled(
      Bitmap(width: 3000, height: 2, filledWith: 7), longerSide: 100)
    #expect((thin.width, thin.height) == (100, 1))
    #expect(thin.pixels.allSatisfy { $0 == 7 })
  }

  @Test func theJSONFormIsReadAgain() throws {
    let preparation = try PagePreparation(longerSide: 720, radius: 12)
    let data = try JSONEncoder().encode(preparation)
    #expect(try JSONDecoder().decode(PagePreparation.self, from: data) == preparation)
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(
        PagePreparation.self, from: Data(#"{"longerSide": 720, "radius": 0}"#.utf8))
    }
  }
}
