import Foundation
import HTTPTypes
import Hummingbird
import XMLTree

/// The page on which a device is paired: a plain form, because its scripts would be for everybody.
struct PairPage: Sendable {
  let sharing: Sharing
  let interface: StudioInterface

  func add(to router: Router<StudioContext>) {
    router.get("pair") { _, _ in page(.ok) }
    router.post("pair") { request, context in try await pair(request, context) }
  }

  private func pair(_ request: Request, _ context: StudioContext) async throws -> Response {
    let data = try await interface.body(request)
    guard let form = try? Query(String(decoding: data, as: UTF8.self)) else {
      return page(.badRequest, problem: "The form is not readable. Reload the page.")
    }
    let name = form["name"] ?? ""
    let typed = (form["code"] ?? "").filter { !$0.isWhitespace }
    // A name that is not valid uses up no code.
    do { try FileName.check(FileName.normalized(name.trimmed), of: "device") } catch {
      return page(.badRequest, problem: error.description, name: name)
    }
    guard typed.utf8.count == 6, typed.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return page(.badRequest, problem: "The code has six digits.", name: name)
    }
    let address = context.connection.remoteAddress?.ipAddress ?? ""
    switch sharing.answer(to: typed, from: address) {
    case .right: break
    case .wrong:
      return page(
        .forbidden,
        problem: "This is not the code, or it has changed. Type the code that is shown now.",
        name: name)
    case .used:
      return page(
        .forbidden, problem: "Another device was paired with this code. Type the new code.",
        name: name)
    case .refused(let wait):
      let seconds = max(1, Int((wait / .seconds(1)).rounded(.up)))
      let time = seconds < 120 ? "\(seconds) seconds" : "\((seconds + 59) / 60) minutes"
      var response = page(
        .tooManyRequests, problem: "Too many wrong codes. Try again in \(time).", name: name)
      response.headers[.retryAfter] = "\(seconds)"
      return response
    }
    do {
      let (_, token, secret) = try sharing.devices.add(named: name)
      return Response(
        status: .seeOther,
        headers: [
          .location: "/?token=\(secret)",
          .setCookie: sharing.cookie(sharing.deviceCookie, token, days: 400),
        ])
    } catch let problem as StudioError {
      return page(problem.status, problem: problem.description, name: name)
    }
  }

  private func page(
    _ status: HTTPResponse.Status, problem: String = "", name: String = ""
  ) -> Response {
    let html = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>Pair this device · Inkstate studio</title>
      <link rel="icon" href="/icon.svg">
      <link rel="stylesheet" href="/pair.css">
      </head>
      <body>
      <main>
      <h1>Pair this device</h1>
      <form method="post" action="/pair">
        <label for="code">Code <span class="note">six digits, shown by the studio</span></label>
        <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required \
      pattern="\\s*([0-9]\\s*){6}" title="six digits" autofocus>
        <label for="name">Name of this device</label>
        <input id="name" name="name" required maxlength="\(FileName.maximumCharacters)" \
      autocomplete="off" placeholder="Tablet of Ada" value="\(name.escapedForMarkup)">
        \(problem.isEmpty ? "" : "<p class=\"problem\" role=\"alert\">\(problem.escapedForMarkup)</p>")
        <button>Pair device</button>
      </form>
      <p><a href="/">Open the studio</a> if this device is paired already.</p>
      <h2>Is this the right studio?</h2>
      <p>Your browser has warned you, because the studio made its certificate itself. The details of the \
      certificate in the browser show this SHA-256 fingerprint, and so does the studio:</p>
      <p class="fingerprint">\(sharing.fingerprint.replacing(":", with: ":<wbr>"))</p>
      </main>
      </body>
      </html>

      """
    return StudioResponse.data(Data(html.utf8), type: "text/html; charset=utf-8", status: status)
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
