#!/usr/bin/env python3
"""Makes the numbers that Inkstate's layers and optimisers are compared with, by PyTorch.

    python3 -m venv scratch && scratch/bin/pip install torch numpy
    scratch/bin/python scripts/reference/make-network-references.py \
        Tests/InkTrainingTests/References/networks.json

For each case: the network, its first weights, a batch, the logits, every gradient of the loss, and
the losses of ten optimiser steps on that batch.
"""

import json
import sys

import torch
from torch import nn

ARCHITECTURES = {
    "same padding, two pools": [
        {"kind": "convolution", "filters": 3, "kernel": 3, "padding": "same"},
        {"kind": "relu"},
        {"kind": "maxPooling", "size": 2},
        {"kind": "convolution", "filters": 4, "kernel": 5, "padding": "same"},
        {"kind": "relu"},
        {"kind": "maxPooling", "size": 3},
        {"kind": "flatten"},
        {"kind": "dense", "units": 6},
        {"kind": "relu"},
        {"kind": "dense", "units": 3},
    ],
    "valid padding, batch normalisation": [
        {"kind": "convolution", "filters": 4, "kernel": 3, "padding": "valid"},
        {"kind": "batchNormalization"},
        {"kind": "relu"},
        {"kind": "maxPooling", "size": 2},
        {"kind": "convolution", "filters": 3, "kernel": 3, "padding": "valid"},
        {"kind": "relu"},
        {"kind": "flatten"},
        {"kind": "dense", "units": 5},
        {"kind": "batchNormalization"},
        {"kind": "relu"},
        {"kind": "dense", "units": 4},
    ],
    "normalised convolutions, one after the other": [
        {"kind": "convolution", "filters": 3, "kernel": 3, "padding": "same"},
        {"kind": "batchNormalization"},
        {"kind": "relu"},
        {"kind": "maxPooling", "size": 2},
        {"kind": "convolution", "filters": 17, "kernel": 5, "padding": "same"},
        {"kind": "batchNormalization"},
        {"kind": "relu"},
        {"kind": "convolution", "filters": 4, "kernel": 3, "padding": "same"},
        {"kind": "batchNormalization"},
        {"kind": "maxPooling", "size": 2},
        {"kind": "flatten"},
        {"kind": "dense", "units": 3},
    ],
    "no convolution": [
        {"kind": "flatten"},
        {"kind": "dense", "units": 8},
        {"kind": "relu"},
        {"kind": "dense", "units": 2},
    ],
}

CASES = [
    ("same padding, two pools", 12, "sgd", dict(momentum=0.9), dict()),
    ("same padding, two pools", 12, "adam", dict(), dict(label_smoothing=0.1)),
    ("valid padding, batch normalisation", 11, "adamw",
     # A bias before batch normalisation has no gradient but rounding errors, which a small epsilon
     # would blow up to full steps.
     dict(weight_decay=0.05, eps=1e-3), dict()),
    (
        "valid padding, batch normalisation", 11, "sgd",
        dict(momentum=0.8, nesterov=True, weight_decay=0.01),
        dict(class_weights=[1.0, 2.0, 0.5, 1.5]),
    ),
    ("no convolution", 9, "adam", dict(weight_decay=0.02),
     dict(label_smoothing=0.2, class_weights=[0.7, 1.3])),
    ("normalised convolutions, one after the other", 11, "sgd", dict(momentum=0.8), dict()),
]


def build(layers, size):
    modules, shape = [], (1, size, size)
    for layer in layers:
        kind = layer["kind"]
        if kind == "convolution":
            padding = layer["kernel"] // 2 if layer["padding"] == "same" else 0
            modules.append(nn.Conv2d(shape[0], layer["filters"], layer["kernel"], padding=padding))
        elif kind == "batchNormalization":
            modules.append(nn.BatchNorm2d(shape[0]) if len(shape) == 3 else nn.BatchNorm1d(shape[0]))
        elif kind == "relu":
            modules.append(nn.ReLU())
        elif kind == "maxPooling":
            modules.append(nn.MaxPool2d(layer["size"]))
        elif kind == "flatten":
            modules.append(nn.Flatten())
        elif kind == "dense":
            modules.append(nn.Linear(shape[0], layer["units"]))
        with torch.no_grad():
            # Two examples, so that batch normalisation has something to normalise.
            shape = tuple(modules[-1](torch.zeros(2, *shape)).shape[1:])
    return nn.Sequential(*modules)


def stored(tensor):
    return {"shape": list(tensor.shape), "values": [float(v) for v in tensor.flatten()]}


def make(name, size, method, settings, loss_settings):
    torch.manual_seed(20260101)
    layers = ARCHITECTURES[name]
    network = build(layers, size)
    for module in network:
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.uniform_(module.bias, -0.5, 0.5)
    weights = loss_settings.get("class_weights")
    classes = layers[-1]["units"]
    loss = nn.CrossEntropyLoss(
        weight=torch.tensor(weights) if weights else None,
        label_smoothing=loss_settings.get("label_smoothing", 0.0))
    inputs = torch.rand(10, 1, size, size)
    targets = torch.arange(10) % classes
    case = {
        "name": f"{name}, {method}",
        "architecture": {"name": name, "inputSize": size, "layers": layers},
        "method": method,
        "momentum": settings.get("momentum", 0.9),
        "isNesterov": settings.get("nesterov", False),
        "weightDecay": settings.get("weight_decay", 0.0),
        "epsilon": settings.get("eps", 1e-8),
        "learningRate": 0.05 if method == "sgd" else 0.01,
        "labelSmoothing": loss_settings.get("label_smoothing", 0.0),
        "classWeights": weights or [1.0] * classes,
        "targets": targets.tolist(),
        "inputs": stored(inputs),
        "weights": {
            key: stored(value) for key, value in network.state_dict().items()
            if not key.endswith("num_batches_tracked")
        },
    }
    kind = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[method]
    if method == "adamw":
        settings.setdefault("weight_decay", 0.0)
    optimizer = kind(network.parameters(), lr=case["learningRate"], **settings)
    losses = []
    for step in range(10):
        optimizer.zero_grad()
        logits = network(inputs)
        value = loss(logits, targets)
        value.backward()
        if step == 0:
            case["logits"] = stored(logits.detach())
            case["gradients"] = {
                key: stored(parameter.grad) for key, parameter in network.named_parameters()
            }
        losses.append(float(value))
        optimizer.step()
    case["losses"] = losses
    network.eval()
    with torch.no_grad():
        case["finalLogits"] = stored(network(inputs))
    return case


if __name__ == "__main__":
    content = {"torch": torch.__version__.split("+")[0], "cases": [make(*case) for case in CASES]}
    with open(sys.argv[1], "w") as file:
        json.dump(json.loads(json.dumps(content), parse_float=lambda t: float(f"{float(t):.9g}")),
                  file, separators=(",", ":"))
        file.write("\n")
