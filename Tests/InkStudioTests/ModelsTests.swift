import TestSupport
import Testing

@testable import InkStudio

@Suite(.timeLimit(.minutes(30))) struct ModelsTests {
  @Test func aModelStaysInUseAfterTheNextStart() throws {
    let folder = try TemporaryFolder()
    let models = try Models(folder: folder.path, using: nil)
    #expect(models.all.map(\.name) == [Models.released] && models.usedName == Models.released)
    let name = try models.add(models.used.model, named: "../mine")
    #expect(name == "mine")
    #expect(try models.add(models.used.model, named: "mine") == "mine 2")
    try models.use("mine")
    #expect(throws: StudioError.self) { try models.use("nobody's") }
    #expect(throws: StudioError.self) { try models.data(of: "../used.txt") }
    let again = try Models(folder: folder.path, using: nil)
    #expect(again.usedName == "mine" && again.all.filter(\.isUsed).map(\.name) == ["mine"])
    #expect(again.all.filter(\.isOwn).map(\.name) == ["mine", "mine 2"])
  }

  @Test func aFileThatIsNoModelHarmsNoOtherAndStays() throws {
    let folder = try TemporaryFolder()
    try folder.write("broken.safetensors", "no model")
    let models = try Models(folder: folder.path, using: nil)
    #expect(models.all.map(\.name) == [Models.released])
    #expect(try models.add(models.used.model, named: "broken") == "broken 2")
    let given = try Models(folder: folder.path, using: "\(folder.path)/broken 2.safetensors")
    #expect(given.all.filter(\.isUsed).count == 1 && !given.all.filter(\.isUsed)[0].isOwn)
  }
}
