"""Fits the weights by which the rows of writing are chosen, and writes them as Swift.

    fit-rows.py (PAGES MEASURES)... > Sources/InkDiagram/RowDivision+Weights.swift

PAGES is a folder of `inkstate dataset compose pages`, MEASURES what `inkstate dataset cut rows PAGES` wrote. Of the ways
to divide a text into rows, those are right that are read with the fewest wrong letters. Every fifth page is held out.
Needs python3-numpy.
"""

import json
import math
import os
import sys

import numpy as np

# Steps, learning rate and weight decay, of the scaled measures.
STEPS, RATE, DECAY = 3000, 0.02, 1e-3
# The share of a text and of what is seen of it that both have, at least, and that of wrong letters, at most: how others
# are divided hardly matters.
OVERLAP, WRONG = 0.4, 0.5
# Letters that look alike, and those whose capital differs only in size.
ALIKE = dict(zip("oOlI" + "CKPSUVWXZ", "0011" + "ckpsuvwxz"))


def folded(text):
    """A text without spaces, and with one letter for those that look alike."""
    return "".join(ALIKE.get(letter, letter) for letter in text if not letter.isspace())


def distance(text, other):
    """The letters to replace, insert and delete between two texts (Levenshtein)."""
    row = list(range(len(other) + 1))
    for count, letter in enumerate(text, 1):
        last, row = row, [count]
        for place, another in enumerate(other, 1):
            row.append(min(row[-1] + 1, last[place] + 1, last[place - 1] + (letter != another)))
    return row[-1]


def box(text):
    points = np.array([point for stroke in text["strokes"] for point in stroke], float)
    return points.min(0), points.max(0)


def overlap(low, high, low2, high2):
    """The common area of two rectangles, as a share of that of both."""
    common = np.prod(np.maximum(0, np.minimum(high, high2) - np.maximum(low, low2) + 1))
    return common / (np.prod(high - low + 1) + np.prod(high2 - low2 + 1) - common)


def blocks(pages, measures, first):
    """The texts of pages: the measures of each way to divide one, which ways are right, and the page."""
    with open(os.path.join(pages, "truth.json")) as file:
        truths = json.load(file)
    if not any("writing" in truth for truth in truths.values()):
        sys.exit(f"{pages}/truth.json: expected `writing`, as dataset compose pages writes it, found none")
    found = []
    with open(measures) as file:
        for number, line in enumerate(file, first):
            page = json.loads(line)
            writing = truths.get(page["picture"], {}).get("writing", [])
            texts = [(*box(text), text["text"]) for text in writing]
            for block in page["blocks"]:
                low, high = np.sort([block["low"], block["high"]], 0)
                near = [(overlap(low, high, *text[:2]), text[2]) for text in texts]
                if not near or max(near)[0] < OVERLAP:
                    continue
                text = folded(max(near)[1])
                wrong = np.array(
                    [distance(folded(way["text"]), text) for way in block["divisions"]])
                # Nothing can be learnt from what is the same in all ways.
                if wrong.min() < wrong.max() and wrong.min() <= WRONG * len(text):
                    values = np.array([way["values"] for way in block["divisions"]])
                    found.append((values, wrong == wrong.min(), number))
    return found


def shares(odds, group, count):
    """Probabilities that sum to one in each group."""
    most = np.full(count, -np.inf)
    np.maximum.at(most, group, odds)
    each = np.exp(odds - most[group])
    return each / np.bincount(group, each, count)[group]


def fit(found):
    values = np.concatenate([block[0] for block in found])
    deviation = values.std(0) + 1e-6
    inputs, right = values / deviation, np.concatenate([block[1] for block in found])
    group = np.repeat(np.arange(len(found)), [len(block[0]) for block in found])
    held_blocks = np.array([block[2] % 5 == 4 for block in found])
    held = held_blocks[group]
    # The numbers of the groups that are fitted.
    number = np.cumsum(~held_blocks) - 1
    x, y, own, count = inputs[~held], right[~held], number[group[~held]], (~held_blocks).sum()
    weights, mean, square = np.zeros((3, inputs.shape[1]))
    for step in range(1, STEPS + 1):
        share = shares(x @ weights, own, count)
        of_right = np.bincount(own, share * y, count)
        gradient = (share - share * y / of_right[own]) @ x / count + DECAY * weights
        # Adam.
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient**2 - square)
        rate = RATE * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        weights -= rate * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    share = shares(inputs @ weights, group, len(found))
    of_right = np.bincount(group, share * right, len(found))
    losses = -np.log(of_right)
    best = np.array([
        block_right[np.argmax(share[group == index])]
        for index, (_, block_right, _) in enumerate(found)
    ])
    print(
        f"{len(found)} texts, loss {losses[~held_blocks].mean():.4f}, held out "
        f"{losses[held_blocks].mean():.4f}, {100 * best[held_blocks].mean():.1f} % right",
        file=sys.stderr)
    return weights / deviation


def main():
    arguments = sys.argv[1:]
    if not arguments or len(arguments) % 2:
        sys.exit(__doc__)
    found, pages = [], 0
    for folder, measures in zip(arguments[::2], arguments[1::2]):
        found += blocks(folder, measures, pages)
        with open(measures) as file:
            pages += sum(1 for _ in file)
    if len({block[2] % 5 == 4 for block in found}) < 2:
        sys.exit("fit-rows.py: the pages have too little writing to fit")
    weights = ", ".join(f"{weight:.3g}" for weight in fit(found))
    print(
        f"""extension RowDivision {{
  /// The weights of its measures (``LabelReader/divisions(of:in:as:)``), fitted by models/train/fit-rows.py to
  /// four fifths of {len(found):,} texts of {pages:,} composed pages.
  static let weights = [{weights}]
}}""")


if __name__ == "__main__":
    main()
