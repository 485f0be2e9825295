"""The networks and trainings that make-network-references.py gives to PyTorch."""

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


def convolution(filters, kernel, padding, stride=1):
    return {"kind": "seriesConvolution", "filters": filters, "kernel": kernel, "stride": stride,
            "padding": padding}


def pooling(method, **more):
    return {"kind": "timePooling", "method": method} | more


# Networks over series of three channels, or with nodes that read others than the node before.
GRAPHS = {
    "convolutions over time": [
        convolution(4, 4, "same", 2), {"kind": "relu"}, convolution(5, 3, "causal"),
        {"kind": "batchNormalization"}, {"kind": "relu"}, convolution(4, 3, "valid", 2),
        pooling("max"), {"kind": "dense", "units": 3},
    ],
    "GRU": [
        {"kind": "gru", "units": 5, "direction": "forward"}, pooling("mean"),
        {"kind": "dense", "units": 3},
    ],
    "GRU both ways, two poolings": [
        {"kind": "gru", "units": 4, "direction": "both"}, pooling("max"),
        pooling("attention", sources=[0]), {"kind": "concatenation", "sources": [1, 2]},
        {"kind": "dense", "units": 3},
    ],
    "LSTM": [
        {"kind": "lstm", "units": 5, "direction": "forward"}, pooling("max"),
        {"kind": "dense", "units": 3},
    ],
    "LSTM both ways, dense per step": [
        {"kind": "lstm", "units": 4, "direction": "both"}, {"kind": "layerNormalization"},
        {"kind": "dense", "units": 5}, {"kind": "relu"}, pooling("attention"),
        {"kind": "layerNormalization"}, {"kind": "dense", "units": 3},
    ],
    "series side by side": [
        convolution(3, 3, "same"), convolution(4, 5, "causal") | {"sources": ["series"]},
        {"kind": "concatenation", "sources": [0, 1]}, {"kind": "batchNormalization"},
        {"kind": "relu"}, {"kind": "lstm", "units": 4, "direction": "backward"}, pooling("mean"),
        {"kind": "dense", "units": 3},
    ],
    "columns of a picture": [
        {"kind": "convolution", "filters": 2, "kernel": 3, "padding": "same"}, {"kind": "relu"},
        {"kind": "columns"}, {"kind": "gru", "units": 4, "direction": "backward"},
        pooling("max"), {"kind": "dense", "units": 3},
    ],
}

GRAPH_CASES = [
    ("convolutions over time", "sgd", dict(momentum=0.8)),
    ("GRU", "adam", dict()),
    ("GRU both ways, two poolings", "sgd", dict(momentum=0.9)),
    ("LSTM", "adam", dict()),
    ("LSTM both ways, dense per step", "sgd", dict(momentum=0.9)),
    ("series side by side", "sgd", dict(momentum=0.8)),
    ("columns of a picture", "adam", dict()),
]
LENGTHS = [9, 5, 12, 6, 11, 7, 5, 8, 10, 6]

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
