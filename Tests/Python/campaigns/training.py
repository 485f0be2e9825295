"""Kills trainings at random moments and resumes them; the model has the same bytes in the end.

    scripts/stress training [COUNT]     so many trainings, 100 by default, each killed up to three times
    scripts/stress training 10 --seed 2
    scripts/stress training 10 --processes 2    with MPI; of a build with `--traits MPI`

The trainings take turns: pictures, series of strokes, and lines of writing. Each runs with another
number of cores than the one before. It fails where a training cannot be resumed, its model has other
bytes than that of a training that was not killed, or its checkpoint is left.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from campaigns.options import count, parser
from inkstate.command import INKSTATE, inkstate, require_build

KINDS = {
    "pictures": ["train", "data.ndjson", "--epochs", "12"],
    "strokes": ["train", "data.ndjson", "--architecture", "gesture", "--epochs", "10"],
    "lines": ["train", "lines.ndjson", "--architecture", "reader", "--epochs", "4"],
}


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Trainings:
    """Trainings in a folder, with what has to come out of each kind and how long it takes."""

    def __init__(self, folder, prefix):
        self.folder, self.prefix = folder, prefix
        self.kills = 0
        inkstate("dataset", "synthesize", "--writers", "8", "--per-class", "4", "--output", "data.ndjson", cwd=folder)
        inkstate("dataset", "synthesize", "--repertoire", "digits", "--writers", "2", "--per-class", "2",
                 "--output", "digits.ndjson", cwd=folder)
        inkstate("dataset", "compose", "lines", "digits.ndjson", "--per-writer", "20", "--output", "lines.ndjson",
                 cwd=folder)
        self.output = os.path.join(folder, "model.safetensors")
        self.checkpoint = os.path.join(folder, "model.checkpoint")
        self.expected, self.durations = {}, {}
        for kind, arguments in KINDS.items():
            begin = time.monotonic()
            output = os.path.join(folder, f"{kind}.safetensors")
            process = self.start(arguments + ["--output", output])
            problem = process.communicate()[1]
            if process.returncode:
                sys.exit(f"stress training: {kind}: {problem}")
            self.durations[kind] = time.monotonic() - begin
            self.expected[kind] = read(output)

    def start(self, arguments):
        return subprocess.Popen([*self.prefix, INKSTATE, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def kill(self, process):
        process.send_signal(signal.SIGKILL)
        if self.prefix:
            # The processes that mpirun started.
            subprocess.run(["pkill", "-KILL", "-f", self.output])
        self.kills += 1

    def train(self, kind, threads, left, generator):
        """Trains once, killed up to `left` times; returns what is wrong, or `None`."""
        for name in self.names():
            os.remove(os.path.join(self.folder, name))
        while True:
            arguments = KINDS[kind] + ["--threads", threads, "--output", self.output]
            # Killed before its first checkpoint, a training may leave the curves of an epoch.
            arguments.append("--resume" if os.path.exists(self.checkpoint) else "--force")
            process = self.start(arguments)
            if left:
                try:
                    process.wait(generator.uniform(0, 1.1 * self.durations[kind]))
                except subprocess.TimeoutExpired:
                    self.kill(process)
                    left -= 1
            problem = process.communicate()[1]
            if process.returncode not in (0, -signal.SIGKILL):
                return problem
            # It can be killed when it has written everything.
            if process.returncode == 0 or os.path.exists(self.output) and not os.path.exists(self.checkpoint):
                break
        if read(self.output) != self.expected[kind]:
            return "the model has other bytes"
        rest = set(self.names()) - {"model.safetensors", "model.csv", "model.svg"}
        return f"it leaves {sorted(rest)}" if rest else None

    def names(self):
        """The files of the training that is killed."""
        return [name for name in os.listdir(self.folder) if name.startswith("model.")]


def main(arguments):
    known = parser("training", __doc__)
    known.add_argument("count", nargs="?", type=count, default=100)
    known.add_argument("--seed", type=int, default=1)
    known.add_argument("--processes", type=count, default=1)
    options = known.parse_args(arguments)
    require_build()
    mpi = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(options.processes)]
    generator = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        trainings = Trainings(folder, mpi if options.processes > 1 else [])
        for number in range(options.count):
            kind = list(KINDS)[number % len(KINDS)]
            problem = trainings.train(kind, str(1 + number % 4), generator.randint(1, 3), generator)
            if problem:
                sys.exit(f"stress training: {kind}, training {number + 1}: {problem}")
            if (number + 1) % 20 == 0:
                print(f"{number + 1} trainings with {trainings.kills} kills", flush=True)
        print(f"{options.count} trainings with {trainings.kills} kills: all models have the same bytes")
