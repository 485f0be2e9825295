#!/usr/bin/env python3
"""Makes the numbers that networks with a distribution for each cell are compared with, by PyTorch.

    python3 -m venv scratch && scratch/bin/pip install torch numpy
    scratch/bin/python scripts/reference/make-cell-references.py Tests/InkTrainingTests/References

For each case: the network, its first weights, a batch with classes (255 is ignored), fields and masks, the
logits, every gradient of the loss, and the losses of ten optimiser steps on that batch.
"""

import json
import sys

import torch
from torch import nn

IGNORED = 255
EPSILON = 1e-3
# A mask each for the first two fields and the third.
GROUPS = [[0, 2], [2, 3]]


def convolution(filters, kernel=3, stride=1, padding="same", sources=None):
    node = {"kind": "convolution", "filters": filters, "kernel": kernel, "padding": padding}
    if stride > 1:
        node["stride"] = stride
    return node | ({"sources": sources} if sources else {})


def fused(filters, stride=1):
    return [convolution(filters, stride=stride), {"kind": "batchNormalization"}, {"kind": "relu"}]


def u_net(widths, outputs):
    nodes, levels = [], []
    for width in widths:
        nodes += fused(width, stride=2) + fused(width)
        levels.append(len(nodes) - 1)
    for width, level in zip(widths[-2::-1], levels[-2::-1]):
        nodes.append({"kind": "upsampling"})
        nodes.append({"kind": "concatenation", "sources": [len(nodes) - 1, level]})
        nodes += fused(width)
    return nodes + [convolution(outputs, kernel=1)]


# Layers that are computed one by one, upsampled planes with two readers, and the picture itself joined.
OTHERS = [
    convolution(4, kernel=5, stride=2), {"kind": "relu"}, {"kind": "maxPooling", "size": 2},
    *fused(6), {"kind": "upsampling"}, convolution(3, sources=[6]), {"kind": "batchNormalization"},
    {"kind": "concatenation", "sources": [6, 8, 1]}, {"kind": "upsampling"},
    {"kind": "concatenation", "sources": [10, "page"]}, *fused(5),
    {"kind": "concatenation", "sources": [14, 11, 14]}, *fused(7), *fused(18),
    convolution(5, kernel=1),
]

CASES = [
    ("levels", u_net([3, 5, 9], 6), 3, (16, 24), "adamw"),
    ("whole vectors", u_net([16, 16], 4), 0, (8, 12), "sgd"),
    ("others", OTHERS, 3, (16, 24), "sgd"),
]


