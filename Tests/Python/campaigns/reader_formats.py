"""The formats that `scripts/stress readers` damages, each with whole files and a command that reads it."""

import json
import os

from inkstate.command import example, inkstate
from inkstate.mutator import damaged, damaged_png, damaged_zip, zipped

NETWORK = b'{"name": "small", "inputs": [{"name": "image", "form": "image", "channels": 1, "height": 12, ' \
    b'"width": 12}], "nodes": [{"kind": "convolution", "filters": 2, "kernel": 3, "padding": "same"}, ' \
    b'{"kind": "relu"}, {"kind": "maxPooling", "size": 2}, {"kind": "flatten"}, {"kind": "dense", "units": 4}]}'
# Tables and series with what the command does not write.
TABLE = b"recording,label,time_ms,x,y\na,b,0,1,2\na,b,10,,?\nc,d,0,\"1\",2\nc,d,20,1e3,-2\n"
ARCHIVE = b"@problemName a\n@timeStamps false\n@missing true\n@univariate false\n@dimensions 2\n" \
    b"@equalLength true\n@seriesLength 3\n@classLabel true a b\n@data\n1,2,3:4,?,6:a\n1,2,NaN:4,5,6:b\n"
SERIES = b'{"series":{"channels":["x","y"],"rate":50,"values":[[1,2],[null,4],[5,6]]},"word":"a"}\n'
TRANSITIONS = [b"state;a;b\n>q0;q1;{q0,q1}\n*q1;-;q0\n", b"state,a,b\n->q0,q1,q0\n*q1,q0,-\n"]
MOD3 = example("Automata", "mod3.automaton")


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


class Format:
    """Whole files of a format, the name of the damaged one, and the arguments that read it."""

    def __init__(self, seeds, file, arguments, beside=(), damage=damaged):
        self.seeds, self.file, self.arguments = seeds, file, arguments
        # Other files in its folder, and what knows the format better than what damages any bytes.
        self.beside, self.damage = dict(beside), damage


def write_files(folder):
    """Lets the command write a file of most formats."""
    def run(*arguments):
        inkstate(*arguments, cwd=folder)

    run("dataset", "synthesize", "--writers", "3", "--per-class", "1", "--output", "ink.ndjson")
    for form in ["idx", "npy", "folder"]:
        run("dataset", "render", "ink.ndjson", "--form", form, "--size", "12", "--output", form)
    run("dataset", "split", "ink.ndjson", "--by", "writer", "--output", "split")
    with open(os.path.join(folder, "small.json"), "wb") as file:
        file.write(NETWORK)
    run("train", "ink.ndjson", "--epochs", "1", "--architecture", "small.json", "--size", "12",
        "--output", "small.safetensors")
    for form, name in [("coreml", "small.mlmodel"), ("onnx", "small.onnx")]:
        run("export", "small.safetensors", "--to", form, "--output", name)
    for ending in ["jff", "dot", "txt", "json", "mmd", "tex"]:
        run("automaton", "convert", MOD3, "--output", f"mod3.{ending}")


def head(data, lines):
    return b"\n".join(data.split(b"\n")[:lines]) + b"\n"


def first(folder, part):
    """The first file of a folder whose name has a part."""
    return next(name for name in sorted(os.listdir(folder)) if part in name)


def beside(folder, name):
    """The other files of a folder."""
    return {other: read(folder, other) for other in sorted(os.listdir(folder))
            if other != name and os.path.isfile(os.path.join(folder, other))}


