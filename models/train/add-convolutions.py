"""Adds two 3×3 convolutions with as many filters as the last one to a reader, before its columns.

    add-convolutions.py READER OUTPUT

At first they hand on what they get, so that the answers stay until training goes on.
"""

import json
import re
import struct
import sys

import weights

source, target = sys.argv[1:]
metadata, tensors = weights.read(source)

architecture = json.loads(metadata["architecture"])
nodes = architecture["nodes"]
place = [node["kind"] for node in nodes].index("columns")
filters = next(node["filters"] for node in reversed(nodes[:place]) if node["kind"] == "convolution")
convolution = {"kind": "convolution", "filters": filters, "kernel": 3, "padding": "same"}
added = 2 * [convolution, {"kind": "relu"}]
for node in nodes:
    if "sources" in node:
        node["sources"] = [number + len(added) if number >= place else number for number in node["sources"]]
nodes[place:place] = added
metadata["architecture"] = json.dumps(architecture)


def moved(name):
    number, part = re.fullmatch(r"(\d+)(\..*)", name).groups()
    return f"{int(number) + len(added) * (int(number) >= place)}{part}"


tensors = {moved(name): tensor for name, tensor in tensors.items()}
kernels = [0.0] * (filters * filters * 9)
for filter in range(filters):
    kernels[(filter * filters + filter) * 9 + 4] = 1
for number in (place, place + 2):
    tensors[f"{number}.weight"] = [filters, filters, 3, 3], struct.pack(f"<{len(kernels)}f", *kernels)
    tensors[f"{number}.bias"] = [filters], bytes(4 * filters)

weights.write(target, metadata, tensors)
