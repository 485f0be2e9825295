"""Sets the rates of the dropout layers of a reader.

    set-dropout.py READER OUTPUT RATE...

There is a rate for each of its dropout layers, from the first one on.
"""

import json
import sys

import weights

if len(sys.argv) < 4:
    sys.exit(__doc__)
source, target, *rates = sys.argv[1:]
metadata, tensors = weights.read(source)
architecture = json.loads(metadata["architecture"])
layers = [node for node in architecture["nodes"] if node["kind"] == "dropout"]
assert len(layers) == len(rates), f"expected {len(layers)} rates"
for layer, rate in zip(layers, rates):
    layer["rate"] = float(rate)
metadata["architecture"] = json.dumps(architecture)
weights.write(target, metadata, tensors)
