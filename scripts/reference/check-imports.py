#!/usr/bin/env python3
"""Trains networks with PyTorch and Keras, imports them, and compares: the same answers as theirs.

    scripts/build inkstate
    python3 -m venv scratch
    scratch/bin/pip install torch tensorflow coremltools onnx onnxscript pillow
    scratch/bin/pip install --no-deps tf2onnx flatbuffers
    scratch/bin/python scripts/reference/check-imports.py [COUNT] [--write FOLDER]

`drawing` with batch normalisation, trained on COUNT (1,000) bitmaps by what they look like (how much ink
they have), then written as ONNX by torch.onnx and tf2onnx, as Core ML by coremltools (by its converter, and
layer by layer as Turi Create writes its drawing classifiers), and as NumPy's weights. The largest difference
of a probability may be 1e-5, labels must be the same.

With --write, small networks are trained instead, and their files kept with the answers to a few bitmaps:
`scripts/reference/check-imports.py 200 --write Tests/InkExchangeTests/References` made those of the tests.
"""

import json
import os
import sys
import tempfile
import warnings

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
warnings.filterwarnings("ignore")

# In this order: their copies of LLVM do not go together in others.
import torch
import torch._dynamo
import keras
import numpy as np
import tensorflow
import tf2onnx
import coremltools
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder
from parity import bitmaps, compare, inkstate, own_answers
from torch import nn

LABELS = ["little", "some", "more", "much"]


def filters(is_small):
    return ([4, 6, 8], 12) if is_small else ([16, 32, 64], 128)


def architecture(is_small, normalizes):
    (first, second, third), units = filters(is_small)
    normalization = [{"kind": "batchNormalization"}] if normalizes else []
    layers = []
    for count in [first, second, third]:
        layers += [{"kind": "convolution", "filters": count, "kernel": 3, "padding": "same"},
                   *normalization, {"kind": "relu"}, {"kind": "maxPooling", "size": 2}]
    layers += [{"kind": "flatten"}, {"kind": "dense", "units": units}, {"kind": "relu"},
               {"kind": "dense", "units": len(LABELS)}]
    return {"name": "foreign", "inputSize": 28, "layers": layers}


def pytorch_network(is_small, normalizes):
    widths, units = filters(is_small)
    layers, channels = [], 1
    for width in widths:
        layers += [nn.Conv2d(channels, width, 3, padding=1)]
        layers += [nn.BatchNorm2d(width)] if normalizes else []
        layers += [nn.ReLU(), nn.MaxPool2d(2)]
        channels = width
    layers += [nn.Flatten(), nn.Linear(9 * channels, units), nn.ReLU(),
               nn.Linear(units, len(LABELS))]
    return nn.Sequential(*layers)


def train_pytorch(network, pictures, targets):
    optimizer = torch.optim.Adam(network.parameters(), 2e-3)
    network.train()
    for _ in range(5):
        for start in range(0, len(pictures), 32):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(network(pictures[start:start + 32]),
                                               targets[start:start + 32])
            loss.backward()
            optimizer.step()
    return network.eval()


def keras_network(is_small):
    widths, units = filters(is_small)
    layers = [keras.Input((28, 28, 1))]
    for width in widths:
        layers += [keras.layers.Conv2D(width, 3, padding="same"), keras.layers.BatchNormalization(),
                   keras.layers.ReLU(), keras.layers.MaxPooling2D()]
    layers += [keras.layers.Flatten(), keras.layers.Dense(units, activation="relu"),
               keras.layers.Dense(len(LABELS), activation="softmax")]
    return keras.Sequential(layers)


def turi_create_file(network, path):
    """The layers of `network` as Turi Create's drawing classifiers have them: specification version 1."""
    builder = NeuralNetworkBuilder([("bitmap", datatypes.Array(1, 28, 28))],
                                   [("labelProbability", datatypes.Dictionary(str))],
                                   mode="classifier")
    blob, index = "bitmap", 0
    for layer in network:
        index += 1
        name = f"drawing_layer{index}"
        if isinstance(layer, nn.Conv2d):
            weight = layer.weight.detach().numpy()
            builder.add_convolution(name, weight.shape[1], weight.shape[0], 3, 3, 1, 1, "same", 1,
                                    weight.transpose(2, 3, 1, 0), layer.bias.detach().numpy(), True,
                                    input_name=blob, output_name=name)
        elif isinstance(layer, nn.ReLU):
            builder.add_activation(name, "RELU", blob, name)
        elif isinstance(layer, nn.MaxPool2d):
            builder.add_pooling(name, 2, 2, 2, 2, "MAX", "VALID", blob, name)
        elif isinstance(layer, nn.Flatten):
            builder.add_flatten(name, 0, blob, name)
        elif isinstance(layer, nn.Linear):
            weight = layer.weight.detach().numpy()
            builder.add_inner_product(name, weight, layer.bias.detach().numpy(), weight.shape[1],
                                      weight.shape[0], True, blob, name)
        blob = name
    builder.add_softmax("drawing_softmax", blob, "labelProbability")
    builder.set_class_labels(LABELS)
    builder.set_pre_processing_parameters(image_input_names=["bitmap"], image_scale=1 / 255)
    specification = builder.spec
    specification.specificationVersion = 1
    image = specification.description.input[0].type.imageType
    image.width, image.height = 28, 28
    image.colorSpace = image.ColorSpace.Value("GRAYSCALE")
    specification.description.metadata.author = "check-imports.py"
    with open(path, "wb") as file:
        file.write(specification.SerializeToString())


