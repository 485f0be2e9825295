#!/usr/bin/env python3
"""Checks exported models with other people's tools: the same answers as Inkstate's own.

    scripts/build inkstate
    python3 -m venv scratch && scratch/bin/pip install coremltools onnx onnxruntime pillow
    scratch/bin/python scripts/reference/check-exports.py [COUNT]

For `drawing`, `lenet` and the released model, over COUNT (1,000) bitmaps of INKSTATE_DATA, or drawn from
the project's own recordings where that is absent: Core ML's specification is loaded by coremltools and its
layers are calculated with NumPy; ONNX's is checked by onnx and run by ONNX Runtime; the Swift file is
compiled and run. The largest difference of a probability may be 1e-5, labels must be the same. Exports read
back have identical weights.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

import coremltools
import numpy as np
import onnx
import onnxruntime
from parity import ROOT, bitmaps, compare, inkstate, own_answers

def windows(planes, kernel, stride):
    """[channels, rows, columns, kernel, kernel]."""
    view = np.lib.stride_tricks.sliding_window_view(planes, (kernel, kernel), axis=(1, 2))
    return view[:, ::stride, ::stride]


def core_ml_answer(specification, image):
    """One forward pass over the layers of a specification, in double precision."""
    network = specification.neuralNetworkClassifier
    values = image[None].astype(np.float64) * network.preprocessing[0].scaler.channelScale
    for layer in network.layers:
        kind = layer.WhichOneof("layer")
        if kind == "convolution":
            p = layer.convolution
            kernel = p.kernelSize[0]
            if p.WhichOneof("ConvolutionPaddingType") == "same":
                edge = kernel // 2
                values = np.pad(values, ((0, 0), (edge, edge), (edge, edge)))
            weight = np.array(p.weights.floatValue).reshape(p.outputChannels, p.kernelChannels,
                                                            kernel, kernel)
            values = np.einsum("fcij,cyxij->fyx", weight, windows(values, kernel, 1),
                               optimize=True) + np.array(p.bias.floatValue)[:, None, None]
        elif kind == "pooling":
            size = layer.pooling.kernelSize[0]
            values = windows(values, size, layer.pooling.stride[0]).max(axis=(3, 4))
        elif kind == "activation":
            which = layer.activation.WhichOneof("NonlinearityType")
            if which == "ReLU":
                values = np.maximum(values, 0)
            else:
                values = values * layer.activation.linear.alpha + layer.activation.linear.beta
        elif kind == "flatten":
            values = values.reshape(-1)
        elif kind == "innerProduct":
            p = layer.innerProduct
            weight = np.array(p.weights.floatValue).reshape(p.outputChannels, p.inputChannels)
            values = weight @ values + np.array(p.bias.floatValue)
        elif kind == "softmax":
            powers = np.exp(values - values.max())
            values = powers / powers.sum()
        else:
            sys.exit(f"check-exports: expected a layer that is known here, found {kind}")
    return values


def core_ml_answers(path, images):
    model = coremltools.models.MLModel(path, skip_model_load=True)
    specification = model.get_spec()
    description = specification.description
    assert specification.specificationVersion == 1
    assert specification.WhichOneof("Type") == "neuralNetworkClassifier"
    image = description.input[0].type.imageType
    assert (image.width, image.height) == images.shape[1:]
    assert image.colorSpace == image.ColorSpace.Value("GRAYSCALE")
    assert description.predictedFeatureName == description.output[0].name
    assert description.predictedProbabilitiesName == description.output[1].name
    assert description.metadata.shortDescription
    labels = list(specification.neuralNetworkClassifier.stringClassLabels.vector)
    return labels, np.stack([core_ml_answer(specification, image) for image in images])


def onnx_answers(path, images):
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    assert [value.name for value in session.get_inputs()] == ["image"]
    scale = np.float32(json.loads(metadata["preprocessing"])["scale"])
    pictures = images[:, None].astype(np.float32) * scale
    answers = session.run(None, {"image": pictures})[0]
    # A batch of one gives what a large one does.
    assert np.allclose(session.run(None, {"image": pictures[:1]})[0], answers[:1], atol=1e-6)
    return json.loads(metadata["labels"]), answers


def swift_answers(path, images, folder):
    main = os.path.join(folder, "main.swift")
    with open(main, "w") as file:
        file.write("""import Foundation
let bytes = [UInt8](FileHandle.standardInput.readDataToEndOfFile())
let count = Exported.size * Exported.size
print(Exported.labels.joined(separator: ","))
for start in stride(from: 0, to: bytes.count, by: count) {
  let image = bytes[start..<start + count].map { Float($0) * Exported.inputScale }
  print(Exported.probabilities(of: image).map { "\\($0)" }.joined(separator: " "))
}
""")
    program = os.path.join(folder, "program")
    subprocess.run(["swiftc", "-O", path, main, "-o", program], check=True)
    lines = subprocess.run([program], input=images.tobytes(), check=True,
                           capture_output=True).stdout.decode().splitlines()
    return lines[0].split(","), np.array([[float(x) for x in line.split()] for line in lines[1:]])


def tensors(path):
    """The arrays of a safetensors file by name."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    return {name: data[8 + length + entry["data_offsets"][0]:8 + length + entry["data_offsets"][1]]
            for name, entry in header.items()}


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        pictures, images = bitmaps(folder, count)
        synthetic = os.path.join(ROOT, "datasets", "synthetic.ndjson")
        models = {"released": os.path.join(ROOT, "models", "inkstate.safetensors")}
        for name in ["drawing", "lenet"]:
            models[name] = os.path.join(folder, f"{name}.safetensors")
            inkstate("train", synthetic, "--architecture", name, "--epochs", "1",
                     "--output", models[name])
        for name, model in models.items():
            labels, own = own_answers(model, pictures)
            exported = {form: os.path.join(folder, f"{name}.{ending}") for form, ending in
                        [("coreml", "mlmodel"), ("onnx", "onnx"), ("swift", "swift"),
                         ("safetensors", "folded.safetensors")]}
            for form, path in exported.items():
                inkstate("export", model, "--to", form, "--name", "Exported", "--output", path)
            _, folded = own_answers(exported["safetensors"], pictures)
            answers = {
                "coreml": core_ml_answers(exported["coreml"], images),
                "onnx": onnx_answers(exported["onnx"], images),
                "swift": swift_answers(exported["swift"], images, folder),
                "safetensors": (labels, folded),
            }
            for form, (their_labels, theirs) in answers.items():
                failed = not compare(f"{name}, {form}", labels, own, their_labels, theirs) or failed
            expected = tensors(exported["safetensors"])
            if name != "released":
                # Without batch normalisation, nothing is folded.
                assert expected == tensors(model)
            for form in ["coreml", "onnx"]:
                back = os.path.join(folder, f"{name}.{form}.safetensors")
                inkstate("import", exported[form], "--output", back)
                same = tensors(back) == expected
                failed = failed or not same
                print(f"{name}, {form} and back: "
                      f"{'identical weights' if same else 'OTHER WEIGHTS: NOT MET'}")
    sys.exit(1 if failed else 0)


main()
