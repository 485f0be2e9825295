#!/usr/bin/env python3
"""Measures one peer, as compare.py asks: a line of JSON in, a line of JSON out.

    peers.py torch|torch-tuned|tensorflow|onnxruntime THREADS
    peers.py classify-onnxruntime MODEL.onnx IMAGE.png     one picture, then the process ends
    peers.py classify-torch IMAGE.png
    peers.py classify-ndjson MODEL.onnx DRAWINGS.ndjson    from points to labels, with NumPy and ONNX Runtime
    peers.py fold-torch TRAIN_FOLDER TEST_FOLDER EPOCHS MODEL.pt
    peers.py write-onnx NETWORK MODEL.onnx

A request names a task (train or infer), a network, a batch and for how long to measure; the answer
has images a second, microseconds a batch (median and 99th percentile) and the peak memory in MiB.
All of them compute the same: float32, Adam, cross-entropy, pictures that lie in memory already.
"""

import itertools
import json
import os
import sys
import time

# Kernel; each convolution's filters and whether 2 x 2 max-pooling follows; units of the dense layer;
# dropout; whether batch normalisation follows each convolution.
NETWORKS = {
    "drawing": (3, ((16, True), (32, True), (64, True)), 128, 0, False),
    "lenet": (5, ((32, True), (64, True)), 1024, 0.5, False),
    "sketch": (3, ((16, True), (32, True), (48, False), (64, True)), 128, 0, True),
}
CLASSES = 10
# Networks over series, written out below: windows of so many steps and channels.
SERIES = ("activity", "gesture")
STEPS, CHANNELS, SERIES_CLASSES = 60, 6, 5
# The steps of a window of `activity`'s convolution.
WINDOW = STEPS // 5
# The filters of each convolution of `reader`, and whether pooling follows.
READER_CONVOLUTIONS = ((16, True), (40, True), (64, False), (72, False))
# Lines of writing of 32 rows, for `reader`; the blank is class 0.
LINE_HEIGHT, LINE_WIDTH, CHARACTERS, TEXT_LENGTH = 32, 128, 97, 5
# The filters of each level of `page`, which has a class for each cell of 2 x 2 pixels, and its usual side.
PAGE_LEVELS, PAGE_SIDE, PAGE_CLASSES = (16, 48, 64, 80, 80), 384, 5
# The usual height and width.
USUAL_SIZES = {"reader": (LINE_HEIGHT, LINE_WIDTH), "page": (PAGE_SIDE, PAGE_SIDE)}


