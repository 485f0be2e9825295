#!/usr/bin/env python3
"""Writes small ONNX classifiers as people export them, with the answers of ONNX Runtime, for the tests.

    python3 -m venv scratch
    scratch/bin/pip install onnx onnxruntime
    scratch/bin/python scripts/reference/make-everyday-models.py \\
        Tests/InkExchangeTests/References/everyday.json

Each network has random weights. They differ in how a picture comes in, how it is scaled, which constants are
computed by nodes, and how it is pooled. The file has the models in base 64, the grey values of two pictures
of each size, and the probabilities.
"""

import base64
import json
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

CLASSES = 2


class Graph:
    """A graph that is written node by node; `last` is the value to go on with."""

    def __init__(self, shape, side, kind=TensorProto.FLOAT):
        self.random = np.random.default_rng(7)
        self.nodes, self.constants, self.last = [], [], "x"
        self.input = helper.make_tensor_value_info("x", kind, ["N", *shape])
        self.shape, self.side, self.kind = shape, side, kind

    def constant(self, values):
        values = np.asarray(values)
        if values.dtype == np.float64:
            values = values.astype(np.float32)
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(values, name))
        return name

    def weights(self, *shape):
        return np.round(self.random.normal(size=shape), 2)

    def add(self, kind, *inputs, **attributes):
        """A node of the last value and others."""
        self.last = self.of(kind, self.last, *inputs, **attributes)
        return self

    def of(self, kind, *inputs, **attributes):
        """The name of what a node computes of `inputs`; arrays become constants."""
        inputs = [i if isinstance(i, str) else self.constant(i) for i in inputs]
        output = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def shaped(self, *sizes):
        return self.add("Reshape", np.array(sizes, np.int64))

    def convolution(self, kernel=3, channels=1, filters=2, **attributes):
        attributes = attributes or {"pads": [1, 1, 1, 1]}
        return self.add("Conv", self.weights(filters, channels, kernel, kernel) / 2,
                        self.weights(filters), **attributes).add("Relu")

    def pooled(self):
        return self.add("MaxPool", kernel_shape=[2, 2], strides=[2, 2])

    def dense(self, inputs, units=CLASSES):
        return self.add("MatMul", self.weights(inputs, units) / 4).add("Add", self.weights(units))

    def flat(self, inputs, units=CLASSES):
        return self.add("Flatten").dense(inputs, units)

    def model(self):
        output = helper.make_tensor_value_info(self.last, TensorProto.FLOAT, ["N", None])
        graph = helper.make_graph(self.nodes, "g", [self.input], [output], self.constants)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def planes(side=8):
    return Graph([1, side, side], side)


def rows(side=8):
    return Graph([side, side], side)


def vector(side=16):
    return Graph([side * side], side)


