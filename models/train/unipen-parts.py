"""Divides UNIPEN for the training of the reader, and leaves out texts that are probably wrong.

    unipen-parts.py parts CHARACTERS FOLDER    train, aside and writers: contributors and writers set aside
    unipen-parts.py folds CHARACTERS FOLDER    the train parts as two folds by writer
    unipen-parts.py clean CHARACTERS FOLDER    the train parts without doubtful texts; needs fold0.json and
                                               fold1.json, each fold evaluated by the model of the other one

A text is doubtful if a model that never saw its writer reads another one with a probability above 0.95.
The same error on ten lines or more is a shape, such as a q like a 9, and stays.
"""

import collections
import hashlib
import json
import pathlib
import sys

FILES = {"char": "unipen.ndjson", "word": "unipen-words.ndjson"}
# Other devices and other people: whole contributors, of characters and of words.
ASIDE = {f"unipen-{name}" for name in ("gmd", "mot", "uqb", "lav", "ape", "kar", "att", "int")}

step, characters, folder = sys.argv[1], *map(pathlib.Path, sys.argv[2:])


def number(text):
    return int(hashlib.md5(text.encode()).hexdigest(), 16)


def part(recording):
    if recording["source"] in ASIDE:
        return "aside"
    return "writers" if number(recording["writer"]) % 100 < 7 else "train"


def lines(path):
    with open(path, encoding="utf-8") as file:
        yield from file


def write(path, kept):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(kept)


if step == "parts":
    for name, file in FILES.items():
        parts = collections.defaultdict(list)
        for line in lines(characters / file):
            parts[part(json.loads(line))].append(line)
        for key, kept in parts.items():
            write(folder / f"{name}-{key}.ndjson", kept)
elif step == "folds":
    folds = [], []
    for name in FILES:
        for line in lines(folder / f"{name}-train.ndjson"):
            folds[number("x" + json.loads(line)["writer"]) % 2].append(line)
    for index, kept in enumerate(folds):
        write(folder / f"fold{index}.ndjson", kept)
elif step == "clean":
    doubtful = []
    for index in range(2):
        fold = list(lines(folder / f"fold{index}.ndjson"))
        with open(folder / f"fold{index}.json", encoding="utf-8") as file:
            errors = json.load(file)["evaluation"]["errors"]
        doubtful += [
            (fold[error["index"]], error["text"], error["read"]) for error in errors
            if error["probability"] > 0.95]
    counts = collections.Counter((text, read) for _, text, read in doubtful)
    left = {line for line, text, read in doubtful if counts[text, read] < 10}
    print(f"left out: {len(left)} doubtful texts of {len(doubtful)} errors with a probability above 0.95")
    for name in FILES:
        write(folder / f"{name}-clean.ndjson",
              [line for line in lines(folder / f"{name}-train.ndjson") if line not in left])
else:
    sys.exit(f"unipen-parts: expected parts, folds or clean, found {step}")
