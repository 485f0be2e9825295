import Foundation
import SeededRandom

/// Samples of the writers of examples, drawn with replacement, for intervals that do not take the drawings of one
/// writer as independent.
///
/// It is the bootstrap of clusters (Davison & Hinkley, 1997, "Bootstrap Methods and Their Application", 3.8). The
/// seed is fixed, so the same examples give the same intervals.
struct WriterSampling: Sendable {
  /// The number of samples.
  private static let sampleCount = 2000
  /// The maximum number of writers, examples without a writer included, so that intervals take no seconds.
  private static let maximumClusters = 5000

  /// The cluster of each example: its writer, or for an example without one its own.
  let clusters: [Int]
  /// The number of known writers.
  let writerCount: Int
  /// How often each cluster is in each sample.
  private let counts: [[UInt16]]
  /// The share of samples below the interval and above it.
  private let tail: Double

  /// Creates samples of the writers of examples, or `nil` if fewer than two are known.
  ///
  /// `writers` has the writer of each example.
  init?(_ writers: [String?]) {
    var indices: [String: Int] = [:]
    var (clusters, clusterCount) = ([Int](), 0)
    clusters.reserveCapacity(writers.count)
    for writer in writers {
      let known = writer.flatMap { indices[$0] }
      if known == nil {
        if let writer { indices[writer] = clusterCount }
        clusterCount += 1
      }
      clusters.append(known ?? clusterCount - 1)
    }
    guard indices.count >= 2, clusterCount <= Self.maximumClusters else { return nil }
    self.clusters = clusters
    writerCount = indices.count
    var generator = SeededGenerator(seed: 1, stream: 0xb007)
    var counts = [[UInt16]](
      repeating: [UInt16](repeating: 0, count: Self.sampleCount), count: clusterCount)
    for sample in 0..<Self.sampleCount {
      for _ in 0..<clusterCount { counts[generator.index(below: clusterCount)][sample] += 1 }
    }
    self.counts = counts
    // Samples of few writers vary too little; Hesterberg (2015, "What Teachers Should Know About the
    // Bootstrap", 3.3) widens the interval as Student's t does.
    let t = BetaDistribution.studentsQuantile(alpha: 0.05, degreesOfFreedom: clusterCount - 1)
    let z = t * (Double(clusterCount) / Double(clusterCount - 1)).squareRoot()
    tail = erfc(z / 2.0.squareRoot()) / 2
  }

  /// Returns the ends of the 95 % interval of a share that has these counts and totals for each cluster, or `nil`
  /// if they are of fewer than two clusters.
  func interval(of tally: [Int: (count: Int, total: Int)]) -> (low: Double, high: Double)? {
    guard tally.count >= 2 else { return nil }
    var sums = [Int](repeating: 0, count: Self.sampleCount)
    var totals = sums
    for (cluster, (count, total)) in tally {
      for (sample, times) in counts[cluster].enumerated() {
        sums[sample] += Int(times) * count
        totals[sample] += Int(times) * total
      }
    }
    let shares = zip(sums, totals).filter { $1 > 0 }.map { Double($0) / Double($1) }.sorted()
    let rank = min(Int(tail * Double(shares.count)), (shares.count - 1) / 2)
    return (shares[rank], shares[shares.count - 1 - rank])
  }
}

/// How often something is true of examples, counted for each of their writers.
struct ShareTally: Sendable {
  private var clusters: [Int: (count: Int, total: Int)] = [:]

  /// Counts the example at `index` of those of `sampling`.
  mutating func add(_ isTrue: Bool, _ index: Int, _ sampling: WriterSampling?) {
    let cluster = sampling?.clusters[index] ?? 0
    clusters[cluster, default: (0, 0)].total += 1
    if isTrue { clusters[cluster]!.count += 1 }
  }

  /// Returns the share with its interval, from the samples of writers if there are some.
  func share(_ sampling: WriterSampling?) -> Share {
    var share = Share(
      clusters.values.reduce(0) { $0 + $1.count }, of: clusters.values.reduce(0) { $0 + $1.total })
    if let sampling, let interval = sampling.interval(of: clusters) {
      share.widen(to: interval, writers: sampling.writerCount)
    }
    return share
  }
}

extension Share {
  /// Creates the share of true `values`; the interval comes from samples of `writers` if at least two are known.
  public init(of values: [Bool], writers: [String?]) {
    let sampling = WriterSampling(writers)
    var tally = ShareTally()
    for (index, value) in values.enumerated() { tally.add(value, index, sampling) }
    self = tally.share(sampling)
  }

  /// What the interval takes as independent, of examples by so many known writers: writers, or all examples.
  public func basis(knownWriters count: Int) -> String {
    if let writers { return "95 %, by resampling \(writers) writers" }
    let reason =
      count == 0
      ? "no writers are known"
      : count == 1 ? "all examples are of one writer" : "there are too many writers to resample"
    return "95 %, as if all examples were independent: \(reason)"
  }
}
