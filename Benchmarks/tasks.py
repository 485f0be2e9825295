"""What people do with the command and the libraries, beside other tools; on one core unless a row says otherwise."""

import json
import math
import os
import shutil
import subprocess
import tempfile
import time

from automaton_peers import LONGEST, MEMORY
from compare import HERE, Contender, table

RAYGAR = "pictures/raygar7.jpg"


def shown(seconds):
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def first_core():
    return {min(os.sched_getaffinity(0))}


class Automata:
    """Questions about automata in which each state occurs twice."""

    def __init__(self, comparison):
        self.comparison, self.python = comparison, comparison.arguments.python

    def inkstate(self, task, count):
        contender = Contender([self.comparison.arguments.rates, "1"], first_core())
        answer = contender.ask(task=task, network="", batch=1, examples=count,
                               seconds=self.comparison.seconds)
        contender.end()
        return answer["median"] / 1e6

    def run(self, command, **options):
        return subprocess.run(command, check=True, capture_output=True, text=True,
                              preexec_fn=lambda: os.sched_setaffinity(0, first_core()), **options).stdout

    def python_peer(self, tool, package):
        def ask(task, count):
            answer = json.loads(self.run([self.python, f"{HERE}/automaton_peers.py", tool],
                                         input=json.dumps({"task": task, "examples": count})))
            return answer if answer is None else answer.get("seconds", math.inf)
        version = self.run([self.python, "-c",
                            f"from importlib.metadata import version; print(version('{package}'))"]).strip()
        return f"{package} {version}", ask

    def peers(self):
        """The names of the tools that are here, with a function that answers in seconds, which are endless without the
        memory, or with None."""
        peers = []
        for tool, package, module in (("automata-lib", "automata-lib", "automata"), ("aalpy", "aalpy", "aalpy")):
            if self.comparison.has(module):
                peers.append(self.python_peer(tool, package))
            else:
                self.comparison.progress(f"  {package} is absent: no rows of it")
        if shutil.which("java"):
            peers.append(("Hopcroft in Java, on arrays", lambda task, count: float(
                self.run(["java", f"{HERE}/Hopcroft.java", str(count)])) if task == "minimize" else None))
        else:
            self.comparison.progress("  java is absent: no rows of it")
        return peers

    def table(self):
        lines, given_up, peers = [], set(), self.peers()
        for task in ("minimize", "equivalent", "words"):
            for count in (1000,) if self.comparison.arguments.quick else (10_000, 100_000, 1_000_000):
                own = self.inkstate(task, count)
                lines.append([f"{task}, {count:,} states", "Inkstate", shown(own), ""])
                for name, ask in peers:
                    # What is given up at one size only takes longer at the next.
                    if (task, name) in given_up:
                        continue
                    try:
                        answer = ask(task, count)
                    except (subprocess.CalledProcessError, json.JSONDecodeError):
                        lines.append(["", name, "fails", ""])
                        answer = LONGEST
                    else:
                        if answer is None:
                            continue
                        over = "over " if answer >= LONGEST else ""
                        lines.append(["", name, f"over {MEMORY >> 30} GB", ""] if answer == math.inf else
                                     ["", name, over + shown(answer), f"{over}**{answer / own:.3g}×**"])
                    if answer >= LONGEST:
                        given_up.add((task, name))
                self.comparison.progress(f"  automata: {task}, {count:,} states")
        return ("## Automata\n\nQuestions to libraries about random deterministic automata of two symbols, in which "
                "each state occurs twice; `words` lists the first 1,000. Inkstate's and Java's times are medians of "
                "five runs and more after the first ones, those of Python's libraries of three questions about automata "
                "made anew, or of one that takes over three seconds; larger sizes are left out after one that takes a "
                "minute. The Java program only counts the classes of equivalent states; the others make automata with "
                "names.\n\n"
                + table(["question", "by", "time", "Inkstate is faster"], lines))


def lines_read(comparison):
    """Lines of print, read from PNGs."""
    arguments = comparison.arguments
    if not shutil.which("tesseract"):
        comparison.progress("  tesseract is absent: no row of it")
        return []
    count = 20 if arguments.quick else 300
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([arguments.inkstate, "dataset", "print", "--lines", str(count), "--output",
                               f"{folder}/strips"], capture_output=True)
        if made.returncode:
            comparison.progress("  no fonts: no row of Tesseract")
            return []
        paths = sorted(f"{root}/{name}" for root, _, names in os.walk(f"{folder}/strips")
                       for name in names if name.endswith(".png"))
        with open(f"{folder}/list.txt", "w") as file:
            file.write("\n".join(paths) + "\n")
        own, peer = comparison.interleaved(
            [[arguments.inkstate, "read", "--model", f"{HERE}/../models/print.safetensors", *paths],
             ["env", "OMP_THREAD_LIMIT=1", "tesseract", f"{folder}/list.txt", "-", "--psm", "7"]],
            comparison.rounds, first_core())
    comparison.progress("  lines of print")
    version = subprocess.run(["tesseract", "--version"], capture_output=True, text=True).stdout.split()[1]
    return [[f"{count} lines of print in PNGs to texts (speed only), one core", "Inkstate",
             f"{count / own:.0f} lines/s", f"**{peer / own:.1f}×**"],
            ["", f"Tesseract {version}", f"{count / peer:.0f} lines/s", ""]]


def photographs(comparison):
    """Photographs to automata, on all cores."""
    arguments = comparison.arguments
    pictures = [(f"{HERE}/../Examples/Pictures/paper.jpg", "900 × 600 pixels")]
    if arguments.data:
        pictures.append((os.path.join(os.path.dirname(os.path.abspath(arguments.data)), RAYGAR), "12 megapixels"))
    lines = []
    for path, size in pictures:
        if not os.path.exists(path):
            comparison.progress(f"  {path} is absent: no row of it")
            continue
        seconds, = comparison.interleaved(
            [[arguments.inkstate, "automaton", "recognize", path]], 2 * comparison.rounds + 1)
        lines.append([f"`{os.path.basename(path)}`, {size}, to an automaton, all cores", "Inkstate",
                      shown(seconds), ""])
        comparison.progress(f"  {os.path.basename(path)}")
    return lines


# What `scripts/quickstart` prints when the main job is done, before it builds the studio.
MAIN_JOB_DONE = "The accuracy above"


def first_use(comparison):
    """`scripts/quickstart` in a fresh clone of the last commit, on all cores; the packages it needs are here already."""
    if comparison.arguments.quick:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", f"{HERE}/..", f"{folder}/inkstate"], check=True)
        begin = time.monotonic()
        process = subprocess.Popen(["scripts/quickstart"], cwd=f"{folder}/inkstate", text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        first, line = None, ""
        for line in process.stdout:
            if first is None and line.startswith(MAIN_JOB_DONE):
                first = time.monotonic() - begin
        if process.wait() != 0:
            raise RuntimeError(f"scripts/quickstart: {line}")
        if first is None:
            raise RuntimeError(f"scripts/quickstart has no line with {MAIN_JOB_DONE}")
        whole = time.monotonic() - begin
    comparison.progress("  quickstart")
    for what, asked, here in (("first result", 200, first), ("all", 300, whole)):
        comparison.others_asked.append([f"quickstart, fresh clone, all cores: {what}", "", f"{asked} s", f"{here:.0f} s",
                                        "met" if here <= asked else "**not met**"])
    return ("## First use\n\n`scripts/quickstart` in a fresh clone, with the packages at hand, on all cores.\n\n"
            + table(["until", "time"], [["the main job is done", f"{first:.0f} s"],
                                        ["the studio is built", f"{whole:.0f} s"]]))
