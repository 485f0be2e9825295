import Foundation
import Hummingbird

/// The files of the page.
enum Page {
  /// All files, so that a path from a client never reaches the file system.
  private static let files = [
    "index.html", "studio.css", "edit.css", "studio.js", "menus.js", "elements.js", "server.js",
    "ink.js", "edit.js", "edit/canvas.js", "edit/changes.js", "edit/compare.js",
    "edit/consent.js", "edit/convert.js", "edit/decision.js", "edit/dragging.js", "edit/files.js",
    "edit/gestures.js", "edit/kind.js", "edit/link.js", "edit/ghost.js", "edit/inspector.js",
    "edit/issues.js",
    "edit/keyboard.js", "edit/keys.js", "edit/label.js", "edit/names.js", "edit/panel.js",
    "edit/paper.js", "edit/preview.js", "edit/reading.js", "edit/render.js", "edit/runner.js",
    "edit/selection.js", "edit/tools.js", "edit/touch.js", "edit/words.js", "record.js",
    "recognize.js", "train.js", "series.js", "practice.js",
  ]

  private static let types = ["html": "text/html", "css": "text/css", "js": "text/javascript"]

  static func add(to router: Router<BasicRequestContext>) {
    for name in files {
      let file = Bundle.module.bundleURL.appendingPathComponent("Page/\(name)")
      guard let content = try? Data(contentsOf: file), let type = types[file.pathExtension] else {
        preconditionFailure("the package has its page, \(name)")
      }
      router.get(RouterPath(name == "index.html" ? "/" : "/\(name)")) { _, _ in
        Answer.data(content, type: "\(type); charset=utf-8")
      }
    }
  }
}
