#!/usr/bin/env python3
"""Writes the networks over series of other programs that InkExchangeTests imports.

    python3 -m venv scratch
    scratch/bin/pip install torch onnx onnxscript coremltools
    scratch/bin/python scripts/reference/make-series-references.py Tests/InkExchangeTests/References

Small networks with random weights: convolutions, GRU, LSTM, layer normalisation, pooling and attention, from
both ONNX exporters of PyTorch; and Turi Create's activity classifier, layer by layer (one array of features
and two states), and as Create ML has it (one input a feature, one state), with coremltools. The answers are
PyTorch's.
"""

import json
import os
import sys
import warnings

warnings.filterwarnings("ignore")

# In this order: the copies of LLVM in PyTorch and TensorFlow, which coremltools loads, do not go together in
# others.
import torch
import torch._dynamo
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder
from torch import nn

WINDOW, FEATURES, FILTERS, UNITS, HIDDEN, CLASSES = 10, 4, 6, 5, 8, 3


class Gesture(nn.Module):
    """Most layers; the length varies."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv1d(3, 6, 5, stride=2, padding=2)
        self.normalization = nn.BatchNorm1d(6)
        self.gru = nn.GRU(6, 4, batch_first=True, bidirectional=True)
        self.lstm = nn.LSTM(8, 5, batch_first=True)
        self.steps = nn.LayerNorm(5)
        self.query = nn.Linear(5, 1, bias=False)
        self.last = nn.Linear(15, CLASSES)

    def forward(self, series):
        x = torch.relu(self.normalization(self.convolution(series.transpose(1, 2))))
        x, _ = self.gru(x.transpose(1, 2))
        x, _ = self.lstm(x)
        x = self.steps(x)
        attention = (x * torch.softmax(self.query(x), 1)).sum(1)
        return self.last(torch.cat([x.amax(1), x.mean(1), attention], 1))


class Causal(nn.Module):
    """Channels first, causal padding, and a flattening channel by channel; the length is fixed."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(3, 4, 4)
        self.second = nn.Conv1d(4, 5, 3, padding=1)
        self.dense = nn.Linear(5 * 12, 6)
        self.last = nn.Linear(6, CLASSES)

    def forward(self, series):
        x = torch.relu(self.first(nn.functional.pad(series, (3, 0))))
        x = torch.relu(self.second(x))
        return self.last(torch.relu(self.dense(x.flatten(1))))