class Network(nn.Module):
    def __init__(self, nodes):
        super().__init__()
        self.nodes, self.parts, channels = nodes, nn.ModuleDict(), {"page": 1, -1: 1}
        for index, node in enumerate(nodes):
            read = [channels[source] for source in self.sources(index)]
            count = sum(read)
            if node["kind"] == "convolution":
                kernel = node["kernel"]
                self.parts[str(index)] = nn.Conv2d(
                    count, node["filters"], kernel, node.get("stride", 1), padding=kernel // 2)
                count = node["filters"]
            elif node["kind"] == "batchNormalization":
                self.parts[str(index)] = nn.BatchNorm2d(count)
            channels[index] = count

    def sources(self, index):
        return self.nodes[index].get("sources", [index - 1 if index else "page"])

    def forward(self, page):
        values = {"page": page}
        for index, node in enumerate(self.nodes):
            read = [values[source] for source in self.sources(index)]
            kind = node["kind"]
            if kind == "concatenation":
                values[index] = torch.cat(read, 1)
            elif kind == "upsampling":
                values[index] = nn.functional.interpolate(read[0], scale_factor=2, mode="nearest")
            elif kind == "relu":
                values[index] = read[0].relu()
            elif kind == "maxPooling":
                values[index] = nn.functional.max_pool2d(read[0], node["size"])
            else:
                values[index] = self.parts[str(index)](read[0])
        return values[len(self.nodes) - 1]


def stored(tensor):
    return {"shape": list(tensor.shape), "values": [float(v) for v in tensor.flatten()]}


def tensors(arrays):
    return {name.removeprefix("parts."): stored(tensor) for name, tensor in arrays.items()
            if not name.endswith("num_batches_tracked")}


def make(name, nodes, fields, size, method):
    torch.manual_seed(20261017)
    network = Network(nodes)
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.uniform_(module.bias, -0.5, 0.5)
    network.train()
    classes, batch = nodes[-1]["filters"] - fields, 3
    inputs = torch.rand(batch, 1, *size)
    rows, columns = network(inputs).shape[2:]
    network = network.apply(lambda m: m.reset_running_stats() if isinstance(m, nn.BatchNorm2d) else None)
    truth = torch.randint(0, classes + 1, (batch, rows, columns))
    truth[truth == classes] = IGNORED
    # Values on both sides of where the loss becomes straight.
    numbers = 3 * torch.randn(batch, fields, rows, columns)
    masks = torch.randint(0, 2, (batch, len(GROUPS), rows, columns)) if fields else None
    weights = [0.5 + 0.75 * index for index in range(classes)]
    entropy = nn.CrossEntropyLoss(torch.tensor(weights), ignore_index=IGNORED)
    field_weight = 0.5

    def loss(logits):
        value = entropy(logits[:, :classes], truth)
        if fields:
            known = torch.cat([
                masks[:, group:group + 1].expand(-1, last - first, -1, -1)
                for group, (first, last) in enumerate(GROUPS)], 1)
            huber = nn.functional.huber_loss(logits[:, classes:], numbers, reduction="none", delta=1.0)
            value = value + field_weight * (huber * known).sum() / known.sum()
        return value

    output = "distributionPerCell"
    case = {
        "name": name,
        "architecture": {
            "name": name, "nodes": nodes,
            "inputs": [{"name": "page", "form": "image", "channels": 1,
                        "height": size[0], "width": size[1]}],
            "output": {"kind": output, "fields": fields} if fields else output},
        "method": method,
        "learningRate": 0.05 if method == "sgd" else 0.01,
        "epsilon": EPSILON,
        "classWeights": weights,
        "fieldGroups": GROUPS if fields else [],
        "fieldWeight": field_weight,
        "inputs": stored(inputs),
        # In the order of cells.
        "classes": truth.flatten().tolist(),
        "fields": stored(numbers.permute(0, 2, 3, 1))["values"],
        "masks": masks.permute(0, 2, 3, 1).flatten().tolist() if fields else [],
        "weights": tensors(network.state_dict()),
    }
    kind = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[method]
    # The gradient of a bias before a normalisation is 0, of which Adam makes steps where rounding is not.
    settings = {"sgd": {"momentum": 0.9}, "adam": {"eps": EPSILON},
                "adamw": {"eps": EPSILON, "weight_decay": 0.0}}[method]
    optimizer = kind(network.parameters(), lr=case["learningRate"], **settings)
    losses = []
    for step in range(10):
        optimizer.zero_grad()
        logits = network(inputs)
        value = loss(logits)
        value.backward()
        if step == 0:
            case["logits"] = stored(logits.detach())
            case["gradients"] = tensors(
                {key: parameter.grad for key, parameter in network.named_parameters()})
        losses.append(float(value.detach()))
        optimizer.step()
    case["losses"] = losses
    network.eval()
    with torch.no_grad():
        case["finalLogits"] = stored(network(inputs))
    return case


if __name__ == "__main__":
    content = {"torch": torch.__version__.split("+")[0], "cases": [make(*case) for case in CASES]}
    with open(f"{sys.argv[1]}/cells.json", "w") as file:
        json.dump(json.loads(json.dumps(content), parse_float=lambda t: float(f"{float(t):.9g}")),
                  file, separators=(",", ":"))
        file.write("\n")
