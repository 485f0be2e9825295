import java.util.Arrays;

/**
 * Minimises the automata of Rates.swift by Hopcroft's algorithm (1971) on arrays of numbers.
 *
 * <p>java Hopcroft.java STATES prints the median of the seconds of five runs, after two that warm up.
 */
class Hopcroft {
  static long state = 1;

  static int nextBelow(int bound) {
    state = state * 6364136223846793005L + 1442695040888963407L;
    return (int) ((state >>> 33) % bound);
  }

  public static void main(String[] arguments) {
    int half = Integer.parseInt(arguments[0]) / 2, count = 2 * half;
    int[] ends = new int[2 * half];
    for (int index = 0; index < ends.length; index++) ends[index] = nextBelow(half);
    boolean[] isFinal = new boolean[half];
    for (int index = 0; index < half; index++) isFinal[index] = nextBelow(2) == 0;
    // Each state twice; a transition leads to one of the two.
    int[] next = new int[2 * count];
    for (int index = 0; index < next.length; index++)
      next[index] = 2 * ends[index / 4 * 2 + index % 2] + nextBelow(2);
    boolean[] accepts = new boolean[count];
    for (int index = 0; index < count; index++) accepts[index] = isFinal[index / 2];
    double[] seconds = new double[5];
    for (int run = -2; run < seconds.length; run++) {
      long start = System.nanoTime();
      int blocks = minimalStates(next, accepts);
      if (blocks > half) throw new IllegalStateException("two copies are equivalent");
      if (run >= 0) seconds[run] = (System.nanoTime() - start) / 1e9;
    }
    Arrays.sort(seconds);
    System.out.println(seconds[2]);
  }

  /** Returns the number of classes of equivalent states that the first state reaches, for two symbols. */
  static int minimalStates(int[] allNext, boolean[] allAccept) {
    // The states that are reached, renumbered in the order of a breadth-first search.
    int[] number = new int[allAccept.length], order = new int[allAccept.length];
    Arrays.fill(number, -1);
    int count = 1;
    number[0] = 0;
    for (int done = 0; done < count; done++)
      for (int symbol = 0; symbol < 2; symbol++) {
        int end = allNext[2 * order[done] + symbol];
        if (number[end] < 0) {
          number[end] = count;
          order[count++] = end;
        }
      }
    // The states from which each state is reached, for each symbol.
    int[][] starts = new int[2][count + 1], sources = new int[2][count];
    for (int symbol = 0; symbol < 2; symbol++) {
      int[] first = starts[symbol];
      for (int q = 0; q < count; q++) first[number[allNext[2 * order[q] + symbol]] + 1]++;
      for (int q = 0; q < count; q++) first[q + 1] += first[q];
      int[] place = Arrays.copyOf(first, count);
      for (int q = 0; q < count; q++)
        sources[symbol][place[number[allNext[2 * order[q] + symbol]]]++] = q;
    }
    // A partition: the members of each block lie side by side, the marked ones first.
    int[] members = new int[count], position = new int[count], block = new int[count];
    int[] first = new int[count + 1], end = new int[count + 1], marked = new int[count + 1];
    int low = 0, high = count;
    for (int q = 0; q < count; q++) {
      int place = allAccept[order[q]] ? low++ : --high;
      members[place] = q;
      position[q] = place;
    }
    int blocks = 0;
    for (int[] range : new int[][] {{0, low}, {low, count}}) {
      if (range[0] == range[1]) continue;
      first[blocks] = range[0];
      end[blocks] = range[1];
      for (int place = range[0]; place < range[1]; place++) block[members[place]] = blocks;
      blocks++;
    }
    int[] waiting = new int[2 * count + 4], touched = new int[count];
    int waitingCount = 0;
    for (int one = 0; one < 2 * blocks; one++) waiting[waitingCount++] = one;
    int[] splitter = new int[count];
    while (waitingCount > 0) {
      int one = waiting[--waitingCount], symbol = one % 2, size = end[one / 2] - first[one / 2];
      System.arraycopy(members, first[one / 2], splitter, 0, size);
      int touchedCount = 0;
      for (int index = 0; index < size; index++) {
        int q = splitter[index];
        for (int edge = starts[symbol][q]; edge < starts[symbol][q + 1]; edge++) {
          int source = sources[symbol][edge], b = block[source];
          if (marked[b] == 0) touched[touchedCount++] = b;
          int place = first[b] + marked[b]++, other = members[place];
          members[position[source]] = other;
          position[other] = position[source];
          members[place] = source;
          position[source] = place;
        }
      }
      for (int index = 0; index < touchedCount; index++) {
        int b = touched[index], middle = first[b] + marked[b];
        marked[b] = 0;
        if (middle == end[b]) continue;
        int fresh = blocks++;
        // The smaller part becomes the new block.
        if (middle - first[b] <= end[b] - middle) {
          first[fresh] = first[b];
          end[fresh] = middle;
          first[b] = middle;
        } else {
          first[fresh] = middle;
          end[fresh] = end[b];
          end[b] = middle;
        }
        for (int place = first[fresh]; place < end[fresh]; place++) block[members[place]] = fresh;
        // If the old one waits, both do; if not, the smaller one is enough.
        for (int s = 0; s < 2; s++) waiting[waitingCount++] = 2 * fresh + s;
      }
    }
    return blocks;
  }
}
