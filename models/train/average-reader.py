"""Averages the weights of two readers, the second one a continuation of the first one's training.

    average-reader.py FIRST SECOND SHARE-OF-FIRST OUTPUT [CHARACTER=CHANGE]...

The mean is better than either on lines of other people. The logits of characters change that are more or less frequent
in training than in what people write: composed lines have each sign as often as others, but people write a zero with a
slash far more often than an empty set, and a minus far more often than an underscore. The training data have eight
times as many t as +, and a quarter more 9 than q.
"""

import array
import json
import sys

import weights

if len(sys.argv) < 5:
    sys.exit(__doc__)
(_, first), (metadata, second) = weights.read(sys.argv[1]), weights.read(sys.argv[2])
share, target = float(sys.argv[3]), sys.argv[4]
assert {name: shape for name, (shape, _) in first.items()} == {name: shape for name, (shape, _) in second.items()}
mean = {}
for name, (shape, values) in second.items():
    pairs = zip(array.array("f", first[name][1]), array.array("f", values))
    mean[name] = (shape, array.array("f", (share * a + (1 - share) * b for a, b in pairs)))

labels = json.loads(metadata["labels"])
bias = mean[f"{len(json.loads(metadata['architecture'])['nodes']) - 1}.bias"][1]
for change in sys.argv[5:]:
    # Class 0 is the blank.
    bias[1 + labels.index(change[0])] += float(change[2:])

weights.write(target, metadata, {name: (shape, values.tobytes()) for name, (shape, values) in mean.items()})
