import Foundation
import Hummingbird
import InkNetwork
import InkRecognizer

extension ModuleResources {
  /// The files that this module brings along: the page, and the model of the game.
  static let studio = ModuleResources(module: "InkStudio")
}

/// The files of the page.
struct PageFiles: Sendable {
  private struct File {
    var content: Data
    var type: String
  }

  private let contents: [String: File]

  /// Reads all files.
  ///
  /// - Throws: `ModelError` or a system error if one is missing.
  init() throws {
    contents = try Dictionary(
      uniqueKeysWithValues: (Self.files + [Self.watchPage]).map { name in
        let file = URL(fileURLWithPath: try ModuleResources.studio.path(of: "Page/\(name)"))
        return (
          name,
          File(content: try Data(contentsOf: file), type: Self.types[file.pathExtension]!)
        )
      })
  }

  /// All files, so that a path from a client never reaches the file system.
  private static let files = [
    "index.html", "studio.css", "edit.css", "studio.js", "menus.js", "classes.js",
    "elements.js", "server.js",
    "ink.js", "edit.js", "edit/canvas.js", "edit/changes.js", "edit/compare.js",
    "edit/consent.js", "edit/convert.js", "edit/decision.js", "edit/dragging.js", "edit/files.js",
    "edit/gestures.js", "edit/hint.js", "edit/kind.js", "edit/link.js", "edit/ghost.js",
    "edit/inspector.js",
    "edit/issues.js",
    "edit/keyboard.js", "edit/keys.js", "edit/label.js", "edit/names.js", "edit/panel.js",
    "edit/paper.js", "edit/photograph.js", "edit/preview.js", "edit/reading.js", "edit/render.js",
    "edit/runner.js",
    "edit/selection.js", "edit/taken.js", "edit/tools.js", "edit/touch.js", "edit/words.js",
    "record.js",
    "recognize.js", "seen.js", "train.js", "series.js", "practice.js", "share.js",
    "edit/presenter.js", "watch.js", "watch.css", "pair.css",
    "manifest.webmanifest", "icon.svg", "icon-192.png", "icon-512.png",
  ]

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
    "webmanifest": "application/manifest+json",
  ]

  /// The addresses of the files that anybody in the network gets: those of the page to pair a device, and
  /// the icons.
  static let openFiles = [
    "/pair.css", "/manifest.webmanifest", "/icon.svg", "/icon-192.png", "/icon-512.png",
  ]
  private static let watchPage = "watch.html"
  /// The addresses of the files of the audience's page.
  static let watchFiles = [
    "/watch.js", "/watch.css", "/studio.css", "/elements.js", "/server.js", "/edit/render.js",
  ]

  /// Whether a file of the page has this address.
  static func isFile(_ pattern: String?) -> Bool {
    guard let pattern else { return false }
    return ["/", "/watch"].contains(pattern) || files.contains(String(pattern.dropFirst()))
  }

  /// Adds the files, except the page of the audience.
  func add(to router: Router<StudioContext>) {
    for name in Self.files {
      let file = contents[name]!
      router.get(RouterPath(name == "index.html" ? "/" : "/\(name)")) { _, _ in
        StudioResponse.data(file.content, type: file.type)
      }
    }
  }

  /// Adds the page of the audience; `cookie` returns the header that keeps the key of a link.
  func addWatch(
    to router: Router<StudioContext>, cookie: @escaping @Sendable (String) -> String
  ) {
    let file = contents[Self.watchPage]!
    router.get("watch") { request, context in
      switch context.visitor {
      case .stranger:
        return StudioResponse.page(
          .forbidden, title: "This link has ended",
          text: "Ask the presenter for a new link, or <a href=\"/pair\">pair this device</a>.")
      case .audience:
        var response = StudioResponse.data(file.content, type: file.type)
        if let key = try Query(request.uri.query)["key"] {
          response.headers[.setCookie] = cookie(key)
        }
        return response
      case .owner, .device: return StudioResponse.data(file.content, type: file.type)
      }
    }
  }
}
