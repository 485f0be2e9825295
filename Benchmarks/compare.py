#!/usr/bin/env python3
"""Measures Inkstate and its peers side by side and prints one table, in Markdown.

    compare.py RATES INKSTATE [--python PYTHON] [--data PICTURES] [--quick] [--growth FILE.svg] [--rates-mpi RATES]

Every contender is a process that measures what it is asked; the others stand still meanwhile. Each row
is measured in rounds, one contender after the other; medians of the rounds are printed with their
spread. `scripts/benchmark` calls this with everything set up.
"""

import argparse
import functools
import glob
import itertools
import json
import math
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# The command whose start time is measured, and its limit in starts of an empty Python.
START, START_LIMIT = ["classify", f"{HERE}/../Examples/Ink/ring.png"], 2 / 3
# The least of the time of NumPy and ONNX Runtime for what a released model says of drawings in NDJSON.
DRAWINGS_LIMIT = 5
# What the peers do as well, instead of what `inkstate train` chooses from the data.
PLAIN = ["--augment", "none", "--batch-size", "64", "--learning-rate", "1e-3", "--schedule", "constant",
         "--no-balance", "--average", "0"]
NAMES = {"inkstate": "Inkstate", "torch": "PyTorch", "torch-tuned": "PyTorch, tuned",
         "tensorflow": "TensorFlow", "onnxruntime": "ONNX Runtime"}
MODULES = {"torch": "torch", "torch-tuned": "torch", "tensorflow": "tensorflow",
           "onnxruntime": "onnxruntime"}
# Multiply-adds of an example forwards; backwards takes twice as many, less the first layer's input.
MULTIPLY_ADDS = {"drawing": (1_994_240, 112_896), "lenet": (13_883_904, 627_200),
                 "sketch": (3_123_200, 112_896),
                 # Series of 60 steps and 6 channels.
                 "activity": (1_105_280, 23_040), "gesture": (3_966_080, 86_400),
                 # Of USUAL_SIZES; as many more as pictures are larger.
                 "reader": (40_876_032, 589_824), "page": (1_616_044_032, 5_308_416)}
USUAL_SIZES = {"reader": (32, 128), "page": (384, 384)}
BATCHES = {("train", "sketch"): (64,), ("infer", "sketch"): (1, 256),
           ("train", "page"): (8,), ("infer", "page"): (1,)} | {
    (task, network): batches for network in ("activity", "gesture", "reader")
    for task, batches in (("train", (64,)), ("infer", (1,)))}
# The heights and widths of other pictures that are asked for.
SIZES = {("infer", "reader"): tuple((32, width) for width in (64, 128, 256, 640)),
         ("infer", "page"): ((768, 1024),)}
# The numbers of an example: of a picture of 28 × 28 pixels, or of a series of 60 steps and 6 channels.
INPUTS = {"drawing": 784, "lenet": 784, "sketch": 784, "activity": 360, "gesture": 360,
          "reader": 32 * 128, "page": 384 * 384}
# What only Inkstate measures: the row's network and title, and what else is asked.
OWN = [(network, f"train `{network}`, 64, series of 15 to 60 steps", dict(least=15))
       for network in ("activity", "gesture")]


def operations(task, network, size=None):
    forward, first = MULTIPLY_ADDS[network]
    count = 2 * forward if task == "infer" else 2 * (3 * forward - first)
    return count * math.prod(size) / math.prod(USUAL_SIZES[network]) if size else count


def traffic(task, network, batch, size, parameters):
    """The bytes of the inputs and the weights for a batch; training reads and writes the weights and Adam's two
    moments."""
    inputs = math.prod(size) if size else INPUTS[network]
    return 4 * (batch * inputs + parameters * (1 if task == "infer" else 6))


def name(task, network, size):
    return f"{task} `{network}`" + (f" of {size[0]} × {size[1]}" if size else "")


