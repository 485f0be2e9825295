/// Returns the classes of the best path of CTC (Graves et al., 2006): the highest value of each step,
/// repetitions merged and blanks left out.
///
/// `values`, logits or their logarithms, has the shape `[steps, classCount]`. The result also has the number of
/// steps with a blank.
package func bestPath(
  of values: UnsafePointer<Float>, steps: Int, classCount: Int
) -> (classes: [Int], blankCount: Int) {
  var classes: [Int] = []
  var blankCount = 0
  var last = Architecture.blank
  for step in 0..<steps {
    let row = values + step * classCount
    var highest = 0
    for index in 1..<max(1, classCount) where row[index] > row[highest] { highest = index }
    if highest == Architecture.blank {
      blankCount += 1
    } else if highest != last {
      classes.append(highest)
    }
    last = highest
  }
  return (classes, blankCount)
}
