#!/usr/bin/env python3
"""Reads strips with labels.tsv by Tesseract and by a model of Inkstate, and prints the characters right.

    scripts/reference/compare-tesseract.py FOLDER MODEL [COUNT]

Needs Tesseract 5 (Debian: tesseract-ocr) and inkstate on the PATH. Characters right are 1 − edits ÷ characters,
over all texts; folded counts o, O and 0, l, I, 1 and |, and letters whose capital differs only in size as equal.
The strips are read as they are, with --psm 7 (a single line) and English.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile


def edits(a, b):
    """Levenshtein's distance."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def folded(text):
    text = "".join(c.lower() if c.lower() in "ckopsuvwxyz" else c for c in text)
    return text.translate(str.maketrans("0I1|", "olll"))


def read_with_tesseract(paths):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/list.txt", "w") as file:
            file.write("\n".join(paths) + "\n")
        result = subprocess.run(
            ["tesseract", f"{folder}/list.txt", "-", "--psm", "7", "-l", "eng"],
            capture_output=True, text=True, env={**os.environ, "OMP_THREAD_LIMIT": "1"}, check=True)
    pages = result.stdout.split("\f")[: len(paths)]
    assert len(pages) == len(paths), (len(pages), len(paths))
    return [page.strip() for page in pages]


def read_with_inkstate(paths, model):
    texts = []
    for start in range(0, len(paths), 500):
        result = subprocess.run(
            ["inkstate", "read", "--model", model, "--format", "json", *paths[start : start + 500]],
            capture_output=True, text=True)
        texts += [json.loads(line)["text"] for line in result.stdout.splitlines()]
    assert len(texts) == len(paths), (len(texts), len(paths))
    return texts


def main():
    folder, model = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else None
    with open(f"{folder}/labels.tsv") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    rows = rows[:count]
    paths = [f"{folder}/{row[0]}" for row in rows]
    readers = {"tesseract": read_with_tesseract(paths), "inkstate": read_with_inkstate(paths, model)}
    for name, texts in readers.items():
        right, characters, wrong, wrong_folded = 0, 0, 0, 0
        families = collections.defaultdict(lambda: [0, 0])
        for row, text in zip(rows, texts):
            label = row[1]
            distance = edits(label, text)
            characters += len(label)
            wrong += distance
            wrong_folded += edits(folded(label), folded(text))
            right += label == text
            families[row[2]][0] += distance
            families[row[2]][1] += len(label)
        print(f"{name}: {100 - 100 * wrong / characters:.2f} % of {characters} characters right, folded "
              f"{100 - 100 * wrong_folded / characters:.2f} %; {100 * right / len(rows):.1f} % of {len(rows)} lines")
        for family, (bad, total) in sorted(families.items()):
            print(f"  {family}: {100 - 100 * bad / total:.2f} %")


if __name__ == "__main__":
    main()
