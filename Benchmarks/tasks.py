"""What people do with the command and the libraries, against other tools, on one core where nothing else is said."""

import json
import os
import shutil
import subprocess
import tempfile
import time

from compare import HERE, Contender, table

# The longest that a tool may take for an answer about an automaton, in seconds.
LONGEST = 60


def seconds_of(command, cores, environment=None):
    """Seconds of a whole process."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   preexec_fn=lambda: os.sched_setaffinity(0, cores),
                   env=os.environ | (environment or {}))
    return time.perf_counter() - start


def shown(seconds):
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def automata(comparison):
    """Questions about automata of which always two states are equivalent."""
    arguments, first = comparison.arguments, {min(os.sched_getaffinity(0))}

    def inkstate(task, count):
        contender = Contender([arguments.rates, "1"], first)
        answer = contender.ask(task=task, network="", batch=1, examples=count, seconds=comparison.seconds)
        contender.end()
        return answer["median"] / 1e6

    def python(tool):
        def ask(task, count):
            try:
                result = subprocess.run(
                    [arguments.python, f"{HERE}/automaton_peers.py", tool], check=True, timeout=2 * LONGEST,
                    input=json.dumps({"task": task, "examples": count}), capture_output=True, text=True,
                    preexec_fn=lambda: os.sched_setaffinity(0, first))
            except subprocess.TimeoutExpired:
                return LONGEST
            answer = json.loads(result.stdout)
            return answer and answer["seconds"]
        return ask

    def java(task, count):
        if task != "minimize":
            return None
        result = subprocess.run(["java", f"{HERE}/Hopcroft.java", str(count)], check=True,
                                capture_output=True, text=True,
                                preexec_fn=lambda: os.sched_setaffinity(0, first))
        return float(result.stdout)

    peers = [(name, python(tool)) for name, tool, module in
             (("automata-lib", "automata-lib", "automata.fa.dfa"), ("AALpy", "aalpy", "aalpy"))
             if comparison.has(module)]
    if shutil.which("java"):
        peers.append(("Hopcroft in Java, on arrays", java))
    lines, given_up = [], set()
    for task in ("minimize", "equivalent", "words"):
        for count in (1000,) if arguments.quick else (10_000, 100_000, 1_000_000):
            own = inkstate(task, count)
            lines.append([f"{task}, {count:,} states", "Inkstate", shown(own), ""])
            for name, ask in peers:
                # Larger automata only take longer.
                answer = LONGEST if (task, name) in given_up else ask(task, count)
                if answer is None:
                    continue
                if answer >= LONGEST:
                    given_up.add((task, name))
                lines.append(["", name, f"over {LONGEST} s" if answer >= LONGEST else shown(answer),
                              ("over " if answer >= LONGEST else "") + f"**{answer / own:.3g}×**"])
            comparison.progress(f"  automata: {task}, {count:,} states")
    return ("## Automata\n\nQuestions to libraries about random deterministic automata of two symbols; each state is "
            "there twice. `words` lists the first 1,000. Inkstate and the Python libraries answer with "
            "automata whose states have names; the Java program counts classes of numbers.\n\n"
            + table(["question", "by", "time", "Inkstate is faster"], lines))


def lines_read(comparison):
    """Lines of print, read from PNGs."""
    arguments, first = comparison.arguments, {min(os.sched_getaffinity(0))}
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
        own = min(seconds_of([arguments.inkstate, "read", "--model", f"{HERE}/../models/print.safetensors",
                              *paths], first) for _ in range(comparison.rounds))
        peer = min(seconds_of(["tesseract", f"{folder}/list.txt", "-", "--psm", "7", "-l", "eng"], first,
                              {"OMP_THREAD_LIMIT": "1"}) for _ in range(comparison.rounds))
    comparison.progress("  lines of print")
    version = subprocess.run(["tesseract", "--version"], capture_output=True, text=True).stdout.split()[1]
    return [[f"{count} lines of print in PNGs to texts, one core", "Inkstate", f"{count / own:.0f} lines/s",
             f"**{peer / own:.1f}×**"],
            ["", f"Tesseract {version}", f"{count / peer:.0f} lines/s", ""]]


def photographs(comparison):
    """Photographs to automata, on all cores."""
    arguments = comparison.arguments
    pictures = [(f"{HERE}/../Examples/Pictures/paper.jpg", "900 × 600 pixels")]
    if arguments.data:
        pictures.append((f"{os.path.dirname(arguments.data)}/pictures/raygar7.jpg", "12 megapixels"))
    lines = []
    for path, size in pictures:
        if not os.path.exists(path):
            continue
        cores = os.sched_getaffinity(0)
        seconds = sorted(
            seconds_of([arguments.inkstate, "automaton", "recognize", path], cores)
            for _ in range(2 * comparison.rounds + 1))
        lines.append([f"`{os.path.basename(path)}`, {size}, to an automaton, "
                      f"{len(cores)} cores", "Inkstate", shown(seconds[len(seconds) // 2]), ""])
        comparison.progress(f"  {os.path.basename(path)}")
    return lines