def main():
    arguments = sys.argv[1:]
    kept = arguments[arguments.index("--write") + 1] if "--write" in arguments else None
    count = int(arguments[0]) if arguments and arguments[0].isdigit() else 1000
    is_small = kept is not None
    torch.manual_seed(1)
    keras.utils.set_random_seed(1)
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        folder = kept or scratch
        os.makedirs(folder, exist_ok=True)
        # What is kept must not hold anything of INKSTATE_DATA.
        drawings, images = bitmaps(scratch, count, shared=not kept)
        pictures = (images / 255).astype(np.float32)
        ink = pictures.mean(axis=(1, 2))
        targets = np.searchsorted(np.quantile(ink, [0.25, 0.5, 0.75]), ink)
        example = torch.from_numpy(pictures[:2, None])

        answers, files = {}, {}
        for name, normalizes in [("pytorch", True), ("turi-create", False)]:
            network = train_pytorch(pytorch_network(is_small, normalizes),
                                    torch.from_numpy(pictures[:, None]), torch.from_numpy(targets))
            with torch.no_grad():
                answers[name] = torch.softmax(network(torch.from_numpy(pictures[:, None])), 1).numpy()
            if name == "turi-create":
                files[name] = [("turi-create.mlmodel", [])]
                turi_create_file(network, os.path.join(folder, "turi-create.mlmodel"))
                continue
            torch.onnx.export(network, (example,), os.path.join(folder, "pytorch.onnx"), dynamo=True,
                              input_names=["image"], dynamic_shapes=({0: "batch"},), verbose=False)
            np.savez(os.path.join(folder, "pytorch.npz"),
                     **{key: value.numpy() for key, value in network.state_dict().items()})
            traced = torch.jit.trace(nn.Sequential(*network, nn.Softmax(1)).eval(), example[:1])
            grey = coremltools.ImageType(name="image", shape=(1, 1, 28, 28), scale=1 / 255,
                                         color_layout=coremltools.colorlayout.GRAYSCALE)
            coremltools.convert(traced, convert_to="neuralnetwork", inputs=[grey],
                                classifier_config=coremltools.ClassifierConfig(LABELS)
                                ).save(os.path.join(folder, "pytorch.mlmodel"))
            files[name] = [("pytorch.onnx", []), ("pytorch.mlmodel", []),
                           ("pytorch.npz", ["--architecture"])]

        model = keras_network(is_small)
        model.compile(keras.optimizers.Adam(2e-3), "sparse_categorical_crossentropy")
        model.fit(pictures[..., None], targets, epochs=5, batch_size=32, verbose=0)
        answers["keras"] = model.predict(pictures[..., None], verbose=0)
        np.savez_compressed(os.path.join(folder, "keras.npz"), *model.get_weights())
        call = tensorflow.function(lambda image: model(image, training=False), input_signature=[
            tensorflow.TensorSpec((None, 28, 28, 1), tensorflow.float32, name="image")])
        tf2onnx.convert.from_function(call, input_signature=call.input_signature, opset=17,
                                      output_path=os.path.join(folder, "keras.onnx"))
        files["keras"] = [("keras.onnx", []), ("keras.npz", ["--architecture"])]

        description = os.path.join(folder, "architecture.json")
        with open(description, "w") as file:
            json.dump(architecture(is_small, True), file)
        for name, forms in files.items():
            for form, options in forms:
                imported = os.path.join(scratch, f"{form}.safetensors")
                inkstate("import", os.path.join(folder, form), "--labels", ",".join(LABELS),
                         *sum([[option, description] for option in options], []),
                         "--output", imported)
                labels, own = own_answers(imported, drawings)
                good = compare(form, labels, own, LABELS, answers[name]) and good
        if kept:
            with open(os.path.join(folder, "answers.json"), "w") as file:
                json.dump({"labels": LABELS, "bitmaps": images[:12].reshape(12, -1).tolist(),
                           "answers": {name: rows[:12].astype(float).tolist()
                                       for name, rows in answers.items()}}, file)
    sys.exit(0 if good else 1)


main()