class Activity(nn.Module):
    """Turi Create's activity classifier with fewer units, for one prediction window."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv1d(FEATURES, FILTERS, WINDOW, stride=WINDOW)
        self.lstm = nn.LSTM(FILTERS, UNITS, batch_first=True)
        self.dense = nn.Linear(UNITS, HIDDEN)
        self.normalization = nn.BatchNorm1d(HIDDEN, eps=1e-3)
        self.last = nn.Linear(HIDDEN, CLASSES)

    def forward(self, series):
        x = torch.relu(self.convolution(series.transpose(1, 2))).transpose(1, 2)
        x = self.normalization(self.dense(self.lstm(x)[0][:, -1]))
        return self.last(torch.relu(x))


def randomized(network):
    for module in network.modules():
        if isinstance(module, nn.BatchNorm1d):
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2)
            nn.init.uniform_(module.weight, 0.5, 2)
            nn.init.normal_(module.bias)
    return network.eval()


def core_ml(network, path, is_turi):
    """The activity classifier: Turi Create's permutes [1, window, features], Create ML joins its inputs."""
    array = datatypes.Array
    if is_turi:
        inputs = [("features", array(1, WINDOW, FEATURES)), ("lstm_h_in", array(UNITS)),
                  ("lstm_c_in", array(UNITS))]
    else:
        inputs = [(f"feature{index}", array(WINDOW)) for index in range(FEATURES)]
        inputs += [("stateIn", array(2 * UNITS))]
    builder = NeuralNetworkBuilder(inputs, [("labelProbability", datatypes.Dictionary(str))],
                                   mode="classifier")
    if is_turi:
        builder.add_permute("permute", (0, 3, 1, 2), "features", "conv_in")
        start = ["lstm_h_in", "lstm_c_in"]
    else:
        builder.add_elementwise("features", [name for name, _ in inputs[:-1]], "joined", "CONCAT")
        builder.add_reshape("reshape", "joined", "conv_in", (1, FEATURES, 1, WINDOW), 0)
        builder.add_slice("hiddenIn", "stateIn", "hiddenIn", "channel", 0, UNITS)
        builder.add_slice("cellIn", "stateIn", "cellIn", "channel", UNITS, 2 * UNITS)
        start = ["hiddenIn", "cellIn"]
    weights = {name: value.detach().numpy() for name, value in network.state_dict().items()}
    builder.add_convolution("conv", FEATURES, FILTERS, 1, WINDOW, 1, WINDOW, "valid", 1,
                            weights["convolution.weight"][:, :, None].transpose(2, 3, 1, 0),
                            weights["convolution.bias"], True, input_name="conv_in",
                            output_name="relu_in")
    builder.add_activation("relu1", "RELU", "relu_in", "lstm_in")
    i, f, g, o = [slice(gate * UNITS, (gate + 1) * UNITS) for gate in range(4)]
    order = [i, f, o, g]
    bias = weights["lstm.bias_ih_l0"] + weights["lstm.bias_hh_l0"]
    builder.add_unilstm("lstm", [weights["lstm.weight_hh_l0"][gate] for gate in order],
                        [weights["lstm.weight_ih_l0"][gate] for gate in order],
                        [bias[gate] for gate in order], UNITS, FILTERS, ["lstm_in", *start],
                        ["dense0_in", "hiddenOut", "cellOut"])
    if not is_turi:
        builder.add_elementwise("stateOut", ["hiddenOut", "cellOut"], "stateOut", "CONCAT")
    builder.add_inner_product("dense0", weights["dense.weight"], weights["dense.bias"], UNITS, HIDDEN,
                              True, "dense0_in", "bn_in")
    builder.add_batchnorm("bn", HIDDEN, weights["normalization.weight"],
                          weights["normalization.bias"], weights["normalization.running_mean"],
                          weights["normalization.running_var"], "bn_in", "relu6_in", epsilon=1e-3)
    builder.add_activation("relu6", "RELU", "relu6_in", "dense1_in")
    builder.add_inner_product("dense1", weights["last.weight"], weights["last.bias"], HIDDEN, CLASSES,
                              True, "dense1_in", "softmax_in")
    builder.add_softmax("softmax", "softmax_in", "labelProbability")
    builder.set_class_labels(["rest", "jab", "hook"])
    builder.spec.specificationVersion = 1
    with open(path, "wb") as file:
        file.write(builder.spec.SerializeToString())


def main():
    folder = sys.argv[1]
    torch.manual_seed(7)
    answers = {}

    def keep(name, network, inputs, split=None):
        with torch.no_grad():
            answers[name] = [
                {"inputs": (split or (lambda x: [x.flatten().tolist()]))(x[0]),
                 "probabilities": torch.softmax(network(x), 1)[0].double().tolist()}
                for x in inputs]

    gesture = randomized(Gesture())
    inputs = [torch.randn(1, length, 3) for length in [12, 20, 33]]
    path = os.path.join(folder, "series-dynamo.onnx")
    torch.onnx.export(gesture, (torch.randn(2, 20, 3),), path, dynamo=True, input_names=["series"],
                      dynamic_shapes=({0: "batch", 1: "length"},), verbose=False,
                      external_data=False)
    keep("series-dynamo.onnx", gesture, inputs)
    path = os.path.join(folder, "series-script.onnx")
    torch.onnx.export(gesture, (torch.randn(2, 20, 3),), path, dynamo=False, input_names=["series"],
                      dynamic_axes={"series": {0: "batch", 1: "length"}})
    keep("series-script.onnx", gesture, inputs)

    causal = randomized(Causal())
    path = os.path.join(folder, "series-causal.onnx")
    torch.onnx.export(causal, (torch.randn(2, 3, 12),), path, dynamo=True, input_names=["series"],
                      dynamic_shapes=({0: "batch"},), verbose=False, external_data=False)
    # Inkstate has the steps first.
    keep("series-causal.onnx", causal, [torch.randn(1, 3, 12) for _ in range(3)],
         lambda x: [x.T.flatten().tolist()])

    activity = randomized(Activity())
    inputs = [torch.randn(1, WINDOW, FEATURES) for _ in range(3)]
    core_ml(activity, os.path.join(folder, "turi-activity.mlmodel"), True)
    keep("turi-activity.mlmodel", activity, inputs)
    core_ml(activity, os.path.join(folder, "create-ml-activity.mlmodel"), False)
    keep("create-ml-activity.mlmodel", activity, inputs, lambda x: x.T.tolist())

    with open(os.path.join(folder, "series-answers.json"), "w") as file:
        json.dump(answers, file)


main()
