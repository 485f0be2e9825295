"""Adds a second recurrent layer to a reader, whose output is beside that of the first one.

    deepen-reader.py READER OUTPUT

The last layer does not use the new values at first, so that the answers stay until training goes on.
"""

import json
import math
import random
import struct
import sys

import weights

source, target = sys.argv[1:]
metadata, tensors = weights.read(source)

architecture = json.loads(metadata["architecture"])
nodes = architecture["nodes"]
units = nodes[-3]["units"]
assert [node["kind"] for node in nodes[-3:]] == ["gru", "dropout", "dense"]
dense = len(nodes) - 1
nodes[dense:] = [
    dict(nodes[-3]), dict(nodes[-2]),
    {"kind": "concatenation", "sources": [dense - 1, dense + 1]}, nodes[dense]]
metadata["architecture"] = json.dumps(architecture)

generator = random.Random(1)


def uniform(*shape):
    bound = 1 / math.sqrt(units)
    count = math.prod(shape)
    return list(shape), struct.pack(f"<{count}f", *(generator.uniform(-bound, bound) for _ in range(count)))


for suffix in ("", "_reverse"):
    tensors[f"{dense}.weight_ih{suffix}"] = uniform(3 * units, 2 * units)
    tensors[f"{dense}.weight_hh{suffix}"] = uniform(3 * units, units)
    tensors[f"{dense}.bias_ih{suffix}"] = uniform(3 * units)
    tensors[f"{dense}.bias_hh{suffix}"] = uniform(3 * units)
(classes, inputs), weight = tensors.pop(f"{dense}.weight")
row = 4 * inputs
tensors[f"{dense + 3}.weight"] = (
    [classes, 2 * inputs],
    b"".join(weight[row * k:row * (k + 1)] + bytes(row) for k in range(classes)))
tensors[f"{dense + 3}.bias"] = tensors.pop(f"{dense}.bias")

weights.write(target, metadata, tensors)
