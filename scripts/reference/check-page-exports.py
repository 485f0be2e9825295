#!/usr/bin/env python3
"""Checks exported networks over pages with other people's tools: the same answers as Inkstate's own.

    scripts/build inkstate
    python3 -m venv scratch && scratch/bin/pip install coremltools numpy onnx onnxruntime pillow
    scratch/bin/python scripts/reference/check-page-exports.py

A small network with strides, joined and doubled planes and fields gets random weights. `inkstate classify`
answers for the cells of pictures; ONNX Runtime, Core ML's specification with its layers calculated by NumPy
and the compiled Swift file answer for the same pictures, prepared here by the formula of PagePreparation and
filled up with zeros to multiples of 8. The largest difference may be 1e-4. Read back from ONNX and Core ML,
with and without Inkstate's metadata, the weights are the same.
"""

import json
import os
import struct
import subprocess
import tempfile

import coremltools
import numpy as np
import onnx
import onnxruntime
from core_ml import core_ml_values
from parity import inkstate
from PIL import Image

LABELS = ["nothing", "ring", "line"]
FIELDS = ["x", "y"]
RADIUS = 6
SIZES = [(96, 64), (83, 50)]
# How much smaller the smallest planes of the network are than the page, and its cells.
MULTIPLE, CELL = 8, 2
LARGEST_DIFFERENCE = 1e-4


def convolution(filters, kernel=3, stride=1):
    layer = {"kind": "convolution", "filters": filters, "kernel": kernel, "padding": "same"}
    return layer | ({"stride": stride} if stride > 1 else {})


NODES = [
    convolution(6, stride=2), {"kind": "batchNormalization"}, {"kind": "relu"},
    convolution(9, stride=2), {"kind": "relu"}, convolution(20, 5, stride=2), {"kind": "relu"},
    {"kind": "upsampling"}, {"kind": "concatenation", "sources": [7, 4]}, convolution(12), {"kind": "relu"},
    {"kind": "upsampling"}, {"kind": "concatenation", "sources": [11, 2]}, convolution(8), {"kind": "relu"},
    convolution(len(LABELS) + len(FIELDS), 1),
]


def write_model(path, random):
    """Writes a model with random weights."""
    channels, tensors = [], {}
    for index, node in enumerate(NODES):
        read = [channels[source] for source in node.get("sources", [])] or channels[-1:] or [1]
        channels.append(node.get("filters", sum(read)))
        if node["kind"] == "convolution":
            kernel = node["kernel"]
            scale = (2 / (read[0] * kernel * kernel)) ** 0.5
            tensors[f"{index}.weight"] = random.normal(size=(node["filters"], read[0], kernel, kernel)) * scale
            tensors[f"{index}.bias"] = random.normal(size=node["filters"]) * 0.1
        elif node["kind"] == "batchNormalization":
            for name in ["weight", "running_var"]:
                tensors[f"{index}.{name}"] = random.uniform(0.5, 2, size=channels[-1])
            for name in ["bias", "running_mean"]:
                tensors[f"{index}.{name}"] = random.normal(size=channels[-1])
    sides = {"least": 32, "most": 512}
    architecture = {
        "name": "small", "inputs": [{"name": "page", "form": "image", "channels": 1, "height": sides, "width": sides}],
        "nodes": NODES, "output": {"kind": "distributionPerCell", "fields": len(FIELDS)}}
    decision = {"temperature": 1.5, "leastProbabilities": {}, "leastMargins": {}, "leastExtent": 0}
    header = {"__metadata__": {
        "inkstate_format": "3", "architecture": json.dumps(architecture), "labels": json.dumps(LABELS),
        "preprocessing": json.dumps({"kind": "page", "page": {"longerSide": 1024, "radius": RADIUS}}),
        "decision": json.dumps(decision), "provenance": "{}", "fields": json.dumps(FIELDS)}}
    data = b""
    for name, values in tensors.items():
        values = values.astype("<f4")
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def weights(path):
    """The tensors of a model file, by name."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    header.pop("__metadata__")
    return {name: data[slice(*entry["data_offsets"])] for name, entry in header.items()}


def box_mean(values, axis):
    sums = np.concatenate([np.zeros_like(values.take([0], axis)), values.cumsum(axis)], axis)
    count = values.shape[axis]
    last = np.minimum(np.arange(count) + RADIUS + 1, count)
    first = np.maximum(np.arange(count) - RADIUS, 0)
    shape = [-1, 1] if axis == 0 else [1, -1]
    return (sums.take(last, axis) - sums.take(first, axis)) / (last - first).reshape(shape)


def prepared(picture):
    """The numbers that a network gets for a grey picture, as PagePreparation has them."""
    grey = picture.astype(np.float64)
    mean = grey
    for _ in range(2):
        mean = box_mean(box_mean(mean, 1), 0)
    contrast = grey - mean
    contrast *= 1 if (contrast ** 3).sum() > 0 else -1
    steps = np.sort((np.maximum(contrast, 0) * 4).astype(int).ravel())[::-1]
    strongest = steps[int(len(steps) * (1 - 0.99))] / 4
    return np.clip(contrast / (strongest + 8), -0.3, 1.5).astype(np.float32)


def filled(values):
    """The same with zeros below and to the right, as sides have to be multiples."""
    return np.pad(values, [(0, -side % MULTIPLE) for side in values.shape])


def compare(tool, answers, values, own):
    height, width = values.shape
    for name, answer, expected in zip(["probabilities", "fields"], answers, own):
        planes = np.asarray(answer).reshape(len(expected), height // CELL, width // CELL)
        difference = np.abs(planes[:, :expected.shape[1], :expected.shape[2]] - expected).max()
        print(f"{tool}, {expected.shape[1]} × {expected.shape[2]} cells: {name} differ by at most {difference:.1e}")
        assert difference < LARGEST_DIFFERENCE


def onnx_answers(path, values):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(["probabilities", "fields"], {"page": values[None, None]})


def core_ml_answers(path, values):
    specification = coremltools.models.MLModel(path, skip_model_load=True).get_spec()
    assert specification.WhichOneof("Type") == "neuralNetwork"
    page = specification.description.input[0].type.multiArrayType
    assert [(size.lowerBound, size.upperBound) for size in page.shapeRange.sizeRanges] == [(1, 1), (32, 512), (32, 512)]
    names = [output.name for output in specification.description.output]
    computed = core_ml_values(
        specification.neuralNetwork.layers,
        {specification.description.input[0].name: values[None, None].astype(np.float64)})
    return [computed[name] for name in names]


def swift_answers(path, values, folder):
    main = os.path.join(folder, "main.swift")
    with open(main, "w") as file:
        file.write(f"""import Foundation