def numpy_batches(name, batch, size):
    """Batches that are taken in turn; series are [channels, steps], and lines of writing and pages have this
    height and width."""
    import numpy
    generator = numpy.random.default_rng(1)
    if name == "reader":
        return [(generator.random((batch, 1, *size), dtype=numpy.float32),
                 generator.integers(1, CHARACTERS + 1, (batch, TEXT_LENGTH)))
                for _ in range(max(4, 512 // batch))]
    if name == "page":
        return [(generator.random((batch, 1, *size), dtype=numpy.float32),
                 generator.integers(0, PAGE_CLASSES, (batch, size[0] // 2, size[1] // 2)))
                for _ in range(4)]
    shape, classes = ((CHANNELS, STEPS), SERIES_CLASSES) if name in SERIES else ((1, 28, 28), CLASSES)
    return [(generator.random((batch, *shape), dtype=numpy.float32),
             generator.integers(0, classes, batch)) for _ in range(max(4, 2048 // batch))]


def torch_series_network(name):
    import torch
    from torch import nn

    class Activity(nn.Module):
        def __init__(self):
            super().__init__()
            self.convolution = nn.Sequential(
                nn.Conv1d(CHANNELS, 64, WINDOW, stride=WINDOW), nn.ReLU(), nn.Dropout(0.2))
            self.lstm = nn.LSTM(64, 200, batch_first=True)
            self.dense = nn.Sequential(
                nn.Linear(200, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Dropout(0.5),
                nn.Linear(128, SERIES_CLASSES))

        def forward(self, inputs):
            return self.dense(self.lstm(self.convolution(inputs).transpose(1, 2))[0].mean(1))

    class Gesture(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Conv1d(CHANNELS, 48, 5, padding=2)
            self.first_norm = nn.LayerNorm(48)
            self.second = nn.Conv1d(48, 64, 5, padding=2)
            self.second_norm = nn.LayerNorm(64)
            self.dropout = nn.Dropout(0.2)
            self.gru = nn.GRU(64, 64, batch_first=True, bidirectional=True)
            self.query = nn.Linear(128, 1, bias=False)
            self.dense = nn.Sequential(nn.Dropout(0.4), nn.Linear(256, SERIES_CLASSES))

        def forward(self, inputs):
            values = torch.relu(self.first_norm(self.first(inputs).transpose(1, 2)))
            values = torch.relu(self.second_norm(self.second(values.transpose(1, 2)).transpose(1, 2)))
            states = self.gru(self.dropout(values))[0]
            shares = torch.softmax(self.query(states), 1)
            return self.dense(torch.cat((states.amax(1), (shares * states).sum(1)), 1))

    return {"activity": Activity, "gesture": Gesture}[name]()


def torch_reader():
    import torch
    from torch import nn

    class Reader(nn.Module):
        def __init__(self):
            super().__init__()
            modules, channels = [], 1
            for filters, pools in READER_CONVOLUTIONS:
                modules += [nn.Conv2d(channels, filters, 3, padding=1), nn.BatchNorm2d(filters),
                            nn.ReLU()] + [nn.MaxPool2d(2)] * pools
                channels = filters
            self.convolutions = nn.Sequential(*modules)
            self.dense = nn.Sequential(nn.Linear(576, 128), nn.ReLU(), nn.Dropout(0.2))
            self.first = nn.GRU(128, 120, batch_first=True, bidirectional=True)
            self.second = nn.GRU(240, 120, batch_first=True, bidirectional=True)
            self.dropout = nn.Dropout(0.3)
            self.output = nn.Linear(480, CHARACTERS + 1)

        def forward(self, lines):
            columns = self.convolutions(lines).flatten(1, 2).transpose(1, 2)
            first = self.dropout(self.first(self.dense(columns))[0])
            second = self.dropout(self.second(first)[0])
            return self.output(torch.cat((first, second), 2))

    return Reader()


def torch_page():
    import torch
    from torch import nn

    def convolution(inputs, filters, stride=1):
        return nn.Sequential(nn.Conv2d(inputs, filters, 3, stride=stride, padding=1),
                             nn.BatchNorm2d(filters), nn.ReLU())

    class Page(nn.Module):
        def __init__(self):
            super().__init__()
            self.down, self.up = nn.ModuleList(), nn.ModuleList()
            channels = 1
            for filters in PAGE_LEVELS:
                self.down.append(nn.Sequential(
                    convolution(channels, filters, 2), convolution(filters, filters)))
                channels = filters
            for filters in reversed(PAGE_LEVELS[:-1]):
                self.up.append(convolution(channels + filters, filters))
                channels = filters
            self.output = nn.Conv2d(channels, PAGE_CLASSES, 1)

        def forward(self, value):
            levels = []
            for down in self.down:
                value = down(value)
                levels.append(value)
            for up, level in zip(self.up, reversed(levels[:-1])):
                doubled = nn.functional.interpolate(value, scale_factor=2.0, mode="nearest")
                value = up(torch.cat((doubled, level), 1))
            return self.output(value)

    return Page()


def torch_network(name):
    from torch import nn
    if name in ("reader", "page"):
        return {"reader": torch_reader, "page": torch_page}[name]()
    if name in SERIES:
        return torch_series_network(name)
    kernel, convolutions, units, dropout, normalizes = NETWORKS[name]
    modules, channels, size = [], 1, 28
    for count, pools in convolutions:
        modules.append(nn.Conv2d(channels, count, kernel, padding=kernel // 2))
        if normalizes:
            modules.append(nn.BatchNorm2d(count))
        modules.append(nn.ReLU())
        channels = count
        if pools:
            modules.append(nn.MaxPool2d(2))
            size //= 2
    modules += [nn.Flatten(), nn.Linear(channels * size * size, units), nn.ReLU()]
    if dropout:
        modules.append(nn.Dropout(dropout))
    return nn.Sequential(*modules, nn.Linear(units, CLASSES))


class Torch:
    def __init__(self, threads, is_tuned):
        import torch
        self.torch, self.is_tuned = torch, is_tuned
        torch.set_num_threads(threads)
        self.version = f"PyTorch {torch.__version__}"

    def prepare(self, task, name, batch, size):
        torch = self.torch
        torch.manual_seed(1)
        model = torch_network(name)
        batches = [(torch.from_numpy(pixels), torch.from_numpy(targets))
                   for pixels, targets in numpy_batches(name, batch, size)]
        if self.is_tuned and name not in SERIES:
            model = model.to(memory_format=torch.channels_last)
            batches = [(inputs.to(memory_format=torch.channels_last), targets)
                       for inputs, targets in batches]
        turn = itertools.cycle(batches)
        if task == "infer":
            model.eval()
            if self.is_tuned:
                with torch.inference_mode():
                    model = torch.jit.optimize_for_inference(
                        torch.jit.freeze(torch.jit.trace(model, batches[0][0])))

            def infer():
                with torch.inference_mode():
                    return model(next(turn)[0])
            return infer
        optimizer = torch.optim.Adam(model.parameters(), 1e-3, fused=self.is_tuned)
        loss = torch.nn.CrossEntropyLoss()
        if name == "reader":
            lengths = [torch.full((batch,), steps) for steps in (size[1] // 4, TEXT_LENGTH)]

            def loss(logits, targets):
                return torch.nn.functional.ctc_loss(
                    logits.transpose(0, 1).log_softmax(2), targets, *lengths)

        def step():
            inputs, targets = next(turn)
            optimizer.zero_grad()
            loss(model(inputs), targets).backward()
            optimizer.step()
        return step


class TensorFlow:
    def __init__(self, threads):
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        import tensorflow
        self.tf = tensorflow
        tensorflow.config.threading.set_intra_op_parallelism_threads(threads)
        tensorflow.config.threading.set_inter_op_parallelism_threads(1)
        self.version = f"TensorFlow {tensorflow.__version__}"

    def prepare(self, task, name, batch, size):
        if name == "reader":
            return None
        tf = self.tf
        model, axes = self.network(name, size)
        turn = itertools.cycle(
            [(tf.constant(pixels.transpose(axes)), tf.constant(targets))
             for pixels, targets in numpy_batches(name, batch, size)])
        if task == "infer":
            infer = tf.function(lambda inputs: model(inputs, training=False))
            return lambda: infer(next(turn)[0]).numpy()
        optimizer = tf.keras.optimizers.Adam(1e-3)
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        optimizer.build(model.trainable_variables)

        @tf.function
        def train(inputs, targets):
            with tf.GradientTape() as tape:
                value = loss(targets, model(inputs, training=True))
            gradients = tape.gradient(value, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
            return value
        return lambda: train(*next(turn)).numpy()

    def network(self, name, size):
        """The network, and the order of axes that it wants."""
        keras, layers = self.tf.keras, self.tf.keras.layers
        if name in SERIES:
            return self.series_network(name), (0, 2, 1)
        if name == "page":
            return self.page_network(size), (0, 2, 3, 1)
        kernel, convolutions, units, dropout, normalizes = NETWORKS[name]
        stack = [keras.Input((28, 28, 1))]
        for count, pools in convolutions:
            if normalizes:
                stack += [layers.Conv2D(count, kernel, padding="same"),
                          layers.BatchNormalization(), layers.ReLU()]
            else:
                stack.append(layers.Conv2D(count, kernel, padding="same", activation="relu"))
            if pools:
                stack.append(layers.MaxPooling2D(2))
        stack += [layers.Flatten(), layers.Dense(units, activation="relu")]
        if dropout:
            stack.append(layers.Dropout(dropout))
        return keras.Sequential(stack + [layers.Dense(CLASSES)]), (0, 2, 3, 1)

    def page_network(self, size):
        keras, layers = self.tf.keras, self.tf.keras.layers

        def convolution(value, filters, stride=1):
            value = layers.Conv2D(filters, 3, strides=stride, padding="same")(value)
            return layers.ReLU()(layers.BatchNormalization()(value))

        value = inputs = keras.Input((*size, 1))
        levels = []
        for filters in PAGE_LEVELS:
            value = convolution(convolution(value, filters, 2), filters)
            levels.append(value)
        for filters, level in zip(reversed(PAGE_LEVELS[:-1]), reversed(levels[:-1])):
            value = convolution(layers.Concatenate()([layers.UpSampling2D()(value), level]), filters)
        return keras.Model(inputs, layers.Conv2D(PAGE_CLASSES, 1)(value))

    def series_network(self, name):
        """Unrolled: that is faster than a loop."""
        keras, layers = self.tf.keras, self.tf.keras.layers
        inputs = keras.Input((STEPS, CHANNELS))
        if name == "activity":
            value = layers.Conv1D(64, WINDOW, strides=WINDOW, activation="relu")(inputs)
            value = layers.LSTM(200, return_sequences=True, unroll=True)(layers.Dropout(0.2)(value))
            value = layers.Dense(128)(layers.GlobalAveragePooling1D()(value))
            value = layers.Dropout(0.5)(layers.ReLU()(layers.BatchNormalization()(value)))
        else:
            value = layers.Conv1D(48, 5, padding="same")(inputs)
            value = layers.ReLU()(layers.LayerNormalization()(value))
            value = layers.Conv1D(64, 5, padding="same")(value)
            value = layers.ReLU()(layers.LayerNormalization()(value))
            states = layers.Bidirectional(layers.GRU(64, return_sequences=True, unroll=True))(
                layers.Dropout(0.2)(value))
            shares = layers.Softmax(1)(layers.Dense(1, use_bias=False)(states))
            mean = layers.Dot(1)([shares, states])
            value = layers.Concatenate()(
                [layers.GlobalMaxPooling1D()(states), layers.Flatten()(mean)])
            value = layers.Dropout(0.4)(value)
        return keras.Model(inputs, layers.Dense(SERIES_CLASSES)(value))


class ONNXRuntime:
    def __init__(self, threads):
        import onnxruntime
        self.runtime, self.threads = onnxruntime, threads
        self.version = f"ONNX Runtime {onnxruntime.__version__}"

    def prepare(self, task, name, batch, size):
        if task == "train":
            return None
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        session = self.runtime.InferenceSession(
            onnx_model(name), options, providers=["CPUExecutionProvider"])
        turn = itertools.cycle([{session.get_inputs()[0].name: pixels}
                                for pixels, _ in numpy_batches(name, batch, size)])
        return lambda: session.run(None, next(turn))


def onnx_model(name):
    """The network as ONNX, written without PyTorch, so that its memory is ONNX Runtime's own."""
    import numpy
    from onnx import TensorProto, helper, numpy_helper
    generator = numpy.random.default_rng(1)
    nodes, weights = [], []

    def add(kind, inputs, **attributes):
        output = f"{kind}{len(nodes)}"
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def weight(*shape):
        return constant(generator.uniform(-0.05, 0.05, shape).astype(numpy.float32))

    def constant(values):
        weights.append(numpy_helper.from_array(numpy.asarray(values), f"weight{len(weights)}"))
        return weights[-1].name

    def normalized(value, count):
        return add("BatchNormalization", [value, weight(count), weight(count), weight(count),
                                          constant(numpy.ones(count, numpy.float32))])

    def dense(value, inputs, units):
        return add("Gemm", [value, weight(units, inputs), weight(units)], transB=1)

    def picture_network():
        kernel, convolutions, units, _, normalizes = NETWORKS[name]
        value, channels, size = "input", 1, 28
        for count, pools in convolutions:
            value = add("Conv", [value, weight(count, channels, kernel, kernel), weight(count)],
                        pads=[kernel // 2] * 4, kernel_shape=[kernel, kernel])
            if normalizes:
                value = normalized(value, count)
            value = add("Relu", [value])
            channels = count
            if pools:
                value = add("MaxPool", [value], kernel_shape=[2, 2], strides=[2, 2])
                size //= 2
        value = add("Relu", [dense(add("Flatten", [value]), channels * size * size, units)])
        return dense(value, units, CLASSES)

    def recurrent(kind, value, inputs, units, gates, directions, **attributes):
        """[steps, batch, channels] to [batch, steps, units]."""
        value = add(kind, [value, weight(directions, gates * units, inputs),
                           weight(directions, gates * units, units),
                           weight(directions, 2 * gates * units)],
                    hidden_size=units, direction="bidirectional" if directions == 2 else "forward",
                    **attributes)
        value = add("Transpose", [value], perm=[2, 0, 1, 3])
        return add("Reshape", [value, constant([0, 0, directions * units])])

    def activity():
        value = add("Conv", ["input", weight(64, CHANNELS, WINDOW), weight(64)], strides=[WINDOW],
                    kernel_shape=[WINDOW])
        value = add("Transpose", [add("Relu", [value])], perm=[2, 0, 1])
        value = recurrent("LSTM", value, 64, 200, 4, 1)
        value = dense(add("ReduceMean", [value], axes=[1], keepdims=0), 200, 128)
        return dense(add("Relu", [normalized(value, 128)]), 128, SERIES_CLASSES)

    def gesture():
        value = add("Conv", ["input", weight(48, CHANNELS, 5), weight(48)], pads=[2, 2],
                    kernel_shape=[5])
        # Channels last, which is what is normalised.
        value = add("Transpose", [value], perm=[0, 2, 1])
        value = add("Relu", [add("LayerNormalization", [value, weight(48), weight(48)])])
        value = add("Transpose", [value], perm=[0, 2, 1])
        value = add("Conv", [value, weight(64, 48, 5), weight(64)], pads=[2, 2], kernel_shape=[5])
        value = add("Transpose", [value], perm=[2, 0, 1])
        value = add("Relu", [add("LayerNormalization", [value, weight(64), weight(64)])])
        states = recurrent("GRU", value, 64, 64, 3, 2, linear_before_reset=1)
        shares = add("Softmax", [add("MatMul", [states, weight(128, 1)])], axis=1)
        mean = add("ReduceSum", [add("Mul", [shares, states]), constant([1])], keepdims=0)
        most = add("ReduceMax", [states], axes=[1], keepdims=0)
        return dense(add("Concat", [most, mean], axis=1), 256, SERIES_CLASSES)

    def reader():
        value, channels = "input", 1
        for filters, pools in READER_CONVOLUTIONS:
            value = add("Conv", [value, weight(filters, channels, 3, 3), weight(filters)],
                        pads=[1] * 4, kernel_shape=[3, 3])
            value, channels = add("Relu", [normalized(value, filters)]), filters
            if pools:
                value = add("MaxPool", [value], kernel_shape=[2, 2], strides=[2, 2])
        # [batch, channels, rows, columns] to [columns, batch, channels · rows].
        value = add("Transpose", [value], perm=[3, 0, 1, 2])
        value = add("Reshape", [value, constant([0, 0, 576])])
        value = add("Relu", [add("Add", [add("MatMul", [value, weight(576, 128)]), weight(128)])])
        columns = []
        for inputs in (128, 240):
            value = add("GRU", [value, weight(2, 360, inputs), weight(2, 360, 120), weight(2, 720)],
                        hidden_size=120, direction="bidirectional", linear_before_reset=1)
            value = add("Transpose", [value], perm=[0, 2, 1, 3])
            value = add("Reshape", [value, constant([0, 0, 240])])
            columns.append(value)
        value = add("Transpose", [add("Concat", columns, axis=2)], perm=[1, 0, 2])
        return add("Add", [add("MatMul", [value, weight(480, CHARACTERS + 1)]),
                           weight(CHARACTERS + 1)])

    def convolved(value, inputs, filters, stride=1):
        value = add("Conv", [value, weight(filters, inputs, 3, 3), weight(filters)],
                    pads=[1] * 4, kernel_shape=[3, 3], strides=[stride, stride])
        return add("Relu", [normalized(value, filters)])

    def page():
        value, channels, levels = "input", 1, []
        for filters in PAGE_LEVELS:
            value = convolved(convolved(value, channels, filters, 2), filters, filters)
            channels = filters
            levels.append(value)
        scales = constant(numpy.array([1, 1, 2, 2], numpy.float32))
        for filters, level in zip(reversed(PAGE_LEVELS[:-1]), reversed(levels[:-1])):
            doubled = add("Resize", [value, "", scales], mode="nearest", nearest_mode="floor",
                          coordinate_transformation_mode="asymmetric")
            value = convolved(add("Concat", [doubled, level], axis=1), channels + filters, filters)
            channels = filters
        return add("Conv", [value, weight(PAGE_CLASSES, channels, 1, 1), weight(PAGE_CLASSES)],
                   kernel_shape=[1, 1])

    value = {"activity": activity, "gesture": gesture, "reader": reader, "page": page}.get(
        name, picture_network)()
    shape, classes = ([CHANNELS, STEPS], SERIES_CLASSES) if name in SERIES else ([1, 28, 28], CLASSES)
    output = ["batch", classes]
    if name == "reader":
        shape, output = [1, LINE_HEIGHT, "width"], ["batch", "steps", CHARACTERS + 1]
    if name == "page":
        shape, output = [1, "height", "width"], ["batch", PAGE_CLASSES, "rows", "columns"]
    graph = helper.make_graph(
        nodes, name,
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", *shape])],
        [helper.make_tensor_value_info(value, TensorProto.FLOAT, output)], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model.SerializeToString()


def peak_memory():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def forget_peak_memory():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def measure(step, batch, seconds):
    """Microseconds a step, over `seconds`, after a warm-up of a third of that."""
    warm = time.perf_counter() + seconds / 3
    while time.perf_counter() < warm:
        step()
    times, start = [], time.perf_counter()
    last = start
    while last - start < seconds or len(times) < 5:
        step()
        now = time.perf_counter()
        times.append(now - last)
        last = now
    times.sort()
    return {"rate": batch * len(times) / (last - start), "median": 1e6 * times[len(times) // 2],
            "p99": 1e6 * times[min(len(times) - 1, len(times) * 99 // 100)]}


def read_png(path):
    """Bright ink on black, 28 x 28, 0 to 1."""
    import numpy
    from PIL import Image
    return 1 - numpy.asarray(
        Image.open(path).convert("L").resize((28, 28)), dtype=numpy.float32) / 255


def classify_onnxruntime(model, image):
    import onnxruntime
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    logits = session.run(None, {session.get_inputs()[0].name: read_png(image)[None, None]})[0]
    print(int(logits.argmax()))


def render(drawings, size=28, margin=1, width=1.75):
    """The pictures of drawings, as the released model wants them: for each segment the squared distance of
    the pixels near it, of all drawings at once. [count, 1, size, size], 0 to 1."""
    import numpy
    reach = numpy.float32(width / 2 + 0.5)
    strokes = [(number, xs, ys) for number, drawing in enumerate(drawings)
               for xs, ys, *_ in drawing]
    lengths = numpy.array([len(xs) for _, xs, _ in strokes])
    xs = numpy.array([x for _, values, _ in strokes for x in values])
    ys = numpy.array([y for _, _, values in strokes for y in values])
    owner = numpy.repeat([number for number, _, _ in strokes], lengths)
    starts = numpy.flatnonzero(numpy.r_[True, owner[1:] != owner[:-1]])
    left, right = numpy.minimum.reduceat(xs, starts), numpy.maximum.reduceat(xs, starts)
    top, bottom = numpy.minimum.reduceat(ys, starts), numpy.maximum.reduceat(ys, starts)
    longer = numpy.maximum(right - left, bottom - top)
    scale = numpy.divide(size - 2 * margin - width, longer, where=longer > 0, out=numpy.zeros_like(longer))
    xs = ((xs - ((left + right) / 2)[owner]) * scale[owner] + size / 2).astype(numpy.float32)
    ys = ((ys - ((top + bottom) / 2)[owner]) * scale[owner] + size / 2).astype(numpy.float32)
    # The segments: from each point to the next one of its stroke, or to itself where it is alone.
    ends = numpy.cumsum(lengths)
    first = numpy.ones(len(xs), bool)
    first[ends - 1] = False
    first[(ends - 1)[lengths == 1]] = True
    a = numpy.flatnonzero(first)
    b = a + 1
    b[numpy.isin(a, (ends - 1)[lengths == 1])] -= 1
    ax, ay, dx, dy = xs[a], ys[a], xs[b] - xs[a], ys[b] - ys[a]
    squared = dx * dx + dy * dy
    inverse = numpy.divide(1, squared, where=squared > 0, out=numpy.zeros_like(squared))

    def span(p, q):
        low = numpy.maximum(0, (numpy.minimum(p, q) - reach).astype(numpy.int32))
        high = numpy.minimum(size - 1, (numpy.maximum(p, q) + reach).astype(numpy.int32))
        return low, high - low + 1

    (column, columns), (row, rows) = span(ax, xs[b]), span(ay, ys[b])
    counts = columns * rows
    segment = numpy.repeat(numpy.arange(len(a), dtype=numpy.int32), counts)
    place = numpy.arange(len(segment), dtype=numpy.int32) - numpy.repeat(
        (numpy.cumsum(counts) - counts).astype(numpy.int32), counts)
    y, x = numpy.divmod(place, columns[segment])
    x += column[segment]
    y += row[segment]
    from_x = x + numpy.float32(0.5) - ax[segment]
    from_y = y + numpy.float32(0.5) - ay[segment]
    dx, dy = dx[segment], dy[segment]
    along = numpy.clip((from_x * dx + from_y * dy) * inverse[segment], 0, 1)
    from_x -= along * dx
    from_y -= along * dy
    nearest = numpy.full(len(drawings) * size * size, numpy.float32(1e9))
    numpy.minimum.at(nearest, (owner[a][segment] * size + y) * size + x, from_x * from_x + from_y * from_y)
    grey = numpy.floor(numpy.clip(reach - numpy.sqrt(nearest), 0, 1) * 255 + numpy.float32(0.5))
    return (grey * numpy.float32(1 / 255)).reshape(len(drawings), 1, size, size)


def classify_ndjson(model, path, together="256"):
    """Prints the label and the probability of each line's drawing, on one core."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    labels = json.loads(session.get_modelmeta().custom_metadata_map["labels"])
    name = session.get_inputs()[0].name
    with open(path, "rb") as file:
        while lines := list(itertools.islice(file, int(together))):
            shares = session.run(None, {name: render([json.loads(line)["drawing"] for line in lines])})[0]
            best = shares.argmax(1)
            print("\n".join(f"{labels[index]} {share:.3f}"
                            for index, share in zip(best, shares.max(1))))


def classify_torch(image):
    import torch
    model = torch_network("drawing").eval()
    with torch.inference_mode():
        print(int(model(torch.from_numpy(read_png(image))[None, None]).argmax()))


def fold_torch(train, test, epochs, output):
    """From PNGs in folders to saved weights; then, for the record, the share of right answers."""
    import glob
    import numpy
    import torch

    def load(folder):
        classes = sorted(os.listdir(folder))
        paths = [(path, index) for index, name in enumerate(classes)
                 for path in sorted(glob.glob(f"{folder}/{name}/*.png"))]
        pixels = numpy.stack([read_png(path)[None] for path, _ in paths])
        return torch.from_numpy(pixels), torch.tensor([index for _, index in paths])

    torch.manual_seed(1)
    inputs, targets = load(train)
    model = torch_network("drawing")
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    loss = torch.nn.CrossEntropyLoss()
    for _ in range(int(epochs)):
        for part in torch.randperm(len(inputs)).split(64):
            optimizer.zero_grad()
            loss(model(inputs[part]), targets[part]).backward()
            optimizer.step()
    torch.save(model.state_dict(), output)
    if test != "-":
        inputs, targets = load(test)
        with torch.inference_mode():
            right = int((model.eval()(inputs).argmax(1) == targets).sum())
        print(json.dumps({"right": right, "count": len(targets)}))


def main():
    if sys.argv[1] == "write-onnx":
        with open(sys.argv[3], "wb") as file:
            file.write(onnx_model(sys.argv[2]))
        return
    whole = {"classify-onnxruntime": classify_onnxruntime, "classify-torch": classify_torch,
             "classify-ndjson": classify_ndjson,
             "fold-torch": fold_torch}.get(sys.argv[1])
    if whole:
        whole(*sys.argv[2:])
        return
    kind, threads = sys.argv[1], int(sys.argv[2])
    peer = {"torch": lambda: Torch(threads, False), "torch-tuned": lambda: Torch(threads, True),
            "tensorflow": lambda: TensorFlow(threads),
            "onnxruntime": lambda: ONNXRuntime(threads)}[kind]()
    print(json.dumps({"version": peer.version}), flush=True)
    prepared = {}
    for line in sys.stdin:
        request = json.loads(line)
        task, name, batch = request["task"], request["network"], request["batch"]
        height, width = USUAL_SIZES.get(name, (28, 28))
        size = request.get("height", height), request.get("width", width)
        if (task, name, batch, size) not in prepared:
            prepared.clear()
            prepared[task, name, batch, size] = peer.prepare(task, name, batch, size)
        step = prepared[task, name, batch, size]
        if step is None:
            print("null", flush=True)
            continue
        forget_peak_memory()
        answer = measure(step, batch, request["seconds"])
        print(json.dumps(answer | {"memory": peak_memory()}), flush=True)


if __name__ == "__main__":
    main()
