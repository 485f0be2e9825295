"""Makes operations on files fail in a program that is started with Tests/Faults/faults.c."""

import os
import subprocess

from inkstate.command import ROOT

FAULTS = ["space", "io", "denied", "device", "full", "before", "after"]
CRASHES = ["before", "after"]
# What errors say, by fault; a rename to another device is an error of the system like any other.
REASONS = {"space": "a full disk", "full": "a full disk", "io": "a disk error", "denied": "no permission"}
# The exit code of a crash, in faults.c.
CRASHED = 137


def build_library(folder):
    """Compiles what is loaded before a program; returns its path."""
    library = os.path.join(folder, "faults.so")
    subprocess.run(["clang", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                    os.path.join(ROOT, "Tests", "Faults", "faults.c"), "-o", library, "-ldl"], check=True)
    return library


class Faults:
    """The operations on files below a folder, which are written to a log."""

    def __init__(self, library, folder, log):
        self.library, self.folder, self.log = library, folder, log

    def environment(self, fault=None, number=0):
        """What a program is started with; with a fault, the operation with that number fails."""
        variables = {"LD_PRELOAD": self.library, "FAULTS_FOLDER": self.folder, "FAULTS_LOG": self.log}
        if fault:
            variables.update(FAULTS_KIND=fault, FAULTS_AT=str(number))
        return variables

    def forget(self):
        """Begins the log anew."""
        if os.path.exists(self.log):
            os.remove(self.log)

    def operations(self):
        """The kind, path and other path of each operation."""
        with open(self.log) as file:
            return [line.rstrip("\n").split("\t") for line in file]


def name(operations, number):
    """The kind and the path of an operation, if there was one with that number."""
    return " ".join(operations[number - 1][:2]) if len(operations) >= number else "?"


def unflushed_files(operations):
    """The files that were written and never flushed after that, where they are now; and flushed sizes."""
    unflushed, sizes = set(), {}

    def below(path):
        return {file for file in unflushed if file == path or file.startswith(path + "/")}

    def rename(old, new):
        nonlocal unflushed
        moved, replaced = below(old), below(new)
        unflushed = (unflushed - moved - replaced) | {new + file[len(old):] for file in moved}
        sizes[new] = sizes.pop(old, 0)
        return replaced

    for kind, path, other in operations:
        if kind in ("open", "write", "truncate"):
            unflushed.add(path)
        elif kind == "flush":
            unflushed.discard(path)
            sizes[path] = int(other)
        elif kind == "flush-all":
            unflushed.clear()
        elif kind == "rename":
            rename(path, other)
        elif kind == "exchange":
            replaced = rename(path, other)
            unflushed |= {path + file[len(other):] for file in replaced}
        elif kind == "remove":
            unflushed -= below(path)
    return unflushed, sizes


def lose_power(operations):
    """Cuts files to what a loss of power leaves: what was flushed."""
    unflushed, sizes = unflushed_files(operations)
    for path in unflushed:
        if os.path.isfile(path):
            os.truncate(path, min(sizes.get(path, 0), os.path.getsize(path)))
