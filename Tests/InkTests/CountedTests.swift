import Ink
import Testing

@Suite(.timeLimit(.minutes(30))) struct CountedTests {
  @Test func onlyOneIsSingular() {
    #expect(0.counted("state") == "0 states")
    #expect(1.counted("state") == "1 state")
    #expect(2.counted("state") == "2 states")
    #expect(1.counted("class", "classes") == "1 class")
    #expect(5.counted("class", "classes") == "5 classes")
  }
}