def formats(folder):
    """All formats, with files that the command writes in `folder`."""
    write_files(folder)

    def written(name):
        return read(folder, name)

    def shown(*path):
        return read(example(*path))

    def in_folder(name, part, arguments, file=None):
        """A format whose file is one of a folder that is read as a whole."""
        path = os.path.join(folder, name)
        file = first(path, part)
        return Format([read(path, file)], file, arguments, beside(path, file))

    picture = next(os.path.join(parent, name) for parent, _, names in os.walk(os.path.join(folder, "folder"))
                   for name in names if name.endswith(".png"))
    describe, check = ["dataset", "describe"], ["automaton", "check", "{file}"]
    model = ["--force", "--output", "out.safetensors"]
    return {
        "inkml": Format([shown("Ink", "arrow.inkml")], "a.inkml", ["classify", "{file}"]),
        "gesture": Format([shown("Ink", "circle.xml")], "a.xml", ["classify", "{file}"]),
        "ndjson": Format([head(written("ink.ndjson"), 3), shown("Ink", "strokes.ndjson")], "a.ndjson",
                         ["classify", "{file}"]),
        "png": Format([read(picture), shown("Ink", "ring.png")], "a.png", ["classify", "{file}"],
                      damage=damaged_png),
        "jpeg": Format([shown("Pictures", "paper.jpg")], "a.jpg",
                       ["trace", "{file}", "--force", "--output", "out.ndjson"]),
        "idx": in_folder("idx", "images", describe + ["."]),
        "idx-labels": in_folder("idx", "labels", describe + ["."]),
        "npy": in_folder("npy", ".npy", describe + ["."]),
        "npz": Format([weights(written("small.safetensors"))], "a.npz",
                      ["import", "{file}", "--architecture", os.path.join(folder, "small.json"),
                       "--labels", "a,b,c,d", *model], damage=damaged_zip),
        "csv": Format([TABLE, head(shown("Series", "steps.csv"), 40)], "a.csv", describe + ["{file}"]),
        "ts": Format([ARCHIVE], "a_TRAIN.ts", describe + ["{file}"]),
        "series": Format([SERIES * 3], "a.ndjson", describe + ["{file}"]),
        "safetensors": Format([written("small.safetensors")], "a.safetensors", ["inspect", "{file}"]),
        "coreml": Format([written("small.mlmodel")], "a.mlmodel", ["import", "{file}", *model]),
        "onnx": Format([written("small.onnx")], "a.onnx", ["import", "{file}", *model]),
        "automaton": Format([shown("Automata", name) for name in ("a.automaton", "mod3.automaton")], "a.automaton",
                            ["automaton", "render", "{file}", "--force", "--output", "out.svg"]),
        "jff": Format([shown("Automata", "mod3.jff"), written("mod3.jff")], "a.jff", check),
        "dot": Format([written("mod3.dot")], "a.dot", check),
        "table": Format([written("mod3.txt")], "a.txt", check),
        "csv table": Format(TRANSITIONS, "a.csv", check),
        "mermaid": Format([written("mod3.mmd")], "a.mmd", check),
        "tikz": Format([written("mod3.tex")], "a.tex", check),
        "att": Format([b"0 1 a\n1 0 b\n1\n"], "a.att", check),
        "exchange": Format([written("mod3.json")], "a.json", check),
        "words": Format([shown("Automata", "mod3-words.csv")], "a.csv",
                        ["automaton", "run", MOD3, "--words", "{file}"]),
        "split": in_folder("split", "split.json", describe + ["."]),
        "architecture": Format([NETWORK], "a.json",
                               ["train", "ink.ndjson", "--epochs", "1", "--architecture", "{file}", "--size", "12",
                                *model], {"ink.ndjson": head(written("ink.ndjson"), 6)}),
    }


def weights(model):
    """The weights of a safetensors file as an archive of NumPy, those of a layer before its biases."""
    length = int.from_bytes(model[:8], "little")
    members = {}
    tensors = json.loads(model[8:8 + length])
    del tensors["__metadata__"]
    for name, tensor in sorted(tensors.items(), key=lambda item: item[0].replace("weight", "a")):
        shape = ", ".join(map(str, tensor["shape"])) + ","
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}\n".encode()
        start, end = [8 + length + offset for offset in tensor["data_offsets"]]
        members[f"{name}.npy"] = (b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
                                  + model[start:end])
    return zipped(members)