let bytes = [UInt8](FileHandle.standardInput.readDataToEndOfFile())
let page = stride(from: 0, to: bytes.count, by: 4).map {{ start in
  Float(bitPattern: (0..<4).reduce(0) {{ $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) }})
}}
let answer = Exported.probabilities(of: page, height: {values.shape[0]}, width: {values.shape[1]})
for planes in [answer.probabilities, answer.fields] {{
  print(planes.map {{ "\\($0)" }}.joined(separator: " "))
}}
""")
    program = os.path.join(folder, "program")
    subprocess.run(["swiftc", "-O", path, main, "-o", program], check=True)
    result = subprocess.run([program], input=values.astype("<f4").tobytes(), stdout=subprocess.PIPE, check=True)
    return [np.array(line.split(), dtype=np.float64) for line in result.stdout.decode().splitlines()]


def main():
    random = np.random.default_rng(5)
    with tempfile.TemporaryDirectory() as folder:
        def place(name):
            return os.path.join(folder, name)

        write_model(place("model.safetensors"), random)
        for form, ending in [("onnx", "onnx"), ("coreml", "mlmodel"), ("swift", "swift")]:
            inkstate("export", place("model.safetensors"), "--to", form, "--output", place(f"Exported.{ending}"))
        for height, width in SIZES:
            picture = np.full((height, width), 200.0) + random.normal(size=(height, width)) * 4
            picture[20:70, 30:33] -= 120
            picture[50:53, 5:60] -= 90
            picture = np.clip(picture, 0, 255).astype(np.uint8)
            Image.fromarray(picture).save(place("page.png"))
            inkstate(
                "classify", place("page.png"), "--model", place("model.safetensors"),
                "--output", place("answers"), "--force")
            own = [np.load(place(f"answers/{name}/page.npy")) for name in ["probabilities", "fields"]]
            values = filled(prepared(picture))
            compare("ONNX Runtime", onnx_answers(place("Exported.onnx"), values), values, own)
            compare("Core ML", core_ml_answers(place("Exported.mlmodel"), values), values, own)
            compare("Swift", swift_answers(place("Exported.swift"), values, folder), values, own)
        inkstate("export", place("model.safetensors"), "--to", "safetensors", "--output", place("folded.safetensors"))
        plain = onnx.load(place("Exported.onnx"))
        del plain.metadata_props[:]
        # Other programs do not say in ONNX how large pages may be; sides from 64 on are read.
        onnx.save(plain, place("plain.onnx"))
        plain = coremltools.models.MLModel(place("Exported.mlmodel"), skip_model_load=True).get_spec()
        plain.description.metadata.userDefined.clear()
        with open(place("plain.mlmodel"), "wb") as file:
            file.write(plain.SerializeToString())
        for ending, tool in [("onnx", "ONNX"), ("mlmodel", "Core ML")]:
            inkstate("import", place(f"Exported.{ending}"), "--output", place("own.safetensors"), "--force")
            inkstate(
                "import", place(f"plain.{ending}"), "--labels", ",".join(LABELS),
                "--output", place("foreign.safetensors"), "--force")
            for name in ["own", "foreign"]:
                assert weights(place(f"{name}.safetensors")) == weights(place("folded.safetensors")), name
            print(f"read back from {tool}: the same weights")


if __name__ == "__main__":
    main()
