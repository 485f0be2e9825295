"""Commands that write, with each of their operations on files failing."""

import collections
import os
import shutil
import subprocess
import sys
import tempfile

from campaigns.faults import CRASHED, CRASHES, FAULTS, REASONS, Faults, lose_power, name as name_of_operation
from inkstate.command import INKSTATE, ROOT, example

Command = collections.namedtuple("Command", "arguments output others prepare is_quick", defaults=([], [], False))

MODEL = os.path.join(ROOT, "models", "inkstate.safetensors")
SYNTHESIZE = ["dataset", "synthesize", "--writers", "3", "--per-class", "1"]
TRAIN = ["train", "{folder}/data.ndjson", "--epochs", "2", "--force", "--output"]

# Commands that write, with the output that they replace; `others` may change with it.
COMMANDS = {
    "convert": Command(
        ["automaton", "convert", example("Automata", "mod3.automaton"), "--force", "--output"],
        "out/result.jff", is_quick=True),
    "render": Command(
        ["automaton", "render", example("Automata", "mod3.automaton"), "--force", "--output"],
        "out/result.svg"),
    "recordings": Command(SYNTHESIZE + ["--force", "--output"], "out/result.ndjson", is_quick=True),
    "split": Command(
        ["dataset", "split", "{folder}/data.ndjson", "--by", "writer", "--force", "--output"], "out/split",
        prepare=[SYNTHESIZE + ["--output", "{folder}/data.ndjson"]]),
    "folder": Command(
        ["dataset", "render", "{folder}/data.ndjson", "--form", "folder", "--force", "--output"],
        "out/pictures", prepare=[SYNTHESIZE + ["--output", "{folder}/data.ndjson"]]),
    "npy": Command(
        ["dataset", "render", "{folder}/data.ndjson", "--form", "npy", "--force", "--output"],
        "out/arrays", prepare=[SYNTHESIZE + ["--output", "{folder}/data.ndjson"]]),
    "idx": Command(
        ["dataset", "render", "{folder}/data.ndjson", "--form", "idx", "--force", "--output"],
        "out/idx", prepare=[SYNTHESIZE + ["--output", "{folder}/data.ndjson"]]),
    "preview": Command(
        ["dataset", "preview", example("Ink"), "--force", "--output"], "out/preview.png"),
    "export": Command(
        ["export", MODEL, "--to", "onnx", "--force", "--output"],
        "out/model.onnx"),
    "import": Command(["dataset", "import", example("Ink"), "--force", "--output"], "out/result.ndjson"),
    "compose": Command(
        ["dataset", "compose", "automata", "--writers", "1", "--per-writer", "1", "--force", "--output"],
        "out/result.ndjson"),
    "photograph": Command(
        ["dataset", "photograph", example("Drawings", "mod3.ndjson"), "--force", "--output"], "out/photographs"),
    "cut": Command(
        ["dataset", "cut", "labels", "{folder}/pages", "--force", "--output"], "out/labels",
        prepare=[["dataset", "compose", "pages", "--writers", "2", "--count", "4", "--legible", "--output", "{folder}/pages"]]),
    "trace": Command(["trace", example("Pictures", "paper.jpg"), "--force", "--output"], "out/result.ndjson"),
    "recognize": Command(
        ["automaton", "recognize", example("Drawings", "mod3.ndjson"), "--force", "--svg"], "out/result.svg"),
    "replay": Command(
        ["automaton", "replay", example("Automata", "strokes.ndjson"), "--force", "--svg"], "out/result.svg"),
    "minimize": Command(
        ["automaton", "minimize", example("Automata", "b.automaton"), "--force", "--output"], "out/result.dot"),
    "grade": Command(
        ["automaton", "grade", example("Automata", "mod3.automaton"), example("Drawings", "mod3.ndjson"), "--force",
         "--html"], "out/grades.html"),
    "calibrate": Command(
        ["calibrate", MODEL, "{folder}/data.ndjson", "--force",
         "--output"], "out/model.safetensors",
        prepare=[["dataset", "synthesize", "--writers", "8", "--per-class", "8", "--output", "{folder}/data.ndjson"]]),
    "evaluate": Command(
        ["evaluate", "{folder}/data.ndjson", "--model", MODEL,
         "--force", "--html"], "out/report.html", prepare=[SYNTHESIZE + ["--output", "{folder}/data.ndjson"]]),
    "import-model": Command(
        ["import", "{folder}/model.onnx", "--force", "--output"], "out/model.safetensors",
        prepare=[["export", MODEL, "--to", "onnx", "--output",
                  "{folder}/model.onnx"]]),
    "train": Command(
        TRAIN, "out/model.safetensors", others=["out/model.checkpoint", "out/model.csv", "out/model.svg"],
        prepare=[SYNTHESIZE + ["--output", "{folder}/data.ndjson"]]),
}


