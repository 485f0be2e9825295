/// The version of Inkstate.
public enum Version {
  /// The version of this code, which is the newest one in `CHANGELOG.md`.
  public static let current = "0.1.0"
}
