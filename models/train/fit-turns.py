"""Fits the weights by which the turn of a page is chosen, and prints their line of PageNumbers.swift.

    fit-turns.py MEASURES...

MEASURES is what `inkstate dataset cut turns` wrote of upright pages. Every fifth page is held out. Needs python3-numpy.
"""

import json
import math
import sys

import numpy as np

# Steps of Newton's method, and the weight of the squares of the weights.
STEPS, DECAY = 20, 1e-3
# The logarithm of how much rarer each other turn is than an upright page, when it is chosen: otherTurn in PageNumbers.
OTHER_TURN = 1.6


def measures(turns):
    """Returns what is weighed at each turn with writing, the upright one first, as DiagramRecognizer.quarterTurns does."""
    counts = [turn["writing"]["characterCount"] for turn in turns if "writing" in turn]
    trust = math.sqrt(sum(counts) / len(counts))
    return np.array([
        [trust * writing["legibility"], math.log(writing["characterCount"] / writing["markCount"]),
         turn["sureness"]]
        for turn in turns if (writing := turn.get("writing"))])


def shares(page, weights):
    odds = page @ weights
    each = np.exp(odds - odds.max())
    return each / each.sum()


def fit(pages):
    weights = np.zeros(3)
    for _ in range(STEPS):
        slope, curve = -DECAY * weights, DECAY * np.eye(3)
        for page in pages:
            share = shares(page, weights)
            mean = share @ page
            slope += (page[0] - mean) / len(pages)
            curve += ((page - mean).T * share) @ (page - mean) / len(pages)
        weights += np.linalg.solve(curve, slope)
    return weights


def report(name, pages, weights):
    loss = -np.mean([math.log(shares(page, weights)[0]) for page in pages])
    upright = sum(
        bool((page @ weights)[0] >= (page[1:] @ weights).max(initial=-math.inf) - OTHER_TURN) for page in pages)
    print(f"{name}: {len(pages)} pages, loss {loss:.4f}, {upright} stay upright", file=sys.stderr)


def main():
    if not sys.argv[1:]:
        sys.exit(__doc__)
    pages = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            turns = [json.loads(line)["turns"] for line in file]
        pages += [measures(page) for page in turns if page and "writing" in page[0]]
    held = pages[4::5]
    fitted = [page for number, page in enumerate(pages) if number % 5 != 4]
    if not held:
        sys.exit("fit-turns.py: expected five pages with writing or more")
    weights = fit(fitted)
    report("fitted", fitted, weights)
    report("held out", held, weights)
    values = ", ".join(f"{weight:.3g}" for weight in weights)
    print(f"  static let (turnLegibility, turnCharacters, turnSureness) = ({values})")


if __name__ == "__main__":
    main()
