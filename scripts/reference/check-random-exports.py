#!/usr/bin/env python3
"""Runs random networks, exported to ONNX, in ONNX Runtime: the probabilities of the plain loops.

    scripts/stress numbers exports    writes them and calls this, with their folder

The largest difference of a probability may be 1e-5.
"""

import json
import os
import sys

import numpy as np
import onnx
import onnxruntime

MOST = 1e-5


def shaped(entry, values):
    """A batch of one, from the description of an input."""
    if entry["form"] == "series":
        return values.reshape(1, -1, entry["channels"])
    if entry["form"] == "image":
        return values.reshape(1, entry["channels"], entry["height"], -1)
    return values[None]


folder = sys.argv[1]
with open(os.path.join(folder, "random.json")) as file:
    networks = json.load(file)
largest, count, failed = 0, 0, 0
for network in networks:
    path = os.path.join(folder, f"{network['name']}.onnx")
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for inputs, expected in zip(network["examples"], network["probabilities"]):
        feed = {entry["name"]: shaped(entry, np.array(values, np.float32))
                for entry, values in zip(network["inputs"], inputs)}
        found = session.run(None, feed)[0][0].reshape(-1)
        difference = np.abs(found - expected).max() if found.shape == (len(expected),) else float("inf")
        largest, count = max(largest, difference), count + 1
        if not difference <= MOST:
            failed += 1
            print(f"{network['name']}: a difference of {difference:.1e}")
print(f"{len(networks)} networks, {count} examples, largest difference {largest:.1e}")
sys.exit(1 if failed else 0)
