"""Gives the command damaged files of 27 formats, one process for each file.

    scripts/stress readers [COUNT]        so many files, 2,000 by default, over all formats in turn
    scripts/stress readers COUNT NAME …   of these formats; --list names them
    scripts/stress readers COUNT --seed N
    scripts/stress readers COUNT --radamsa    damages them by radamsa (pip install pyradamsa==0.1.1) instead

Unlike libFuzzer's, these mutations know formats: lengths of binary files, numbers and nesting of texts,
checksums of PNG and members of ZIP files that fit again. What is damaged was written by the command, or is
an example of this repository. It is a finding if a process ends by a signal, takes more than 10 s of
processor time or 64 times the file's size and 400 MB of memory, fails without a message, or ends with
another code than 0, 1 or 2. Findings are written to runs/stress-readers. Linux only.
"""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

from campaigns.options import count, parser
from campaigns.reader_formats import formats
from inkstate.command import INKSTATE, ROOT, require_build
from inkstate.mutator import damaged

FINDINGS = os.path.join(ROOT, "runs", "stress-readers")
SECONDS = 10
MEMORY = 400 << 20
CODES = (0, 1, 2)


def judge(format, folder, data):
    """Runs the command; returns what is wrong, or nothing, and the exit code."""
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, content in [*format.beside.items(), (format.file, data)]:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    arguments = [INKSTATE] + [part.replace("{file}", format.file) for part in format.arguments]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(arguments, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=output, env=dict(os.environ, SWIFT_BACKTRACE="enable=no"))
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read(1 << 20).decode(errors="replace")
    code = process.returncode
    if code == -signal.SIGXCPU or usage.ru_utime + usage.ru_stime > SECONDS:
        return f"more than {SECONDS} s", code
    if code not in CODES:
        return f"ended with {code}: {text[:300]}", code
    if usage.ru_maxrss << 10 > MEMORY + 64 * len(data):
        return f"{usage.ru_maxrss >> 10} MiB", code
    if code and not text.strip():
        return f"ended with {code} without a message", code
    return None, code


def radamsa():
    """Damages bytes as radamsa does."""
    try:
        import pyradamsa
    except ImportError:
        sys.exit("stress readers: --radamsa needs the Python package pyradamsa 0.1.1")
    program = pyradamsa.Radamsa()

    def damage(generator, data, other):
        return program.fuzz(data, seed=generator.getrandbits(32), max_mut=len(data) + (1 << 20))

    return damage


def main(arguments):
    known = parser("readers", __doc__)
    known.add_argument("count", nargs="?", type=count, default=2000)
    known.add_argument("names", nargs="*")
    known.add_argument("--seed", type=int, default=1)
    known.add_argument("--radamsa", action="store_true")
    known.add_argument("--list", action="store_true")
    options = known.parse_args(arguments)
    other_damage = radamsa() if options.radamsa else None
    require_build()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        all_formats = formats(folder)
        if options.list:
            print("\n".join(all_formats))
            return
        for name in options.names:
            if name not in all_formats:
                known.error(f"there is no format `{name}`; --list names them")
        chosen = {name: all_formats[name] for name in options.names or all_formats}
        case_folder = os.path.join(folder, "case")
        for name, format in chosen.items():
            for seed in format.seeds:
                problem, code = judge(format, case_folder, seed)
                if problem or code != 0:
                    sys.exit(f"stress readers: {name} is not read undamaged: {code}, {problem}")
        if try_cases(chosen, options.count, options.seed, case_folder, other_damage):
            sys.exit(1)


def try_cases(chosen, cases, first_seed, folder, other_damage):
    """Damages so many files, over all formats in turn; returns the number of findings."""
    names, found = list(chosen), 0
    tried, read = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for case in range(cases):
        name = names[case % len(names)]
        format = chosen[name]
        generator = random.Random(f"{first_seed} {name} {case}")
        seed, other = generator.choice(format.seeds), generator.choice(chosen[generator.choice(names)].seeds)
        damage = other_damage or (format.damage if generator.random() < 0.6 else damaged)
        data = damage(generator, seed, other)
        problem, code = judge(format, folder, data)
        tried[name] += 1
        read[name] += code == 0
        if problem:
            found += 1
            os.makedirs(FINDINGS, exist_ok=True)
            path = os.path.join(FINDINGS, f"{name}-{first_seed}-{case}-{format.file}")
            with open(path, "wb") as file:
                file.write(data)
            print(f"{name}, case {case}: {problem}\n  {path}", flush=True)
        if (case + 1) % 5000 == 0:
            print(f"{case + 1} files, {found} findings", flush=True)
    for name in names:
        print(f"{name}: {tried[name]} files, {read[name]} of them read")
    print(f"{cases} damaged files, {found} findings")
    return found
