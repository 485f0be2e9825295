import DisjointSets
import Ink

/// Ink that is connected, also at corners.
struct Components {
  /// One connected part.
  struct Part {
    /// The number of pixels.
    var area = 0
    var minX = Int.max
    var maxX = 0
    var minY = Int.max
    var maxY = 0
    /// The sum of the contrast of its pixels.
    var contrast = 0

    var longerSide: Int { max(maxX - minX, maxY - minY) + 1 }
  }

  /// Pixels in a row without a gap.
  struct Run {
    var row: Int32
    var start: Int32
    var end: Int32
    var part: Int32
  }

  private(set) var runs: [Run] = []
  private(set) var parts: [Part] = []

  /// Finds the connected parts of the pixels of `mask` that have the value `value`.
  ///
  /// Parts of ink are also connected at their corners, and those of paper are not.
  init(of mask: InkMask, contrast: [UInt8], value: UInt8 = 1) {
    let width = mask.width
    let reach: Int32 = value == 1 ? 1 : 0
    var sets = DisjointSets(count: 0)
    var previous = 0..<0
    mask.pixels.withUnsafeBufferPointer { pixels in
      for row in 0..<mask.height {
        let first = runs.count
        var column = 0
        while column < width {
          guard pixels[row * width + column] == value else {
            column += 1
            continue
          }
          let start = column
          while column < width, pixels[row * width + column] == value { column += 1 }
          sets.append()
          runs.append(Run(row: Int32(row), start: Int32(start), end: Int32(column), part: 0))
        }
        var other = previous.lowerBound
        for index in first..<runs.count {
          while other < previous.upperBound, runs[other].end + reach <= runs[index].start {
            other += 1
          }
          var touching = other
          while touching < previous.upperBound, runs[touching].start < runs[index].end + reach {
            let (a, b) = (sets.root(of: index), sets.root(of: touching))
            sets.join(max(a, b), into: min(a, b))
            touching += 1
          }
        }
        previous = first..<runs.count
      }
      var numbers = [Int32](repeating: -1, count: runs.count)
      for index in runs.indices {
        let root = sets.root(of: index)
        if numbers[root] < 0 {
          numbers[root] = Int32(parts.count)
          parts.append(Part())
        }
        let run = runs[index]
        runs[index].part = numbers[root]
        let part = Int(numbers[root])
        parts[part].area += Int(run.end - run.start)
        parts[part].minX = min(parts[part].minX, Int(run.start))
        parts[part].maxX = max(parts[part].maxX, Int(run.end) - 1)
        parts[part].minY = min(parts[part].minY, Int(run.row))
        parts[part].maxY = max(parts[part].maxY, Int(run.row))
        guard !contrast.isEmpty else { continue }
        for column in run.start..<run.end {
          parts[part].contrast += Int(contrast[Int(run.row) * width + Int(column)])
        }
      }
    }
  }
}

extension InkMask {
  /// Sets the pixels of all parts for which `isMeant` is true to `value`.
  mutating func set(
    _ components: Components, to value: UInt8, where isMeant: (Components.Part) -> Bool
  ) {
    let meant = components.parts.map(isMeant)
    for run in components.runs where meant[Int(run.part)] {
      for column in run.start..<run.end {
        pixels[Int(run.row) * width + Int(column)] = value
      }
    }
  }
}
