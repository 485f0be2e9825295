"""Trains with 1, 2, 3 and 4 threads, each in a process of its own: the model has the same bytes.

    scripts/stress workers [--seed N]     every network and option, in pairwise combinations
    scripts/stress workers --quick        three of the combinations
    scripts/stress workers --list         the combinations, and nothing is trained
    scripts/stress workers --cores        instead, the same training with several kernels of OpenBLAS

Any two values of two options occur together in one training at least, where they fit. With --cores, the
models differ in their last bits, and each of the checkpoints is refused with the other kernels.
"""

import hashlib
import itertools
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from campaigns.options import parser
from inkstate.command import INKSTATE, ROOT, inkstate, require_build

CORES = ["SkylakeX", "Haswell", "Sandybridge", "Nehalem"]

# What each network learns from.
DATA = {"drawing": "ink.ndjson", "lenet": "ink.ndjson", "sketch": "ink.ndjson", "gesture": "ink.ndjson",
        "fusion": "ink.ndjson", "reader": "lines.ndjson", "activity": "sensors.csv", "adapt": "ink.ndjson"}
STROKES = ["gesture", "fusion"]
# The options, each with its values: what is given to the command.
OPTIONS = {
    "architecture": list(DATA),
    "optimizer": ["sgd", "sgd --nesterov", "sgd --momentum 0", "adam", "adamw"],
    "schedule": ["constant", "step --step-epochs 1", "cosine", "one-cycle"],
    "weight-decay": ["0", "0.01"],
    "clip": [None, "0.5"],
    "label-smoothing": [None, "0.1"],
    "balance": ["--balance", "--no-balance"],
    "augment": [None, "none", "other"],
    "reorder": [None, "0.5"],
    "average": [None, "0", "0.9"],
    "batch-size": [None, "1", "7", "64"],
    "warmup": [None, "0.3"],
    "validation-share": [None, "0.3"],
    "patience": [None, "1"],
    "margin": [None, "2 --pen-width 3"],
}


def fits(case):
    """Whether the command takes two or more values together."""
    if case.get("reorder") and case.get("architecture", "fusion") not in STROKES:
        return False
    if case.get("margin") and case.get("architecture", "drawing") not in ("drawing", "lenet", "sketch", "fusion"):
        return False
    if case.get("patience") and "validation-share" in case and not case["validation-share"]:
        return False
    if case.get("validation-share") and case.get("architecture") == "adapt":
        return False
    if case.get("patience") and case.get("architecture") == "adapt":
        return False
    return not (case.get("label-smoothing") and case.get("architecture") == "reader")


def pairs(case):
    """All pairs of values in a case."""
    return {frozenset([one, other]) for one, other in itertools.combinations(sorted(case.items(), key=str), 2)}


def combinations(generator):
    """Cases such that each pair of values that fits is in one of them."""
    missing = set()
    for one, other in itertools.combinations(OPTIONS, 2):
        for first, second in itertools.product(OPTIONS[one], OPTIONS[other]):
            if fits({one: first, other: second}):
                missing.add(frozenset([(one, first), (other, second)]))
    cases = []
    while missing:
        best, most = None, -1
        for _ in range(60):
            chosen = generator.choice(sorted(missing, key=lambda pair: sorted(map(str, pair))))
            # A set has another order in each process.
            case = dict(sorted(chosen, key=str))
            names = [name for name in OPTIONS if name not in case]
            generator.shuffle(names)
            for name in names:
                values = [value for value in OPTIONS[name] if fits({**case, name: value})]
                count = {value: len(pairs({**case, name: value}) & missing) for value in values}
                case[name] = max(values, key=lambda value: (count[value], generator.random()))
            found = len(pairs(case) & missing)
            if fits(case) and found > most:
                best, most = case, found
        cases.append(best)
        missing -= pairs(best)
    return cases


def arguments(case):
    """What the command is given for a case."""
    network = case["architecture"]
    result = ["train", DATA[network], "--epochs", "2", "--force"]
    if network == "adapt":
        result = ["train", "--from", os.path.join(ROOT, "models", "inkstate.safetensors"), "--adapt", "ink.ndjson",
                  "ink.ndjson", "--epochs", "2", "--force"]
    else:
        result += ["--architecture", network]
    for name, value in case.items():
        if value is None or name == "architecture":
            continue
        if name == "balance":
            result.append(value)
        elif name == "augment" and value == "other":
            result += ["--augment", {"reader": "written", "activity": "wearable"}.get(network, "any-angle")]
        else:
            result += [f"--{name}", *value.split()]
    return result