class Contender:
    """Runs a contender process, which is suspended between requests."""

    def __init__(self, command, cores):
        # PyTorch's tuning: memory stays with the allocator.
        environment = os.environ | {
            "MALLOC_MMAP_THRESHOLD_": "4000000000", "MALLOC_TRIM_THRESHOLD_": "8000000000"
        } if "torch-tuned" in command else dict(os.environ)
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment, preexec_fn=lambda: os.sched_setaffinity(0, cores))
        self.version = json.loads(self.process.stdout.readline())["version"]
        self.process.send_signal(signal.SIGSTOP)

    def ask(self, **request):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.write((json.dumps(request) + "\n").encode())
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        self.process.send_signal(signal.SIGSTOP)
        return answer

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.close()
        self.process.wait()


def short(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


class Comparison:
    def __init__(self, arguments):
        self.arguments = arguments
        self.rounds = 1 if arguments.quick else 3
        self.seconds = 0.3 if arguments.quick else 1.0
        self.versions = {}
        self.ratios = []
        self.start, self.empty, self.drawings = None, None, None
        # What was asked of other sections, as rows of what, peer, asked, here and whether it is met.
        self.others_asked = []

    def progress(self, text):
        print(text, file=sys.stderr, flush=True)

    def commands(self, threads):
        commands = {"inkstate": [self.arguments.rates, str(threads)]}
        for kind, module in MODULES.items():
            if self.has(module):
                commands[kind] = [
                    self.arguments.python, f"{HERE}/peers.py", kind, str(threads)]
        return commands

    @functools.cache
    def has(self, module):
        """Whether the peers' Python has `module`."""
        if not self.arguments.python:
            return False
        found = subprocess.run(
            [self.arguments.python, "-c",
             f"import importlib.util, sys; sys.exit(not importlib.util.find_spec('{module}'))"])
        return found.returncode == 0

    def rates(self, threads):
        """The rows of training and inference on so many cores."""
        cores = set(sorted(os.sched_getaffinity(0))[:threads])
        contenders = {kind: Contender(command, cores)
                      for kind, command in self.commands(threads).items()}
        for kind, contender in contenders.items():
            self.versions[kind] = contender.version
        try:
            return self.rows(contenders, threads)
        finally:
            for contender in contenders.values():
                contender.end()

    def rows(self, contenders, threads):
        rows, peaks = [], []
        bandwidth = statistics.median(
            contenders["inkstate"].ask(task="bandwidth", network="", batch=1, seconds=self.seconds)["rate"]
            for _ in range(self.rounds))
        for task, network in itertools.product(("train", "infer"), MULTIPLY_ADDS):
            for batch, size in itertools.product(
                    BATCHES.get((task, network), (1, 32, 64, 256)),
                    SIZES.get((task, network), (None,))):
                more = dict(zip(("height", "width"), size)) if size else {}
                answers = {kind: [] for kind in contenders}
                for _ in range(self.rounds):
                    peak = contenders["inkstate"].ask(task="peak", network=network, batch=1, seconds=0.1)
                    peaks.append(peak["rate"])
                    for kind, contender in contenders.items():
                        answer = contender.ask(task=task, network=network, batch=batch,
                                               seconds=self.seconds, **more)
                        if answer:
                            answers[kind].append(answer)
                rows.append((task, network, batch, size, answers, None,
                             traffic(task, network, batch, size, peak["parameters"])))
                self.progress(f"  {threads} cores, {name(task, network, size)}, batch {batch}")
        for network, title, more in OWN:
            answers = [contenders["inkstate"].ask(task="train", network=network, batch=64,
                                                  seconds=self.seconds, **more)
                       for _ in range(self.rounds)]
            rows.append(("train", network, 64, None, {"inkstate": answers}, title, None))
        return rows, statistics.median(peaks), bandwidth

    def rate_table(self, threads):
        rows, peak, bandwidth = self.rates(threads)
        lines = []
        for task, network, batch, size, answers, title, moved in rows:
            answers = {kind: list for kind, list in answers.items() if list}
            rate = {kind: statistics.median(a["rate"] for a in list)
                    for kind, list in answers.items()}
            median = {kind: statistics.median(a["median"] for a in list)
                      for kind, list in answers.items()}
            peers = [kind for kind in rate if kind != "inkstate"]
            best = max(peers, key=rate.get) if peers else None
            ratio = rate["inkstate"] / rate[best] if best else None
            if best:
                self.ratios.append((task, network, batch, threads, size, best, ratio))
            for kind, list in answers.items():
                spread = (max(a["rate"] for a in list) - min(a["rate"] for a in list)) / rate[kind]
                lines.append([
                    (title or f"{name(task, network, size)}, {batch}") if kind == "inkstate" else "",
                    NAMES[kind],
                    short(rate[kind]), f"{100 * spread:.0f} %", short(median[kind]),
                    short(statistics.median(a["p99"] for a in list)),
                    "" if title else
                    f"{100 * rate[kind] * operations(task, network, size) / peak:.0f} %",
                    "" if title else f"{100 * rate[kind] / batch * moved / bandwidth:.1f} %",
                    f"{max(a['memory'] for a in list):.0f}",
                    f"**{ratio:.2f}×** {NAMES[best]}" if kind == "inkstate" and best else ""])
        title = "one core" if threads == 1 else f"{threads} cores"
        return (f"## On {title}\n\nSGEMM here: {peak / 1e9:.0f} GFLOP/s; reading memory: {bandwidth / 1e9:.1f} GB/s."
                "\n\n" + table(
            ["task, batch", "by", "examples/s", "spread", "µs a batch", "99 %", "of SGEMM", "of memory", "MiB",
             "to the best peer"], lines))

    def memory(self):
        """The peak memory of whole processes, and training from disk against training from memory."""
        lines = []
        with tempfile.TemporaryDirectory() as folder:
            def run(what, *arguments):
                process = subprocess.Popen([self.arguments.inkstate, *arguments], text=True,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                # What a process holds of files can be forgotten: counted apart.
                own = 0
                while os.waitid(os.P_PID, process.pid,
                                os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                    with open(f"/proc/{process.pid}/status") as status:
                        own = max([own] + [int(line.split()[1]) for line in status
                                           if line.startswith("RssAnon")])
                    time.sleep(0.0002 if "classify" in arguments else 0.02)
                text = process.stderr.read()
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                if process.returncode != 0:
                    raise SystemExit(f"compare: {arguments}: {text}")
                rates = re.findall(r"(\d+) (?:examples|images)/s", text)
                rate = statistics.median(map(int, rates)) if rates else None
                lines.append([what, f"{own / 1024:.0f} MiB", f"{usage.ru_maxrss / 1024:.0f} MiB",
                              f"{rate:,.0f} images/s" if rate else ""])
                self.progress(f"  memory: {what}")

            def invent(writers, form, path):
                subprocess.run([self.arguments.inkstate, "dataset", "synthesize", "--writers",
                                str(writers), "--per-class", "250", "--form", form, "--output", path],
                               check=True, capture_output=True)

            many, few = (60, 60) if self.arguments.quick else (1000, 60)
            invent(few, "idx", f"{folder}/few")
            invent(many, "npy", f"{folder}/many")
            run(f"train `drawing` on {few * 1000:,} pictures in memory", "train", f"{folder}/few",
                "--epochs", "3", *PLAIN, "--output", f"{folder}/few.safetensors")
            # Not from the cache, but from the disk.
            with open(f"{folder}/many/images.npy", "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            run(f"train `drawing` on {many * 1000:,} pictures on disk", "train", f"{folder}/many",
                "--epochs", "1", *PLAIN, "--output", f"{folder}/many.safetensors")
            one = f"{folder}/one.ndjson"
            invent(1, "ndjson", f"{folder}/ink.ndjson")
            with open(f"{folder}/ink.ndjson") as ink, open(one, "w") as file:
                file.write(ink.readline())
            run("classify one drawing, the whole command with its libraries", "classify", one)
        return ("## Memory\n\n" + table(
            ["what", "at most", "with mapped files and libraries", "rate"], lines))

    def timed(self, command, times):
        """Seconds of whole processes, after one that warms the caches."""
        return self.interleaved([command], times)[0]

    def interleaved(self, commands, times, cores=None, warm=1):
        """Medians of the seconds of several commands, which take turns on `cores` or on all: `times` runs, after
        `warm` ones that are not counted."""
        seconds = [[] for _ in commands]
        for _ in range(times + warm):
            for command, own in zip(commands, seconds):
                start = time.perf_counter()
                subprocess.run(
                    command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    preexec_fn=(lambda: os.sched_setaffinity(0, cores)) if cores else None)
                own.append(time.perf_counter() - start)
        return [statistics.median(own[warm:]) for own in seconds]

    def processes(self):
        """From the start of a process to its end."""
        python, inkstate, data = (
            self.arguments.python, self.arguments.inkstate, self.arguments.data)
        lines, times = [], 3 if self.arguments.quick else 20
        contender = Contender([self.arguments.rates, "1"], {min(os.sched_getaffinity(0))})
        answer = contender.ask(task="label", network="sketch", batch=1, seconds=self.seconds)
        contender.end()
        lines.append(["points to label, released model, one core", "Inkstate",
                      f"{answer['median']:.0f} µs (99 %: {answer['p99']:.0f})", ""])
        # The system's where there is one: others start with more packages, and later.
        system = "/usr/bin/python3"
        empty = [system if os.path.exists(system) else sys.executable, "-c", ""]
        self.start, self.empty = (1000 * seconds for seconds in self.interleaved(
            [[inkstate, *START], empty], 10 if self.arguments.quick else 100))
        lines += [["process start to one PNG classified, released model", "Inkstate",
                   f"{self.start:.3g} ms", f"**{self.empty / self.start:.2f}×**"],
                  ["", "an empty Python", f"{self.empty:.3g} ms", ""]]
        self.progress("  start")
        with tempfile.TemporaryDirectory() as folder:
            lines += self.points_to_labels(folder)
        from tasks import lines_read, photographs
        lines += lines_read(self) + photographs(self)
        with tempfile.TemporaryDirectory() as folder:
            if not data:
                self.progress("  no --data, so no whole processes")
                return self.process_table(lines)
            image = sorted(glob.glob(f"{data}/*/*.png"))[0]
            model, onnx = f"{folder}/drawing.safetensors", f"{folder}/drawing.onnx"
            subprocess.run([inkstate, "train", data, "--epochs", "1", "--output", model],
                           check=True, capture_output=True)
            own = self.timed([inkstate, "classify", image, "--model", model], times)
            rows = [("Inkstate", own)]
            if self.has("onnxruntime") and self.has("PIL"):
                subprocess.run([python, f"{HERE}/peers.py", "write-onnx", "drawing", onnx],
                               check=True)
                rows.append(("ONNX Runtime", self.timed(
                    [python, f"{HERE}/peers.py", "classify-onnxruntime", onnx, image], times)))
            if self.has("torch") and self.has("PIL"):
                rows.append(("PyTorch", self.timed(
                    [python, f"{HERE}/peers.py", "classify-torch", image], 3)))
            lines += self.against("process start to one PNG classified", rows, 1000, "ms")
            self.progress("  one PNG classified")
            lines += self.folds(folder)
        return self.process_table(lines)

    def points_to_labels(self, folder):
        """Drawings in NDJSON, read, drawn and classified by the released model, on one core."""
        if not self.has("onnxruntime"):
            return []
        # Five minutes of the peer: one run of each.
        writers = 1 if self.arguments.quick else 1000
        ink, model = f"{folder}/ink.ndjson", f"{folder}/released.onnx"
        for arguments in (["dataset", "synthesize", "--writers", str(writers), "--per-class", "250",
                           "--output", ink], ["export", "--output", model]):
            subprocess.run([self.arguments.inkstate, *arguments], check=True, capture_output=True)
        own, peer = self.interleaved(
            [[self.arguments.inkstate, "classify", ink],
             [self.arguments.python, f"{HERE}/peers.py", "classify-ndjson", model, ink]],
            1, {min(os.sched_getaffinity(0))}, warm=0)
        self.drawings = peer / own
        self.progress("  drawings in NDJSON")
        return self.against(
            f"{writers * 1000:,} drawings in NDJSON to labels, one core, one run",
            [("Inkstate", own), ("NumPy and ONNX Runtime", peer)], 1, "s")

    def against(self, title, rows, unit, name, notes=None):
        own = rows[0][1]
        best = min((seconds for _, seconds in rows[1:]), default=None)
        return [[title if index == 0 else "", who,
                 f"{unit * seconds:.3g} {name}" + (f", {notes[who]}" if notes else ""),
                 f"**{best / own:.1f}×**" if index == 0 and best else ""]
                for index, (who, seconds) in enumerate(rows)]

    def folds(self, folder):
        """From PNGs on disk to a saved model: as many epochs as a mean of 98.5 % takes each."""
        data = self.arguments.data
        files = [(path, os.path.basename(os.path.dirname(path)))
                 for path in sorted(glob.glob(f"{data}/*/*.png"))]
        random.Random(1).shuffle(files)
        for fold in range(5):
            for index, (path, label) in enumerate(files):
                part = "test" if index % 5 == fold else "train"
                target = f"{folder}/{fold}/{part}/{label}"
                os.makedirs(target, exist_ok=True)
                shutil.copy(path, f"{target}/{index}.png")

        def by_inkstate(fold, epochs):
            return [self.arguments.inkstate, "train", f"{folder}/{fold}/train", "--epochs",
                    str(epochs), *PLAIN, "--output", f"{folder}/{fold}.safetensors", "--force"]

        def by_torch(fold, epochs, test="-"):
            return [self.arguments.python, f"{HERE}/peers.py", "fold-torch",
                    f"{folder}/{fold}/train", test, str(epochs), f"{folder}/{fold}.pt"]

        def inkstate_right(fold, epochs):
            subprocess.run(by_inkstate(fold, epochs), check=True, capture_output=True)
            text = subprocess.run(
                [self.arguments.inkstate, "evaluate", f"{folder}/{fold}/test", "--model",
                 f"{folder}/{fold}.safetensors", "--format", "json"], check=True, capture_output=True).stdout
            return json.loads(text)["evaluation"]["accuracy"]["value"]

        def torch_right(fold, epochs):
            text = subprocess.run(by_torch(fold, epochs, f"{folder}/{fold}/test"), check=True,
                                  capture_output=True).stdout
            answer = json.loads(text.splitlines()[-1])
            return answer["right"] / answer["count"]

        contenders = [("Inkstate", by_inkstate, inkstate_right)]
        if self.has("torch") and self.has("PIL"):
            contenders.append(("PyTorch", by_torch, torch_right))
        rows, notes = [], {}
        for who, command, right in contenders:
            for epochs in (12, 16, 20, 30, 40, 60):
                accuracy = statistics.mean(right(fold, epochs) for fold in range(5))
                if accuracy >= 0.985:
                    break
            seconds = statistics.median(self.timed(command(fold, epochs), 3) for fold in range(5))
            rows.append((who, seconds))
            notes[who] = f"{epochs} epochs, mean {100 * accuracy:.2f} %"
            self.progress(f"  folds by {who}")
        return self.against("PNGs on disk to a saved `drawing` model, a fold", rows, 1, "s", notes)

    def process_table(self, lines):
        return "## Whole processes\n\n" + table(["what", "by", "time", "to the best peer"], lines)

    def asked(self, every):
        """The rows that the issues name, with what they ask of them."""
        wanted = [("train", "drawing", 64, 1, 1.25), ("train", "drawing", 64, 4, 2),
                  ("train", "drawing", 256, 4, 2), ("train", "lenet", 64, 1, 1.05),
                  ("train", "lenet", 64, 4, 1.3), ("train", "lenet", 256, 4, 1.1),
                  ("infer", "drawing", 1, 1, 1.3), ("infer", "drawing", 256, 1, 1),
                  ("infer", "drawing", 256, 4, 1)]
        for threads in dict.fromkeys((1, every)):
            wanted += [("train", "sketch", 64, threads, 2), ("infer", "sketch", 1, threads, 2),
                       ("infer", "sketch", 256, threads, 2),
                       ("train", "activity", 64, threads, 1.8),
                       ("train", "gesture", 64, threads, 1.6),
                       ("train", "reader", 64, threads, 2), ("train", "page", 8, threads, 1.6),
                       ("infer", "lenet", 1, threads, 1.5 if threads == 1 else 1.3),
                       ("infer", "activity", 1, threads, 1.6),
                       ("infer", "gesture", 1, threads, 1.5)]
            wanted += [("infer", network, 1, threads, 1.4, size)
                       for network in ("reader", "page") for size in SIZES["infer", network]]
        lines = []
        for task, network, batch, threads, least, *size in wanted:
            size = size[0] if size else None
            for row in self.ratios:
                if row[:5] == (task, network, batch, threads, size):
                    lines.append([f"{name(task, network, size)}, batch {batch}, "
                                  f"{threads} {'core' if threads == 1 else 'cores'}",
                                  NAMES[row[5]], f"{least}×", f"{row[6]:.2f}×",
                                  "met" if row[6] >= least else "**not met**"])
        if self.start:
            lines.append(["process start to one PNG classified, released model", "",
                          f"under {START_LIMIT:.2f} of an empty Python", f"{self.start / self.empty:.2f}",
                          "met" if self.start < START_LIMIT * self.empty else "**not met**"])
        if self.drawings:
            lines.append(["drawings in NDJSON to labels, one core", "NumPy and ONNX Runtime",
                          f"{DRAWINGS_LIMIT}×", f"{self.drawings:.2f}×",
                          "met" if self.drawings >= DRAWINGS_LIMIT else "**not met**"])
        lines += self.others_asked
        return "## What was asked\n\n" + table(
            ["what", "best peer here", "asked", "here", ""], lines)


def cpu():
    with open("/proc/cpuinfo") as file:
        return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rates")
    parser.add_argument("inkstate")
    parser.add_argument("--python")
    parser.add_argument("--data")
    parser.add_argument("--growth")
    parser.add_argument("--rates-mpi")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    from several_processes import several_processes
    from studio import studio_table
    from tasks import Automata, first_use
    comparison = Comparison(arguments)
    every = len(os.sched_getaffinity(0))
    for module in sorted(set(MODULES.values())):
        if not comparison.has(module):
            comparison.progress(f"  {module} is absent: no rows of it")
    sections = {f"rates on {threads} cores": functools.partial(comparison.rate_table, threads)
                for threads in dict.fromkeys((1, every))}
    # A new process has the memory of this one for a moment, which large documents make larger: memory first.
    sections |= {"whole processes": comparison.processes, "memory": comparison.memory,
                 "quickstart": functools.partial(first_use, comparison), "automata": Automata(comparison).table,
                 "studio": functools.partial(studio_table, comparison),
                 "several processes": functools.partial(several_processes, comparison)}
    if arguments.growth:
        from growth import growth
        sections["growth"] = functools.partial(growth, arguments, comparison)
    tables, failed = [], False
    for title, section in sections.items():
        # What fails takes an hour of other rows with it otherwise.
        try:
            tables.append(section())
        except (Exception, SystemExit) as error:
            comparison.progress(f"  {title} failed: {error}")
            tables.append(f"The section on {title} failed: {error}\n")
            failed = True
    print("# Measured side by side\n")
    print(f"`scripts/benchmark` on {time.strftime('%Y-%m-%d')}, {cpu()}, {every} cores. "
          f"{', '.join(dict.fromkeys(comparison.versions.values()))}.\n")
    print(f"Medians of {comparison.rounds} interleaved rounds of {comparison.seconds:.1f} s; spread is "
          "the widest difference between rounds. Training is a whole step: both passes and Adam; "
          "Inkstate's fetches and scales its pictures as well. Series have 60 steps of 6 channels and 5 classes. `reader` reads lines of 32 × 128 pixels; "
          "training has texts of 5 of 97 characters and CTC, without TensorFlow. `page` learns from "
          "parts of 384 × 384 pixels, with a class for each cell of 2 × 2; Inkstate's cuts them out "
          "and prepares them as well. PyTorch runs op by op, but for the tuned one's "
          "inference, which is traced, frozen and optimised. \"Of SGEMM\" counts the multiplications of the plain "
          "algorithms against the rate of large matrix products in the same run; Winograd's "
          "convolutions and gradients that follow max-pooling make fewer, so that more than 100 % is "
          "possible. \"Of memory\" counts the bytes of the inputs and weights of each batch (training also writes the "
          "weights, and reads and writes Adam's two moments) against the rate at which large arrays are read; above "
          "100 %, caches hold the weights. MiB is the most memory the process held during the row.\n")
    print(comparison.asked(every))
    print("\n".join(tables), end="")
    sys.exit(failed)


if __name__ == "__main__":
    main()
