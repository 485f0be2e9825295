import HTTPTypes
import Hummingbird

/// Distinguishes requests of the studio's own page from those of other sites, and protects its answers.
enum OwnRequests {
  static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
  /// The header with the secret that the page keeps for its own address and port, unlike a cookie.
  static let secret = HTTPField.Name("Inkstate-Secret")!

  /// Returns the reason why a request cannot be from the studio's page, or `nil` if it can.
  ///
  /// `hosts` are the names of this server, the usual one first. Links of other sites may lead to `entries`.
  static func problem(
    with request: Request, scheme: String, hosts: [String], entries: [String]
  ) -> (status: HTTPResponse.Status, text: String)? {
    let host = request.head.authority ?? ""
    guard hosts.contains(host.lowercased()) else {
      return (.misdirectedRequest, "The address of the studio is \(hosts[0]), not `\(host)`.")
    }
    if let origin = request.headers[.origin], origin != "\(scheme)://\(host)" {
      return (.forbidden, "The studio answers only its own page, not a page of \(origin).")
    }
    // Pages of other servers on the same host can send the cookie, but not this header.
    let site = request.headers[fetchSite] ?? "none"
    let isEntry = request.method == .get && entries.contains(request.uri.path)
    guard ["none", "same-origin"].contains(site) || isEntry else {
      return (.forbidden, "The studio answers only its own page, not a page of another site.")
    }
    return nil
  }

  /// Returns the names with a port; browsers omit the usual port of a scheme.
  static func hosts(_ names: [String], port: Int, usualPort: Int) -> [String] {
    names.map { "\($0):\(port)" } + (port == usualPort ? names : [])
  }

  /// Adds what tells a browser to load nothing from elsewhere and to keep nothing.
  static func protect(_ response: inout Response, formAction: String = "'none'") {
    response.headers[.contentSecurityPolicy] =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
      + "connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
      + "form-action \(formAction)"
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.cacheControl] = "no-store"
    response.headers[HTTPField.Name("Referrer-Policy")!] = "same-origin"
  }
}
