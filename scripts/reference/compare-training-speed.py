#!/usr/bin/env python3
"""Trains both networks by Inkstate and by PyTorch in turns, batch 64, and prints images a second.

    swift build -c release --product inkstate
    python3 -m venv scratch && scratch/bin/pip install torch numpy
    scratch/bin/python scripts/reference/compare-training-speed.py

Needs ../shared/data/mnist, whose 10,000 test images are learnt from here: only their number counts.
The per cent is of the peak of PyTorch's own matrix product in the same round.
"""

import re
import statistics
import subprocess
import tempfile
import time

import torch
from torch import nn

IMAGES = "../shared/data/mnist/t10k-images-idx3-ubyte.gz"
ROUNDS = 3


def convolutions(kernel, filters):
    modules, channels = [], 1
    for count in filters:
        modules += [nn.Conv2d(channels, count, kernel, padding=kernel // 2), nn.ReLU(),
                    nn.MaxPool2d(2)]
        channels = count
    return modules + [nn.Flatten()]


def network(name):
    if name == "drawing":
        return nn.Sequential(*convolutions(3, (16, 32, 64)), nn.Linear(576, 128), nn.ReLU(),
                             nn.Linear(128, 10))
    return nn.Sequential(*convolutions(5, (32, 64)), nn.Linear(3136, 1024), nn.ReLU(),
                         nn.Dropout(0.5), nn.Linear(1024, 10))


# Multiply-adds of an image forwards; backwards takes twice as many, less the first layer's input.
MULTIPLY_ADDS = {"drawing": (1_994_240, 112_896), "lenet": (13_883_392, 627_200)}


def flops(name):
    forward, first = MULTIPLY_ADDS[name]
    return 2 * (3 * forward - first)


def by_torch(name, threads):
    torch.set_num_threads(threads)
    model = network(name)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    loss = nn.CrossEntropyLoss()
    inputs, targets = torch.rand(64, 1, 28, 28), torch.randint(0, 10, (64,))

    def step():
        optimizer.zero_grad()
        loss(model(inputs), targets).backward()
        optimizer.step()

    for _ in range(10):
        step()
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < 4:
        step()
        count += 64
    return count / (time.perf_counter() - start)


def by_inkstate(name, threads):
    with tempfile.TemporaryDirectory() as folder:
        log = subprocess.run(
            [".build/release/inkstate", "train", IMAGES, "--architecture", name, "--epochs", "2",
             "--threads", str(threads), "--output", f"{folder}/m.safetensors"],
            capture_output=True, text=True, check=True).stderr
    return float(re.findall(r"(\d+) images/s", log)[-1])


def peak(threads):
    torch.set_num_threads(threads)
    a, b = torch.rand(1024, 1024), torch.rand(1024, 1024)
    best = 0
    for _ in range(10):
        start = time.perf_counter()
        a @ b
        best = max(best, 2 * 1024**3 / (time.perf_counter() - start))
    return best


if __name__ == "__main__":
    print(f"PyTorch {torch.__version__}, batch 64, medians of {ROUNDS} rounds (least to most)")
    for name in ("drawing", "lenet"):
        for threads in (1, torch.multiprocessing.cpu_count()):
            rows = {"Inkstate": [], "PyTorch": []}
            peaks = []
            for _ in range(ROUNDS):
                peaks.append(peak(threads))
                rows["Inkstate"].append(by_inkstate(name, threads))
                rows["PyTorch"].append(by_torch(name, threads))
            for who, rates in rows.items():
                rate = statistics.median(rates)
                share = rate * flops(name) / statistics.median(peaks)
                print(f"{name:8} {threads} cores  {who:9} {rate:7.0f} images/s "
                      f"({min(rates):.0f} to {max(rates):.0f}), {100 * share:.0f} % of "
                      f"{statistics.median(peaks) / 1e9:.0f} GFLOP/s")
            print(f"{'':18}ratio {statistics.median(rows['Inkstate']) / statistics.median(rows['PyTorch']):.2f}")
