import Ink
import InkRaster
import Testing

@Suite struct PageRasterizerTests {
  private let pen = PageRasterizer(penWidth: 2, margin: 10)

  @Test func inkIsDarkWhereItsPointsAre() throws {
    let stroke = Stroke([Point(100, 50), Point(300, 50)])
    let other = Stroke([Point(100, 50), Point(100, 150)])
    let bounds = try #require(Drawing([stroke, other]).bounds)
    let page = pen.render([stroke, other], in: bounds, scale: 0.5)
    #expect((page.width, page.height) == (120, 70))
    #expect(page[9, 60] < 10 && page[10, 60] < 10 && page[40, 9] < 10)
    #expect(page[6, 60] == 255 && page[13, 60] == 255 && page[40, 60] == 255)
    #expect(page.isDarkOnLight)
  }

  @Test func aLongLineIsDrawnInPartsAsOne() throws {
    let line = Stroke([Point(0, 0), Point(700, 400)])
    let dense = Stroke((0...700).map { Point(Double($0), Double($0) * 400 / 700) })
    let bounds = try #require(Drawing([line]).bounds)
    let (one, other) = (
      pen.render([line], in: bounds, scale: 1), pen.render([dense], in: bounds, scale: 1)
    )
    #expect(zip(one.pixels, other.pixels).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  @Test func aDotIsAPage() throws {
    let dot = Stroke([Point(5, 5)])
    let page = pen.render([dot], in: Bounds(around: Point(5, 5)), scale: 1e6)
    #expect((page.width, page.height) == (20, 20))
    #expect(page[10, 10] < 100)
  }
}