def prepare(folder):
    """Writes what the networks learn from."""
    inkstate("dataset", "synthesize", "--writers", "5", "--per-class", "3", "--output", "ink.ndjson", cwd=folder)
    inkstate("dataset", "synthesize", "--repertoire", "digits", "--writers", "2", "--per-class", "1",
             "--output", "digits.ndjson", cwd=folder)
    inkstate("dataset", "compose", "lines", "digits.ndjson", "--per-writer", "12", "--output", "lines.ndjson",
             cwd=folder)
    generator = random.Random(1)
    with open(os.path.join(folder, "sensors.csv"), "w") as file:
        file.write("recording,person,label,time,x,y\n")
        for recording in range(24):
            phase = generator.uniform(0, 6)
            for step in range(30 + recording % 7):
                x, y = math.sin(phase + step / (2 + recording % 3)), math.cos(phase + step / 5)
                file.write(f"{recording},p{recording % 4},{'abc'[recording % 3]},{step / 50:.2f},"
                           f"{x + generator.gauss(0, 0.1):.4f},{y:.4f}\n")


def train(folder, arguments, threads, name, **environment):
    """The hash of the model and the log of a training."""
    output = os.path.join(folder, f"{name}.safetensors")
    result = subprocess.run([INKSTATE, *arguments, "--threads", str(threads), "--output", output], cwd=folder,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, **environment))
    if result.returncode:
        sys.exit(f"stress workers: {' '.join(arguments)}: {result.stderr}")
    hashes = []
    for path in [output, os.path.join(folder, f"{name}.csv")]:
        with open(path, "rb") as file:
            hashes.append(hashlib.sha256(file.read()).hexdigest())
    return hashes


def workers(folder, cases):
    """Trains each case with several numbers of threads."""
    for number, case in enumerate(cases):
        command = arguments(case)
        start = time.monotonic()
        results = [train(folder, command, threads, "model") for threads in (1, 2, 3, 4)]
        if any(result != results[0] for result in results):
            sys.exit(f"stress workers: other bytes with other threads: {' '.join(command)}")
        if (number + 1) % 10 == 0:
            print(f"{number + 1} of {len(cases)}, the last in {time.monotonic() - start:.1f} s", flush=True)
    print(f"{len(cases)} combinations, each with 1, 2, 3 and 4 threads: the same bytes")


def cores(folder):
    """Trains with several kernels of OpenBLAS."""
    command = ["train", "ink.ndjson", "--epochs", "3", "--force"]
    hashes = {core: train(folder, command, 1, core, INKSTATE_BLAS_CORE=core)[0] for core in CORES}
    print(f"{len(CORES)} kernels of OpenBLAS: {len(set(hashes.values()))} different models")
    again = {core: train(folder, command, 2, core, INKSTATE_BLAS_CORE=core)[0] for core in CORES}
    if again != hashes:
        sys.exit("stress workers: expected the same bytes with the same kernels")
    refused = 0
    for core in CORES:
        long = ["train", "ink.ndjson", "--epochs", "100000", "--threads", "1",
                "--output", f"{core}-long.safetensors"]
        process = subprocess.Popen([INKSTATE, *long], cwd=folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=dict(os.environ, INKSTATE_BLAS_CORE=core))
        checkpoint = os.path.join(folder, f"{core}-long.checkpoint")
        while not os.path.exists(checkpoint) and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for other in CORES:
            if other == core:
                continue
            result = subprocess.run([INKSTATE, *long, "--resume"], cwd=folder, capture_output=True, text=True,
                                    env=dict(os.environ, INKSTATE_BLAS_CORE=other), timeout=60)
            if result.returncode != 1 or f"OpenBLAS {core}" not in result.stderr:
                sys.exit(f"stress workers: expected {other} to refuse a checkpoint of {core}, "
                         f"found {result.stderr[-300:]}")
            refused += 1
    print(f"{refused} resumptions with other kernels were refused, and both were named")


def main(given):
    known = parser("workers", __doc__)
    known.add_argument("--seed", type=int, default=1)
    known.add_argument("--quick", action="store_true")
    known.add_argument("--cores", action="store_true")
    known.add_argument("--list", action="store_true")
    options = known.parse_args(given)
    if options.list:
        for case in combinations(random.Random(options.seed)):
            print(" ".join(arguments(case)))
        return
    require_build()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        if options.cores:
            cores(folder)
        else:
            cases = combinations(random.Random(options.seed))
            workers(folder, cases[:3] if options.quick else cases)
