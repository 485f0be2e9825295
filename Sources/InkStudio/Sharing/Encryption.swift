import HummingbirdCore

#if Sharing
  import HummingbirdTLS
  import NIOSSL
#endif

/// TLS, which only builds with the package trait `Sharing` have.
enum Encryption {
  /// Whether this build can share a studio.
  static var isBuilt: Bool {
    #if Sharing
      true
    #else
      false
    #endif
  }

  /// Returns a server that speaks TLS 1.2 or 1.3 with a certificate.
  ///
  /// - Throws: `StudioError` if this build has no TLS, or if the certificate cannot be used.
  static func add(
    _ certificate: Certificate, to server: HTTPServerBuilder
  ) throws -> HTTPServerBuilder {
    #if Sharing
      let (chain, key): ([NIOSSLCertificate], NIOSSLPrivateKey)
      do {
        chain = try NIOSSLCertificate.fromPEMFile(certificate.path)
        key = try NIOSSLPrivateKey(file: certificate.path, format: .pem)
      } catch {
        throw StudioError(
          "The certificate \(certificate.path) cannot be used. Remove it, then start again.")
      }
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      return try .tls(server, tlsConfiguration: configuration)
    #else
      throw StudioError(Studio.howToBuildSharing)
    #endif
  }
}

extension Studio {
  /// Whether this build can share a studio with other devices.
  public static var canBeShared: Bool { Encryption.isBuilt }

  /// What to do if this build cannot share a studio.
  public static let howToBuildSharing =
    "This build cannot share a studio, because it has no encryption. Build it with scripts/build, or with "
    + "`swift build -c release --traits Sharing`."
}