def content(path):
    """All files at or below a path, with their bytes; None where there is nothing."""
    if not os.path.lexists(path):
        return None
    if not os.path.isdir(path):
        with open(path, "rb") as file:
            return file.read()
    return {name: content(os.path.join(path, name)) for name in sorted(os.listdir(path))}


def write(path, data):
    """Writes what `content` read."""
    if isinstance(data, dict):
        os.makedirs(path)
        for name, part in data.items():
            write(os.path.join(path, name), part)
    elif data is not None:
        with open(path, "wb") as file:
            file.write(data)


def changed(output):
    """Another output: a file with other bytes, or a folder with one such file."""
    if not isinstance(output, dict):
        return b"old"
    first = next(iter(output))
    return {name: (changed(part) if name == first else part) for name, part in output.items()}


class Runner:
    """Runs a command in a folder, with and without faults."""

    def __init__(self, library, folder, name):
        self.folder, self.name, self.command = folder, name, COMMANDS[name]
        self.output = os.path.join(folder, self.command.output)
        self.parent = os.path.dirname(self.output)
        self.faults = Faults(library, self.parent, os.path.join(folder, "log"))
        for arguments in self.command.prepare:
            self.ask(arguments)
        self.reset(None)
        result, _ = self.run()
        if result.returncode:
            sys.exit(f"stress files: {name} fails without a fault: {result.stderr}")
        self.new = content(self.output)

    def ask(self, arguments, environment=()):
        arguments = [part.replace("{folder}", self.folder) for part in arguments]
        return subprocess.run([INKSTATE, *arguments], env={**os.environ, **dict(environment)}, cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)

    def run(self, fault=None, number=0):
        """Runs the command with a fault, where one is named; returns its result and its operations."""
        self.faults.forget()
        result = self.ask(self.command.arguments + [self.output], self.faults.environment(fault, number))
        return result, self.faults.operations()

    def reset(self, old):
        shutil.rmtree(self.parent, ignore_errors=True)
        os.makedirs(self.parent)
        write(self.output, old)

    def rest(self):
        """The names beside the output."""
        known = [self.command.output, *self.command.others]
        return sorted(name for name in os.listdir(self.parent)
                      if os.path.join(os.path.basename(self.parent), name) not in known)

    def count(self, before):
        """How many operations the command has without a fault."""
        self.reset(before)
        result, operations = self.run()
        if result.returncode or content(self.output) != self.new or self.rest():
            sys.exit(f"stress files: {self.name} without a fault: {result.stderr} {self.rest()}")
        return len(operations)

    def attempt(self, before, fault, number):
        """Runs it with a fault; returns whether it was met, and what is wrong."""
        self.reset(before)
        result, done = self.run(fault, number)
        after = content(self.output)
        found = ["neither the old nor the new output"] if after not in (before, self.new) else []
        found += (self.problems_of_crash(before, result, done) if fault in CRASHES
                  else self.problems_of_error(fault, result, after))
        where = (f"{self.name}, {'a new' if before is None else 'an old'} output, {fault} at operation {number}, "
                 f"{name_of_operation(done, number)}")
        # The command may have fewer operations than before, and no fault.
        return len(done) >= number, [f"{where}: {text}" for text in found]

    def problems_of_crash(self, before, result, done):
        """What is wrong after a crash and a loss of power, and after the next run."""
        if result.returncode != CRASHED:
            return []
        found = []
        lose_power(done)
        if content(self.output) not in (before, self.new):
            found.append("neither the old nor the new output after a loss of power")
        again, _ = self.run()
        if again.returncode or content(self.output) != self.new:
            found.append(f"the next run fails: {again.stderr.strip()[:200]}")
        if self.rest():
            found.append(f"after the next run, {self.rest()} are left")
        return found

    def problems_of_error(self, fault, result, after):
        """What is wrong with how the command says that it failed, and what it leaves."""
        found, said = [], result.stderr.strip()
        if result.returncode not in (0, 1):
            found.append(f"exit code {result.returncode}: {said[:200]}")
        if result.returncode == 0 and after != self.new:
            found.append("success without the new output")
        if result.returncode == 1 and (not said or REASONS.get(fault, "") not in said):
            found.append(f"expected an error that says `{REASONS.get(fault)}`, found {said[:200]}")
        if self.rest():
            found.append(f"{self.rest()} are left")
        return found


def check_command(library, name, stride):
    """Runs a command with every fault; returns how many runs that were and what is wrong."""
    problems, runs = [], 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(library, os.path.realpath(folder), name)
        for before in [None, changed(runner.new)]:
            for number in range(1, runner.count(before) + 1, stride):
                for fault in FAULTS:
                    is_met, found = runner.attempt(before, fault, number)
                    runs += is_met
                    problems += found
    return runs, problems
