/// The code with which devices are paired, and the limits for guessing it.
///
/// The code has six digits, is used once, and changes after some minutes. An address that sends wrong
/// codes has to wait, twice as long after each one. After some wrong codes of all addresses together, no
/// code is accepted for a while, also longer each time, and the code changes.
struct PairingCode {
  typealias Instant = ContinuousClock.Instant

  /// What becomes of a code that somebody sent.
  enum Outcome: Equatable {
    case right
    case wrong
    /// Another device was paired with this code a moment ago.
    case used
    /// The code was not looked at; the next one is after this time.
    case refused(Duration)
  }

  /// How long a code is valid.
  static let lifetime = Duration.seconds(600)
  /// The wrong codes of one address without a wait, and of all addresses until none is accepted.
  static let freeGuesses = 4
  static let maximumGuesses = 30
  /// The shortest and the longest wait of an address, and of all of them.
  private static let wait = (least: Duration.seconds(2), most: Duration.seconds(900))
  private static let pause = (least: Duration.seconds(60), most: Duration.seconds(3600))
  /// How long a used code is still known, so that a late device is told what happened.
  private static let memory = Duration.seconds(60)
  private static let maximumAddresses = 10_000

  private struct Guesses {
    var count = 0
    var end: Instant
  }

  private(set) var code = Self.random()
  /// When the code changes.
  private(set) var end: Instant
  private var addresses: [String: Guesses] = [:]
  private var used: [(code: String, end: Instant)] = []
  private var wrongCount = 0
  private var pauseCount = 0
  /// The number of addresses that tried a first code in this pause.
  private var newcomerCount = 0
  private(set) var pauseEnd: Instant?
  /// The number of codes that were compared, and of those that were not looked at.
  private(set) var comparedCount = 0
  private(set) var refusedCount = 0

  init(at now: Instant) { end = now + Self.lifetime }

  private static func random() -> String {
    let number = Int.random(in: 0..<1_000_000)
    return String(1_000_000 + number).dropFirst().description
  }

  /// Changes the code if its time is over.
  mutating func update(at now: Instant) {
    if now >= end { change(at: now) }
    if let pauseEnd, now >= pauseEnd { self.pauseEnd = nil }
  }

  /// Changes the code and ends the pause, as the owner wishes.
  ///
  /// An address that sent wrong codes waits after the next one: otherwise, a few could start a pause at once.
  mutating func renew(at now: Instant) {
    change(at: now)
    (wrongCount, pauseCount, pauseEnd, newcomerCount) = (0, 0, nil, 0)
    for address in addresses.keys { addresses[address]?.end = now }
  }

  private mutating func change(at now: Instant) {
    let old = code
    while code == old { code = Self.random() }
    end = now + Self.lifetime
  }

  /// Compares a code that somebody sent from an address.
  mutating func answer(to guess: String, from address: String, at now: Instant) -> Outcome {
    update(at: now)
    used.removeAll { now >= $0.end }
    var waits = [pauseEnd, addresses[address]?.end].compactMap { $0 }.filter { $0 > now }
    // A few others can keep nobody out: who has sent no wrong code yet may try once in a pause as well.
    if pauseEnd != nil, addresses[address] == nil, newcomerCount < Self.maximumGuesses {
      newcomerCount += 1
      waits = []
    }
    if let last = waits.max() {
      refusedCount += 1
      return .refused(now.duration(to: last))
    }
    // This tells nothing about the code.
    if used.contains(where: { isSame($0.code, guess) }) { return .used }
    comparedCount += 1
    guard isSame(code, guess) else {
      count(address, at: now)
      return .wrong
    }
    used.append((code, now + Self.memory))
    addresses[address] = nil
    change(at: now)
    return .right
  }

  private mutating func count(_ address: String, at now: Instant) {
    if pauseEnd == nil { wrongCount += 1 }
    if wrongCount >= Self.maximumGuesses {
      let pause = Self.pause.least * (1 << min(pauseCount, 10))
      pauseEnd = now + min(pause, Self.pause.most)
      pauseCount += 1
      (wrongCount, newcomerCount) = (0, 0)
      change(at: now)
    }
    var guesses = addresses[address] ?? Guesses(end: now)
    guesses.count += 1
    if guesses.count >= Self.freeGuesses {
      let wait = Self.wait.least * (1 << min(guesses.count - Self.freeGuesses, 10))
      guesses.end = now + min(wait, Self.wait.most)
    }
    if addresses[address] == nil, addresses.count >= Self.maximumAddresses {
      // Those who waited longest are forgotten; the limit of all addresses still holds.
      addresses = addresses.filter { $0.value.end > now }
      if addresses.count >= Self.maximumAddresses { return }
    }
    addresses[address] = guesses
  }
}

/// Compares two texts in a time that does not depend on where they differ.
func isSame(_ known: String, _ given: String) -> Bool {
  let (known, given) = (Array(known.utf8), Array(given.utf8))
  guard known.count == given.count else { return false }
  return zip(known, given).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
