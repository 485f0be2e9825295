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
from core_ml import core_ml_values
from parity import MOST, ROOT, bitmaps, compare, inkstate, own_answers


def core_ml_answer(specification, image):
    network = specification.neuralNetworkClassifier
    start = image[None, None].astype(np.float64) * network.preprocessing[0].scaler.channelScale
    values = core_ml_values(network.layers, {specification.description.input[0].name: start})
    return values[network.labelProbabilityLayerName].reshape(-1)


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


def shape_of(entry, values):
    """[…, channels] as Inkstate has an input, from its description."""
    if entry["form"] == "series":
        return values.reshape(-1, entry["channels"])
    if entry["form"] == "image":
        return values.reshape(entry["channels"], entry["height"], -1)
    return values


def core_ml_input(entry, values):
    values = shape_of(entry, values).astype(np.float64)
    if entry["form"] == "series":
        return values[:, :, None, None]
    # The values of images are already multiplied with their scale.
    return values.reshape(1, -1, 1, 1) if entry["form"] == "vector" else values[None]


def check_networks(folder):
    """Networks over series and graphs, which a Swift test writes with inputs and answers."""
    tests = ["scripts/swift-for-tests", "test", "--skip-build", "--filter", "writesNetworksForOtherTools"]
    subprocess.run(tests, check=True, cwd=ROOT, capture_output=True,
                   env={**os.environ, "INKSTATE_FIXTURES": folder})
    with open(os.path.join(folder, "fixtures.json")) as file:
        networks = json.load(file)
    good, calls = True, []

    def report(name, differences):
        nonlocal good
        largest = max(differences)
        met = largest <= MOST
        good = good and met
        print(f"{name}: {len(differences)} examples, largest difference {largest:.1e}"
              f"{'' if met else ': NOT MET'}")

    for network in networks:
        name, entries = network["name"], network["inputs"]
        examples = [([np.array(x, np.float32) for x in example["inputs"]],
                     np.array(example["probabilities"])) for example in network["examples"]]
        path = os.path.join(folder, f"{name}.onnx")
        onnx.checker.check_model(onnx.load(path), full_check=True)
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        feeds = [{entry["name"]: shape_of(entry, values)[None]
                  for entry, values in zip(entries, inputs)} for inputs, _ in examples]
        found = [session.run(None, feed)[0][0].reshape(answer.shape)
                 for feed, (_, answer) in zip(feeds, examples)]
        report(f"{name}, onnx", [np.abs(a - b).max() for a, (_, b) in zip(found, examples)])
        # A batch of two gives what each does.
        pair = {key: np.concatenate([feeds[2][key], feeds[3][key]]) for key in feeds[2]}
        both = session.run(None, pair)[0]
        assert np.allclose(both.reshape(2, *found[2].shape), np.stack(found[2:4]), atol=1e-6)
        if network["states"]:
            path = os.path.join(folder, f"{name}-state.onnx")
            onnx.checker.check_model(onnx.load(path), full_check=True)
            session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
            rest = session.get_inputs()[1:]
            state = {x.name: np.zeros([x.shape[0], 1, x.shape[2]], np.float32) for x in rest}
            parts, series = [], feeds[3]["series"]
            for piece in [series[:, :5], series[:, 5:6], series[:, 6:]]:
                part, *states = session.run(None, {"series": piece, **state})
                state = dict(zip(state, states))
                parts.append(part[0])
            report(f"{name}, onnx in pieces", [np.abs(np.concatenate(parts) - examples[3][1]).max()])
        for ending in ["", "-state"] if network["states"] else [""]:
            path = os.path.join(folder, f"{name}{ending}.mlmodel")
            model = coremltools.models.MLModel(path, skip_model_load=True).get_spec()
            expected = {"columns": 3, "directions": 4, "reader": 4}.get(name, 1)
            assert model.specificationVersion == expected, model.specificationVersion
            part = getattr(model, model.WhichOneof("Type"))
            differences = []
            for inputs, answer in examples:
                start = {entry["name"]: core_ml_input(entry, values)
                         for entry, values in zip(entries, inputs)}
                states = [x.name for x in model.description.input if x.type.isOptional]
                pieces = [start]
                if states:
                    pieces = [{"series": piece} for piece in np.split(start["series"], [2, 3])]
                current = {x.name: np.zeros((1, x.type.multiArrayType.shape[0], 1, 1))
                           for x in model.description.input if x.type.isOptional}
                found = []
                for piece in pieces:
                    values = core_ml_values(part.layers, {**piece, **current})
                    found.append(values["labelProbabilities"].reshape(-1, answer.shape[1]))
                    current = {name: values[f"{name}.next"] for name in states}
                differences.append(np.abs(np.concatenate(found) - answer).max())
            report(f"{name}, coreml{' in pieces' if ending else ''}", differences)
        for inputs, answer in examples:
            arguments = ", ".join(
                ("of: " if index == 0 else f"{entry['name']}: ")
                + "[" + ", ".join(f"{x!r}" for x in values.tolist()) + "]"
                for index, (entry, values) in enumerate(zip(entries, inputs)))
            call = f"Exported_{name}.probabilities({arguments})"
            calls.append((name, answer, f"print({call}{'.flatMap { $0 }' if network['isPerStep'] else ''}"
                          '.map { "\\($0)" }.joined(separator: " "))'))
    main = os.path.join(folder, "networks", "main.swift")
    os.mkdir(os.path.dirname(main))
    with open(main, "w") as file:
        file.write("\n".join(call for _, _, call in calls) + "\n")
    program = os.path.join(folder, "networks", "program")
    sources = [os.path.join(folder, f"{network['name']}.swift") for network in networks]
    # They are so small that optimising them would take longer than running them.
    subprocess.run(["swiftc", "-whole-module-optimization", *sources, main, "-o", program], check=True)
    lines = subprocess.run([program], check=True, capture_output=True).stdout.decode().splitlines()
    for network in networks:
        report(f"{network['name']}, swift",
               [np.abs(np.array([float(x) for x in line.split()]) - answer.reshape(-1)).max()
                for line, (name, answer, _) in zip(lines, calls) if name == network["name"]])
    return good


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
        failed = not check_networks(folder)
        # `classify` moves ink into the frame that a model has learnt, which an exported model does not do.
        # The two models trained here get pictures that are in their frame; the released one has none.
        os.mkdir(os.path.join(folder, "framed"))
        framed = bitmaps(os.path.join(folder, "framed"), count, shared=False)
        sets = {"released": bitmaps(folder, count), "drawing": framed, "lenet": framed}
        synthetic = os.path.join(ROOT, "datasets", "synthetic.ndjson")
        models = {"released": os.path.join(ROOT, "models", "inkstate.safetensors")}
        for name in ["drawing", "lenet"]:
            models[name] = os.path.join(folder, f"{name}.safetensors")
            inkstate("train", synthetic, "--architecture", name, "--epochs", "1",
                     "--output", models[name])
        for name, model in models.items():
            pictures, images = sets[name]
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