def models():
    """Name, graph, and the factor that makes grey values from 0 to 255 its input."""
    one = 1 / 255
    # Constants that nodes compute.
    g = planes().convolution().pooled()
    weight = g.of("Reshape", g.weights(2, 4, 4, CLASSES) / 4, np.array([32, CLASSES], np.int64))
    yield "reshaped-weight", g.shaped(-1, 32).add("MatMul", weight).add("Add", g.weights(CLASSES)), one
    g = planes().convolution().pooled()
    weight = g.of("Transpose", g.weights(CLASSES, 32) / 4, perm=[1, 0])
    yield "transposed-weight", g.shaped(0, -1).add("MatMul", weight), one
    g = planes().convolution().pooled()
    weight = g.of("Squeeze", g.weights(1, CLASSES, 32) / 4, np.array([0], np.int64))
    yield "squeezed-weight", g.shaped(1, -1).add("Gemm", weight, g.weights(CLASSES), transB=1), one
    g = planes()
    g.add("Conv", g.of("Unsqueeze", g.weights(2, 3, 3), np.array([1], np.int64)), pads=[1, 1, 1, 1])
    deviation = g.of("Sqrt", g.of("Add", abs(g.weights(2, 1, 1)), np.array(1e-3)))
    g.add("Sub", g.weights(2, 1, 1)).add("Div", deviation).add("Relu").pooled()
    yield "normalization-in-parts", g.flat(32), one
    # Rows without a channel, and vectors.
    yield "rows", rows().shaped(-1, 64).dense(64), one
    yield "rows-to-planes", rows().shaped(-1, 1, 8, 8).convolution().pooled().flat(32), one
    yield "rows-unsqueezed", (
        rows().add("Unsqueeze", np.array([1], np.int64)).convolution().pooled().flat(32)), one
    yield "rows-scaled", (
        rows().add("Flatten").add("Sub", np.array(0.5)).add("Div", np.array(0.25)).dense(64)), one
    yield "vector", vector().dense(256), one
    yield "vector-to-planes", vector().shaped(-1, 1, 16, 16).convolution().pooled().flat(128), one
    yield "vector-channels-last", (
        vector().shaped(-1, 16, 16, 1).add("Transpose", perm=[0, 3, 1, 2]).convolution().pooled()
        .add("Transpose", perm=[0, 2, 3, 1]).shaped(-1, 128).dense(128)), one
    yield "vector-scaled", vector().add("Div", np.array(255.0)).dense(256), 1
    # Scaling. The padding of the convolution is zeros after it.
    yield "mean-and-deviation", (
        planes().add("Sub", np.full((1, 1, 1, 1), 0.1307)).add("Div", np.full((1,), 0.3081))
        .convolution().pooled().flat(32)), one
    yield "grey-mean-and-deviation", (
        planes().add("Div", np.array(255.0)).add("Sub", np.array(0.1307))
        .add("Mul", np.array(1 / 0.3081)).convolution().pooled().flat(32)), 1
    yield "from-minus-one", (
        planes().add("Sub", np.array(127.5)).add("Div", np.array(127.5)).convolution().pooled()
        .flat(32)), 1
    yield "twice-minus-one", (
        planes().add("Mul", np.array(2.0)).add("Sub", np.array(1.0)).convolution().pooled()
        .flat(32)), one
    g = planes()
    g.last = g.of("Sub", np.array(1.0), "x")
    yield "inverted", g.convolution().pooled().flat(32), one
    yield "bytes", (
        Graph([1, 8, 8], 8, TensorProto.UINT8).add("Cast", to=TensorProto.FLOAT)
        .add("Div", np.array(255.0)).convolution().pooled().flat(32)), 1
    # Average pooling.
    yield "average", (
        planes().convolution().add("AveragePool", kernel_shape=[2, 2], strides=[2, 2]).flat(32)), one
    yield "average-overlapping", (
        planes().convolution()
        .add("AveragePool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]).flat(32)), one
    yield "average-with-zeros", (
        planes().convolution()
        .add("AveragePool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1],
             count_include_pad=1).flat(32)), one
    yield "average-of-all", planes().convolution().add("GlobalAveragePool").flat(2), one
    yield "mean-of-all", (
        planes().convolution().add("ReduceMean", axes=[2, 3], keepdims=0).dense(2)), one
    yield "average-squeezed", (
        planes().convolution().add("GlobalAveragePool")
        .add("Squeeze", np.array([2, 3], np.int64)).dense(2)), one
    # Kernels.
    for padding in ["SAME_UPPER", "SAME_LOWER"]:
        yield f"even-kernel-{padding}", (
            planes().convolution(kernel=2, auto_pad=padding).pooled().flat(32)), one
    yield "even-kernel-padded", (
        planes().convolution(kernel=4, pads=[1, 2, 2, 1]).pooled().flat(32)), one
    yield "padded-on-one-side", (
        planes().convolution(kernel=3, pads=[0, 0, 2, 2]).pooled().flat(32)), one
    # Answers.
    yield "softmax", planes().convolution().pooled().flat(32).add("Softmax", axis=-1), one
    yield "sigmoid", planes().convolution().pooled().flat(32, 1).add("Sigmoid"), one


def refused():
    """Name and graph of what the importer names and refuses."""
    yield "strided", planes().convolution(strides=[2, 2], pads=[1, 1, 1, 1]).flat(32)
    yield "even-kernel", planes().convolution(kernel=2, pads=[0, 0, 0, 0]).flat(98)
    yield "average-before-convolution", (
        planes().convolution().add("AveragePool", kernel_shape=[2, 2], strides=[2, 2])
        .convolution(channels=2).flat(32))
    yield "sigmoids", planes().convolution().flat(128, 2).add("Sigmoid")
    yield "leaky", planes().convolution().flat(128).add("LeakyRelu").dense(CLASSES)
    yield "mean-picture", (
        planes().add("Sub", np.arange(64.0).reshape(1, 1, 8, 8)).convolution().flat(128))


def probabilities(graph, scale, pictures):
    session = onnxruntime.InferenceSession(
        graph.model().SerializeToString(), providers=["CPUExecutionProvider"])
    answers = []
    for picture in pictures:
        kind = np.uint8 if graph.kind == TensorProto.UINT8 else np.float32
        values = (np.array(picture, np.float32) * np.float32(scale)).astype(kind)
        found = session.run(None, {"x": values.reshape(1, *graph.shape)})[0][0].astype(np.float64)
        if graph.nodes[-1].op_type == "Sigmoid":
            found = np.array([1 - found[0], found[0]])
        elif graph.nodes[-1].op_type != "Softmax":
            found = np.exp(found - found.max())
            found /= found.sum()
        answers.append([round(float(p), 7) for p in found])
    return answers


def main():
    random = np.random.default_rng(3)
    pictures = {str(side): random.integers(0, 256, (2, side * side)).tolist() for side in (8, 16)}
    cases = {}
    for name, graph, scale in models():
        data = graph.model().SerializeToString()
        cases[name] = {
            "model": base64.b64encode(data).decode(), "side": graph.side,
            "probabilities": probabilities(graph, scale, pictures[str(graph.side)])}
    others = {
        name: base64.b64encode(graph.model().SerializeToString()).decode()
        for name, graph in refused()}
    with open(sys.argv[1], "w") as file:
        json.dump({"pictures": pictures, "cases": cases, "refused": others}, file, indent=0)
        file.write("\n")


main()
