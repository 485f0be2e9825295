"""Calculates networks of Core ML with NumPy, as no program on Linux does."""

import sys

import numpy as np


def windows(planes, kernel, stride):
    """[sequence, channels, rows, columns, height, width] of [sequence, channels, height, width]."""
    view = np.lib.stride_tricks.sliding_window_view(planes, tuple(kernel), axis=(2, 3))
    return view[:, :, ::stride[0], ::stride[1]]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def matrix(weights, rows):
    return np.array(weights.floatValue, dtype=np.float64).reshape(rows, -1)


def gru(p, values, state):
    """The outputs of all steps, [sequence, units], and the last state."""
    units = p.outputVectorSize
    gates = [[matrix(getattr(p, f"{gate}Gate{kind}"), units) for kind in
              ["WeightMatrix", "RecursionMatrix", "BiasVector"]]
             for gate in ["update", "reset", "output"]]
    (wz, rz, bz), (wr, rr, br), (wo, ro, bo) = gates
    outputs = []
    for x in values:
        z = sigmoid(wz @ x + rz @ state + bz[:, 0])
        r = sigmoid(wr @ x + rr @ state + br[:, 0])
        o = np.tanh(wo @ x + r * (ro @ state) + bo[:, 0])
        state = (1 - z) * o + z * state
        outputs.append(state)
    return np.stack(outputs), state


def lstm(weights, units, values, state, cell):
    """The outputs of all steps, [sequence, units], and the last state and cell."""
    i, f, g, o = [[matrix(getattr(weights, f"{gate}{kind}"), units) for kind in
                   ["WeightMatrix", "RecursionMatrix", "BiasVector"]]
                  for gate in ["inputGate", "forgetGate", "blockInput", "outputGate"]]
    outputs = []
    for x in values:
        sums = [w @ x + r @ state + b[:, 0] for w, r, b in [i, f, g, o]]
        cell = sigmoid(sums[1]) * cell + sigmoid(sums[0]) * np.tanh(sums[2])
        state = sigmoid(sums[3]) * np.tanh(cell)
        outputs.append(state)
    return np.stack(outputs), state, cell


def core_ml_layer(layer, read):
    """The outputs of a layer, in double precision; values are [sequence, channels, height, width]."""
    kind = layer.WhichOneof("layer")
    p = getattr(layer, kind)
    values = read[0] if read else None
    if kind == "convolution":
        kernel = list(p.kernelSize)
        if p.WhichOneof("ConvolutionPaddingType") == "same":
            edges = [(size // 2, size // 2) for size in kernel]
        else:
            edges = [(edge.startEdgeSize, edge.endEdgeSize)
                     for edge in p.valid.paddingAmounts.borderAmounts] or [(0, 0), (0, 0)]
        weight = np.array(p.weights.floatValue).reshape(p.outputChannels, p.kernelChannels, *kernel)
        return [np.einsum("fcij,scyxij->sfyx", weight,
                          windows(np.pad(values, [(0, 0), (0, 0), *edges]), kernel, p.stride),
                          optimize=True) + np.array(p.bias.floatValue)[:, None, None]]
    if kind == "pooling":
        if p.globalPooling:
            pool = np.max if p.type == p.MAX else np.mean
            return [pool(values, axis=(2, 3), keepdims=True)]
        return [windows(values, p.kernelSize, p.stride).max(axis=(4, 5))]
    if kind == "activation":
        if p.WhichOneof("NonlinearityType") == "ReLU":
            return [np.maximum(values, 0)]
        return [values * p.linear.alpha + p.linear.beta]
    if kind == "batchnorm":
        axes = (None, slice(None), None, None)
        gamma, beta = np.array(p.gamma.floatValue)[axes], np.array(p.beta.floatValue)[axes]
        if p.computeMeanVar and p.instanceNormalization:
            mean, variance = values.mean((2, 3), keepdims=True), values.var((2, 3), keepdims=True)
        else:
            mean, variance = np.array(p.mean.floatValue)[axes], np.array(p.variance.floatValue)[axes]
        return [gamma * (values - mean) / np.sqrt(variance + p.epsilon) + beta]
    if kind == "scale":
        shape = (1, -1, 1, 1)
        return [values * np.array(p.scale.floatValue).reshape(shape)
                + np.array(p.bias.floatValue).reshape(shape)]
    if kind == "flatten":
        return [values.reshape(len(values), -1, 1, 1)]
    if kind == "innerProduct":
        assert values.shape[2:] == (1, 1)
        sums = values[:, :, 0, 0] @ matrix(p.weights, p.outputChannels).T
        if p.hasBias:
            sums = sums + np.array(p.bias.floatValue)
        return [sums[:, :, None, None]]
    if kind == "softmax":
        powers = np.exp(values - values.max(axis=1, keepdims=True))
        return [powers / powers.sum(axis=1, keepdims=True)]
    if kind == "upsample":
        assert p.mode == p.NN
        return [values.repeat(p.scalingFactor[0], axis=2).repeat(p.scalingFactor[1], axis=3)]
    if kind == "permute":
        return [values.transpose(list(p.axis))]
    if kind == "reverse":
        assert list(p.reverseDim) == [True, False, False, False, False]
        return [values[::-1]]
    if kind == "concat":
        return [np.concatenate(read, axis=1)]
    if kind == "multiply":
        return [read[0] * read[1]]
    if kind == "reduce":
        assert p.mode == p.SUM and p.axis == p.C
        return [values.sum(axis=1, keepdims=True)]
    if kind == "loadConstant":
        return [np.array(p.data.floatValue).reshape(1, *p.shape)]
    if kind == "slice":
        assert p.axis == p.CHANNEL_AXIS
        return [values[:, p.startIndex:p.endIndex:p.stride]]
    if kind == "gru":
        state = read[1].reshape(-1) if len(read) > 1 else np.zeros(p.outputVectorSize)
        outputs = gru(p, values[:, :, 0, 0], state)
        return [outputs[0][:, :, None, None], outputs[1].reshape(1, -1, 1, 1)]
    if kind == "uniDirectionalLSTM":
        units = p.outputVectorSize
        start = [value.reshape(-1) for value in read[1:]] or [np.zeros(units)] * 2
        outputs = lstm(p.weightParams, units, values[:, :, 0, 0], *start)
        return [outputs[0][:, :, None, None], *[x.reshape(1, -1, 1, 1) for x in outputs[1:]]]
    if kind == "biDirectionalLSTM":
        units, zeros = p.outputVectorSize, np.zeros(p.outputVectorSize)
        series = values[:, :, 0, 0]
        forward = lstm(p.weightParams[0], units, series, zeros, zeros)[0]
        backward = lstm(p.weightParams[1], units, series[::-1], zeros, zeros)[0][::-1]
        return [np.concatenate([forward, backward], axis=1)[:, :, None, None]]
    sys.exit(f"core_ml: expected a layer that is known here, found {kind}")


def core_ml_values(layers, values):
    """One forward pass: `values`, by name, with what the layers compute."""
    values = dict(values)
    for layer in layers:
        outputs = core_ml_layer(layer, [values[name] for name in layer.input])
        values.update(zip(layer.output, outputs))
    return values
