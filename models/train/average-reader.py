"""Averages the weights of two readers, the second one a continuation of the first one's training.

    average-reader.py FIRST SECOND SHARE-OF-FIRST OUTPUT [--rarer]

The mean is better than either on lines of other people. With --rarer, the empty set becomes rarer by a factor of
e^2.5: the composed lines of training have it as often as other signs, but people write a zero with a slash far more
often.
"""

import array
import json
import sys

import weights

RARER = 2.5

(_, first), (metadata, second) = weights.read(sys.argv[1]), weights.read(sys.argv[2])
share, target = float(sys.argv[3]), sys.argv[4]
assert {name: shape for name, (shape, _) in first.items()} == {name: shape for name, (shape, _) in second.items()}
mean = {}
for name, (shape, values) in second.items():
    pairs = zip(array.array("f", first[name][1]), array.array("f", values))
    mean[name] = (shape, array.array("f", (share * a + (1 - share) * b for a, b in pairs)))

labels = json.loads(metadata["labels"])
bias = mean[f"{len(json.loads(metadata['architecture'])['nodes']) - 1}.bias"][1]
if "--rarer" in sys.argv[5:]:
    # Class 0 is the blank.
    bias[1 + labels.index("∅")] -= RARER

weights.write(target, metadata, {name: (shape, values.tobytes()) for name, (shape, values) in mean.items()})
