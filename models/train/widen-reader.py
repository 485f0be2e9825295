"""Gives a reader of the ink four more planes, with the pen directions.

    widen-reader.py READER OUTPUT

Their weights are 0, so that the answers stay until training goes on.
"""

import json
import sys

import weights

source, target = sys.argv[1:]
metadata, tensors = weights.read(source)

architecture = json.loads(metadata["architecture"])
architecture["inputs"][0]["channels"] = 5
metadata["architecture"] = json.dumps(architecture)
preprocessing = json.loads(metadata["preprocessing"])
preprocessing["line"]["showsDirections"] = True
metadata["preprocessing"] = json.dumps(preprocessing)

(filters, planes, rows, columns), weight = tensors["0.weight"]
assert planes == 1, "the reader has the planes already"
kernel = 4 * rows * columns
tensors["0.weight"] = (
    [filters, 5, rows, columns],
    b"".join(weight[kernel * k:kernel * (k + 1)] + bytes(4 * kernel) for k in range(filters)))

weights.write(target, metadata, tensors)
