import Foundation
import Hummingbird

/// The page: a handful of files that never change while the server runs.
enum Page {
  /// The files that there are, so that no path from a client reaches the file system.
  private static let files = [
    ("/", "index.html", "text/html; charset=utf-8"),
    ("/studio.css", "studio.css", "text/css; charset=utf-8"),
    ("/studio.js", "studio.js", "text/javascript; charset=utf-8"),
    ("/server.js", "server.js", "text/javascript; charset=utf-8"),
    ("/ink.js", "ink.js", "text/javascript; charset=utf-8"),
    ("/record.js", "record.js", "text/javascript; charset=utf-8"),
    ("/recognize.js", "recognize.js", "text/javascript; charset=utf-8"),
    ("/edit.js", "edit.js", "text/javascript; charset=utf-8"),
    ("/train.js", "train.js", "text/javascript; charset=utf-8"),
    ("/practice.js", "practice.js", "text/javascript; charset=utf-8"),
  ]

  static func add(to router: Router<BasicRequestContext>) {
    for (path, name, type) in files {
      let file = Bundle.module.bundleURL.appendingPathComponent("Page/\(name)")
      guard let content = try? Data(contentsOf: file) else {
        preconditionFailure("the package has its page, \(name)")
      }
      router.get(RouterPath(path)) { _, _ in Answer.data(content, type: type) }
    }
  }
}
