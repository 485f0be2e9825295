#!/usr/bin/env python3
"""Makes the numbers that Inkstate's layers and optimisers are compared with, by PyTorch.

    python3 -m venv scratch && scratch/bin/pip install torch numpy
    scratch/bin/python scripts/reference/make-network-references.py Tests/InkTrainingTests/References

For each case: the network, its first weights, a batch, the logits, every gradient of the loss, and
the losses of ten optimiser steps on that batch. Series have different lengths, and PyTorch computes each
by itself, so that nothing is padded; only batch normalisation sees the steps of all. And for CTC: logits and
labels with the loss and its gradient, in double precision.
"""

import json
import sys

import torch
from torch import nn

from reference_networks import ARCHITECTURES, CASES, GRAPH_CASES, GRAPHS, LENGTHS


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


class Attention(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(channels).uniform_(-0.5, 0.5))

    def forward(self, steps):
        return (torch.softmax(steps @ self.weight, 0)[:, None] * steps).sum(0)


class Graph(nn.Module):
    """Nodes over values without a batch: series `[length, channels]`, planes and vectors."""

    def __init__(self, nodes, shape):
        super().__init__()
        self.nodes, self.parts = nodes, nn.ModuleDict()
        values = [None] * len(nodes)
        example = torch.zeros(*shape)
        for index, node in enumerate(nodes):
            read = self.read(index, [example], [[value] for value in values])
            channels = read[0][0].shape[0 if node["kind"] == "convolution" else -1]
            part = self.part(node, channels)
            if part is not None:
                self.parts[str(index)] = part.eval()
            with torch.no_grad():
                values[index] = self.compute(index, read)[0]

    @staticmethod
    def part(node, channels):
        kind = node["kind"]
        if kind == "convolution":
            return nn.Conv2d(channels, node["filters"], node["kernel"], padding="same")
        if kind == "seriesConvolution":
            return nn.Conv1d(channels, node["filters"], node["kernel"], stride=node["stride"])
        if kind in ("gru", "lstm"):
            return {"gru": nn.GRU, "lstm": nn.LSTM}[kind](
                channels, node["units"], bidirectional=node["direction"] == "both")
        if kind == "dense":
            return nn.Linear(channels, node["units"])
        if kind == "batchNormalization":
            return nn.BatchNorm1d(channels)
        if kind == "layerNormalization":
            return nn.LayerNorm(channels)
        return Attention(channels) if node.get("method") == "attention" else None

    def read(self, index, inputs, values):
        """What node `index` reads: of each source, the values of all examples."""
        before = [index - 1] if index else ["series"]
        return [values[source] if isinstance(source, int) else inputs
                for source in self.nodes[index].get("sources", before)]

    def compute(self, index, read):
        node, values = self.nodes[index], read[0]
        part = self.parts[str(index)] if str(index) in self.parts else None
        kind, method = node["kind"], node.get("method")
        if kind == "concatenation":
            return [torch.cat(sources, -1) for sources in zip(*read)]
        if kind == "batchNormalization":
            return part(torch.cat(values)).split([len(value) for value in values])
        if kind == "seriesConvolution":
            return [self.convolve(node, part, value) for value in values]
        if kind in ("gru", "lstm"):
            if node["direction"] == "backward":
                return [part(value.flip(0))[0].flip(0) for value in values]
            return [part(value)[0] for value in values]
        if kind == "relu":
            return [value.relu() for value in values]
        if kind == "columns":
            return [value.flatten(0, 1).T for value in values]
        if method == "max":
            return [value.amax(0) for value in values]
        if method == "mean":
            return [value.mean(0) for value in values]
        return [part(value) for value in values]

    @staticmethod
    def convolve(node, part, value):
        kernel, padding = node["kernel"], node["padding"]
        if padding == "valid":
            return part(value.T[None])[0].T
        before = kernel - 1 if padding == "causal" else (kernel - 1) // 2
        steps = -(-len(value) // node["stride"])
        # Zeros behind as well, more than are needed.
        return part(nn.functional.pad(value.T, (before, kernel))[None])[0].T[:steps]

    def forward(self, inputs):
        values = []
        for index in range(len(self.nodes)):
            values.append(self.compute(index, self.read(index, inputs, values)))
        return torch.stack(list(values[-1]))

    def ours(self, key, tensor):
        """An array as Inkstate names and orders it."""
        _, index, name = key.split(".")
        node = self.nodes[int(index)]
        name = name.replace("_l0", "")
        if node.get("direction") == "backward":
            name += "_reverse"
        if node["kind"] == "seriesConvolution" and name == "weight":
            tensor = tensor.transpose(1, 2)
        return f"{index}.{name}", tensor


def stored(tensor):
    return {"shape": list(tensor.shape), "values": [float(v) for v in tensor.flatten()]}


def tensors(arrays, ours):
    return {
        name: stored(tensor) for name, tensor in (ours(*array) for array in arrays.items())
        if not name.endswith("num_batches_tracked")
    }


def make_graph(name, method, settings):
    nodes, lengths = GRAPHS[name], LENGTHS
    torch.manual_seed(20260101)
    if nodes[0]["kind"] == "convolution":
        form = {"name": "image", "form": "image", "channels": 1, "height": 4, "width": 6}
        network, lengths = Graph(nodes, (1, 4, 6)), None
        inputs = list(torch.rand(10, 1, 4, 6))
    else:
        form = {"name": "series", "form": "series", "channels": 3,
                "length": {"least": min(lengths), "most": max(lengths)}}
        network = Graph(nodes, (max(lengths), 3))
        inputs = [torch.randn(length, 3) for length in lengths]
    architecture = {"name": name, "inputs": [form], "nodes": nodes, "output": "distribution"}
    case = make(name, network, inputs, method, settings, dict(), architecture)
    case["lengths"] = lengths
    return case


def make_chain(name, size, method, settings, loss_settings):
    torch.manual_seed(20260101)
    network = build(ARCHITECTURES[name], size)
    return make(
        name, network, lambda: torch.rand(10, 1, size, size), method, settings, loss_settings,
        {"name": name, "inputSize": size, "layers": ARCHITECTURES[name]})


def make(name, network, inputs, method, settings, loss_settings, architecture):
    for module in network.modules():
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.uniform_(module.bias, -0.5, 0.5)
    network.train()
    ours = network.ours if isinstance(network, Graph) else lambda key, tensor: (key, tensor)
    layers = architecture.get("layers") or architecture["nodes"]
    weights = loss_settings.get("class_weights")
    classes = layers[-1]["units"]
    if callable(inputs):
        inputs = inputs()
    targets = torch.arange(10) % classes
    # The weights of CrossEntropyLoss itself also weight each part of a smoothed target. Ours weight the example.
    per_example = nn.CrossEntropyLoss(
        label_smoothing=loss_settings.get("label_smoothing", 0.0), reduction="none")
    own = torch.tensor(weights or [1.0] * classes)[targets]

    def loss(logits, targets):
        return (own * per_example(logits, targets)).sum() / own.sum()

    case = {
        "name": f"{name}, {method}",
        "architecture": architecture,
        "method": method,
        "momentum": settings.get("momentum", 0.9),
        "isNesterov": settings.get("nesterov", False),
        "weightDecay": settings.get("weight_decay", 0.0),
        "epsilon": settings.get("eps", 1e-8),
        "learningRate": 0.05 if method == "sgd" else 0.01,
        "labelSmoothing": loss_settings.get("label_smoothing", 0.0),
        "classWeights": weights or [1.0] * classes,
        "targets": targets.tolist(),
        "inputs": stored(
            inputs if torch.is_tensor(inputs) else torch.cat([value.flatten() for value in inputs])),
        "weights": tensors(network.state_dict(), ours),
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
            case["gradients"] = tensors(
                {key: parameter.grad for key, parameter in network.named_parameters()}, ours)
        losses.append(float(value.detach()))
        optimizer.step()
    case["losses"] = losses
    network.eval()
    with torch.no_grad():
        case["finalLogits"] = stored(network(inputs))
    return case


# Steps, classes and label: repeated characters, empty labels, the longest labels that fit.
CTC_CASES = [
    (1, 2, []), (6, 5, []), (1, 3, [2]), (3, 3, [1, 1]), (5, 4, [3, 3, 3]), (9, 6, [1, 2, 2, 5, 1]),
    (20, 17, [16, 16, 3, 1, 1, 1, 9]), (12, 33, list(range(21, 33))), (30, 40, [7, 8, 7, 7, 39, 1]),
    (48, 18, [1 + i * i % 17 for i in range(31)]),
]


def make_ctc(steps, classes, label):
    torch.manual_seed(steps * 100 + classes)
    logits = (2 * torch.randn(steps, classes)).double().requires_grad_()
    loss = nn.CTCLoss()(logits.log_softmax(-1)[:, None], torch.tensor([label], dtype=torch.long),
                        torch.tensor([steps]), torch.tensor([len(label)]))
    loss.backward()
    return {"classes": classes, "label": label, "logits": stored(logits.detach())["values"],
            "loss": float(loss.detach()), "gradient": stored(logits.grad)["values"]}


def write(folder, name, cases):
    content = {"torch": torch.__version__.split("+")[0], "cases": cases}
    with open(f"{folder}/{name}", "w") as file:
        json.dump(json.loads(json.dumps(content), parse_float=lambda t: float(f"{float(t):.9g}")),
                  file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    write(sys.argv[1], "networks.json",
          [make_chain(*case) for case in CASES] + [make_graph(*case) for case in GRAPH_CASES])
    write(sys.argv[1], "ctc.json", [make_ctc(*case) for case in CTC_CASES])
