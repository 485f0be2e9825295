"""Fits the small networks that judge the lines and heads of a page, and writes them as JSON.

    fit-arrows.py (PAGES MEASURES)... > Sources/InkDiagram/Resources/arrows.json

PAGES is a folder of `inkstate dataset compose pages`, MEASURES what `inkstate dataset cut arrows PAGES` wrote. A line
is an arrow if it joins the same states on the same way as one of the page, and a line or a head marks an initial state if
it is at an initial arrow; of all markers in an automaton, and none, one is right. Which of them are judged depends on the
networks themselves, so that this is repeated until they hardly change. Every fifth page is held out. Needs python3-numpy.
"""

import json
import math
import os
import sys

import numpy as np

# The networks whose mean is taken, the size of their hidden layer, rounds, rows of a step, learning rate and weight
# decay.
NETWORKS, HIDDEN, EPOCHS, BATCH, RATE, DECAY = 4, 16, 60, 512, 5e-3, 1e-2
# The states of a page, at most: larger pages have many times the lines, and few people draw them.
MOST_STATES = 16
# How near the ways of a line and of an arrow are, in usual radii and px.
NEAR, NEAR_PIXELS = 0.15, 3
# How near a marker of an initial state is to its arrow on average, in usual radii, and how many automata are in a step.
MARKER, AUTOMATA = 0.5, 64


def resampled(path, count=16):
    points = np.array(path, float)
    lengths = np.r_[0, np.cumsum(np.hypot(*np.diff(points, axis=0).T))]
    if lengths[-1] == 0:
        return np.repeat(points[:1], count, 0)
    places = np.linspace(0, lengths[-1], count)
    return np.c_[np.interp(places, lengths, points[:, 0]), np.interp(places, lengths, points[:, 1])]


def distance(line, arrow, radius):
    apart = np.hypot(line[:, None, 0] - arrow[None, :, 0], line[:, None, 1] - arrow[None, :, 1])
    # A line may be shorter than its arrow: ends are lost.
    return max(apart.min(1).mean(), apart.min(0).mean() - 0.25 * radius)


def true_states(states, truth):
    """The true state of each state that was seen, if there is one."""
    found = {}
    for number, (x, y, *_) in enumerate(states):
        near = [
            (math.hypot((x - place[0]) / place[2], (y - place[1]) / place[3]), state)
            for state, place in enumerate(truth["places"])
            if state not in found.values()
        ]
        if near and min(near)[0] < 0.5:
            found[number] = min(near)[1]
    return found


def end(state, found):
    return -1 if state is None else found.get(state, -2)


def rows(pages, measures, first):
    """The rows of the networks: values, answers, weights, and the number of the page; and the automata with the
    markers of their initial states, lines and heads, each with whether it is right."""
    with open(os.path.join(pages, "truth.json")) as file:
        truths = json.load(file)
    judged, paths, directed, automata = [], [], [], []
    with open(measures) as file:
        for number, text in enumerate(file, first):
            page = json.loads(text)
            truth = truths.get(page["picture"])
            if truth is None or not 0 < len(truth["states"]) <= MOST_STATES or not page["states"]:
                continue
            if "initialLines" not in page:
                sys.exit(
                    f"{measures}: expected `initialLines`, as dataset cut arrows writes them, found none")
            if "lines" not in truth:
                sys.exit(f"{pages}/truth.json: expected `lines`, as dataset compose pages writes them, found none")
            found = true_states(page["states"], truth)
            radius = float(np.median([(state[2] + state[3]) / 2 for state in page["states"]]))
            arrows = [
                (int(arrow.get("from", -1)), int(arrow["to"]), arrow["hasTwoHeads"],
                 resampled(arrow["path"]))
                for arrow in truth["lines"]
            ]
            taken = set()

            def nearest(line):
                ends = {end(line.get("from"), found), end(line.get("to"), found)}
                if -2 in ends:
                    return None
                way = resampled(line["path"])
                near = [
                    (index in taken, distance(way, arrow[3], radius), index)
                    for index, arrow in enumerate(arrows)
                    if {arrow[0], arrow[1]} == ends
                ]
                near = [one for one in near if one[1] < NEAR * radius + NEAR_PIXELS]
                return min(near)[2] if near else None

            # Shortest paths take no arrow from lines that are followed.
            for line in sorted(page["lines"], key=lambda line: line["isShortestPath"]):
                index = nearest(line)
                is_arrow = index is not None and index not in taken
                weight = 1 / math.sqrt(len(page["lines"]) + 5)
                (paths if line["isShortestPath"] else judged).append(
                    (line["values"], float(is_arrow), weight, number))
                if is_arrow and line["isChosen"]:
                    taken.add(index)
            taken = set()
            for line in page["heads"]:
                index = nearest(line)
                if index is None or line.get("from") == line.get("to"):
                    continue
                arrow = arrows[index]
                answer = 2 if arrow[2] else int(end(line.get("from"), found) != arrow[0])
                directed.append((line["values"], answer, 1.0, number))
            initial = [arrow for arrow in arrows if arrow[0] == -1]

            def is_right(marker):
                state = end(marker["to"], found)
                way = resampled(marker["path"], 4)
                return any(
                    arrow[1] == state
                    and np.hypot(*(way[:, None] - arrow[3][None]).transpose(2, 0, 1)).min(1).mean()
                    < MARKER * radius
                    for arrow in initial
                )

            groups = {automaton: ([], []) for automaton in page["automata"]}
            for kind, name in enumerate(["initialLines", "initialHeads"]):
                for marker in page[name]:
                    markers = groups[page["automata"][marker["to"]]]
                    markers[kind].append((marker["values"], is_right(marker)))
            for automaton, markers in groups.items():
                states = {
                    found.get(state) for state, first in enumerate(page["automata"]) if first == automaton
                }
                is_seen = any(right for of_kind in markers for _, right in of_kind)
                # A marker that nothing shows cannot be learnt.
                if any(markers) and (is_seen or not any(arrow[1] in states for arrow in initial)):
                    automata.append((markers, number))
    return judged, paths, directed, automata


def refuse_none(rows):
    if not rows:
        sys.exit("fit-arrows.py: the pages have too few lines or heads to fit")


def table(rows):
    refuse_none(rows)
    values, answers, weights, pages = zip(*rows)
    weights = np.array(weights)
    return np.array(values), np.array(answers), weights / weights.mean(), np.array(pages)


class Adam:
    def __init__(self, parameters, steps):
        self.parameters, self.steps, self.step = parameters, steps, 0
        self.means = [np.zeros_like(p) for p in parameters]
        self.squares = [np.zeros_like(p) for p in parameters]

    def move(self, gradients):
        self.step += 1
        rate = RATE * 0.5 * (1 + math.cos(math.pi * self.step / self.steps))
        for p, mean, square, gradient in zip(
            self.parameters, self.means, self.squares, gradients
        ):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            ahead = mean / (1 - 0.9**self.step)
            p -= rate * (ahead / (np.sqrt(square / (1 - 0.999**self.step)) + 1e-8) + DECAY * p)


def batches(count, held, seed, size=BATCH):
    rng = np.random.default_rng(seed)
    shown = np.flatnonzero(~held)
    for _ in range(EPOCHS):
        order = rng.permutation(shown)
        yield from (order[first : first + size] for first in range(0, len(order), size))


def new_network(rng, size, offset):
    """The weights and offsets of the hidden layer and of the answer."""
    return [
        rng.uniform(-1, 1, (HIDDEN, size)) / math.sqrt(size),
        rng.uniform(-1, 1, HIDDEN) / math.sqrt(size),
        rng.uniform(-1, 1, HIDDEN) / math.sqrt(HIDDEN), np.full(1, offset),
    ]


class Mean:
    """The mean of several networks, as one with a wider hidden layer: single ones differ by chance."""

    def __init__(self, inputs, mean, deviation):
        self.inputs, self.mean, self.deviation = inputs, mean, deviation
        self.hidden, self.output, self.odds = [], [np.zeros(1)], np.zeros(len(inputs))

    def add(self, w1, b1, w2, b2):
        self.odds += (np.maximum(0, self.inputs @ w1.T + b1) @ w2 + b2) / NETWORKS
        self.output[0] += b2 / NETWORKS
        self.output.append(w2 / NETWORKS)
        # For values that are not scaled.
        w1 = w1 / self.deviation
        self.hidden.append(np.c_[b1 - w1 @ self.mean, w1])

    def network(self):
        return np.concatenate(self.hidden), np.concatenate(self.output)[None]


def fit_odds(rows, name):
    """The mean of several networks from measures to odds."""
    values, answers, weights, pages = table(rows)
    mean, deviation = values.mean(0), values.std(0) + 1e-3
    inputs, held = (values - mean) / deviation, pages % 5 == 4
    steps = EPOCHS * math.ceil((~held).sum() / BATCH)
    fitted = Mean(inputs, mean, deviation)
    for seed in range(NETWORKS):
        w1, b1, w2, b2 = new_network(np.random.default_rng(seed), inputs.shape[1], 0.0)
        adam = Adam([w1, b1, w2, b2], steps)
        for batch in batches(len(rows), held, seed):
            x, y, weight = inputs[batch], answers[batch], weights[batch]
            seen = np.maximum(0, x @ w1.T + b1)
            error = (1 / (1 + np.exp(-(seen @ w2 + b2))) - y) * weight / len(batch)
            back = np.outer(error, w2) * (seen > 0)
            adam.move([back.T @ x, back.sum(0), error @ seen, error.sum(keepdims=True)])
        fitted.add(w1, b1, w2, b2)
    odds = fitted.odds
    report(name, np.logaddexp(0, odds) - answers * odds, (odds > 0) == answers, held)
    return fitted.network()


def turned(values):
    """The values of a line's heads from its other end, in the order of `PageArrowOdds.values(of:)`."""
    return np.c_[
        values[:, [1, 0, 3, 2, 5, 4, 7, 6]], -values[:, [9, 8]], -values[:, 10:]
    ]


def fit_markers(automata):
    """The networks for lines and for heads that may mark the initial state: of all markers of an automaton, and none,
    whose share is 1, a right one is likely."""
    held = np.array([number % 5 == 4 for _, number in automata])
    fitted, right, group = [], [], []
    for kind in range(2):
        markers = [
            (*marker, index) for index, (kinds, _) in enumerate(automata) for marker in kinds[kind]
        ]
        refuse_none(markers)
        values = np.array([marker[0] for marker in markers])
        mean, deviation = values.mean(0), values.std(0) + 1e-3
        fitted.append(Mean((values - mean) / deviation, mean, deviation))
        right.append(np.array([marker[1] for marker in markers]))
        group.append(np.array([marker[2] for marker in markers]))
    has_right = np.zeros(len(automata), bool)
    for kind in range(2):
        np.logical_or.at(has_right, group[kind], right[kind])

    def shares(odds, batch):
        """The share of each marker, and the sums of those of each automaton: of all, none included, and of the right
        ones, or none."""
        each = [np.exp(np.clip(some, -30, 30)) for some in odds]
        of_all, of_right = np.ones(len(automata)), np.where(has_right, 0.0, 1.0)
        for kind in range(2):
            np.add.at(of_all, group[kind][batch[kind]], each[kind])
            np.add.at(of_right, group[kind][batch[kind]], each[kind] * right[kind][batch[kind]])
        return each, of_all, of_right

    steps = EPOCHS * math.ceil((~held).sum() / AUTOMATA)
    # The markers of an automaton follow each other.
    bounds = [np.searchsorted(numbers, np.arange(len(automata) + 1)) for numbers in group]
    for seed in range(NETWORKS):
        rng = np.random.default_rng(seed)
        networks = [new_network(rng, kind.inputs.shape[1], -2.0) for kind in fitted]
        adam = Adam([p for network in networks for p in network], steps)
        for chosen in batches(len(automata), held, seed, AUTOMATA):
            batch = [
                np.concatenate([np.arange(limits[a], limits[a + 1]) for a in chosen])
                for limits in bounds
            ]
            shown = [kind.inputs[rows] for kind, rows in zip(fitted, batch)]
            seen = [np.maximum(0, x @ w1.T + b1) for x, (w1, b1, _, _) in zip(shown, networks)]
            odds = [x @ w2 + b2 for x, (_, _, w2, b2) in zip(seen, networks)]
            each, of_all, of_right = shares(odds, batch)
            gradients = []
            for kind, (_, _, w2, _) in enumerate(networks):
                numbers, is_right = group[kind][batch[kind]], right[kind][batch[kind]]
                error = each[kind] / of_all[numbers] - each[kind] * is_right / of_right[numbers]
                error /= len(chosen)
                back = np.outer(error, w2) * (seen[kind] > 0)
                gradients += [
                    back.T @ shown[kind], back.sum(0), error @ seen[kind],
                    error.sum(keepdims=True),
                ]
            adam.move(gradients)
        for kind, network in zip(fitted, networks):
            kind.add(*network)
    _, of_all, of_right = shares([kind.odds for kind in fitted], [slice(None)] * 2)
    report("initial states", np.log(of_all / of_right), 2 * of_right > of_all, held)
    return [kind.network() for kind in fitted]


def fit_directions(rows):
    values, answers, _, pages = table(rows)
    values = np.r_[values, turned(values)]
    answers = np.r_[answers, np.array([1, 0, 2])[answers]]
    held = np.r_[pages, pages] % 5 == 4
    mean, deviation = values.mean(0), values.std(0) + 1e-3
    here, there = (values - mean) / deviation, (turned(values) - mean) / deviation
    weights, offsets = np.zeros((2, here.shape[1])), np.zeros(2)

    def logits(batch):
        one, other = here[batch] @ weights.T + offsets, there[batch] @ weights.T + offsets
        return np.c_[one[:, 0], other[:, 0], one[:, 1] + other[:, 1]]

    adam = Adam([weights, offsets], EPOCHS * math.ceil((~held).sum() / BATCH))
    for batch in batches(len(values), held, 0):
        odds = logits(batch)
        odds = np.exp(odds - odds.max(1, keepdims=True))
        error = (odds / odds.sum(1, keepdims=True) - np.eye(3)[answers[batch]]) / len(batch)
        one, other, both = error.T
        adam.move([
            np.stack([one @ here[batch] + other @ there[batch],
                      both @ (here[batch] + there[batch])]),
            np.array([(one + other).sum(), 2 * both.sum()]),
        ])
    odds = logits(slice(None))
    losses = np.logaddexp.reduce(odds, 1) - odds[np.arange(len(odds)), answers]
    report("directions", losses, odds.argmax(1) == answers, held)
    weights = weights / deviation
    return np.c_[offsets - weights @ mean, weights]


def report(name, losses, right, held):
    print(
        f"{name}: {len(held)} rows, loss {losses[~held].mean():.4f}, held out "
        f"{losses[held].mean():.4f}, {100 * right[held].mean():.1f} % right", file=sys.stderr)


def written(matrix):
    """The rows of a matrix as JSON, with four digits a number."""
    return "[\n      " + ",\n      ".join(
        "[" + ", ".join(f"{number:.4g}" for number in row) + "]" for row in matrix) + "\n    ]"


def perceptron(hidden, output):
    """A network as JSON."""
    return f'{{\n    "hidden": {written(hidden)},\n    "output": {written(output)}\n  }}'


def main():
    arguments = sys.argv[1:]
    if not arguments or len(arguments) % 2:
        sys.exit(__doc__)
    judged, paths, directed, automata, pages = [], [], [], [], 0
    for folder, measures in zip(arguments[::2], arguments[1::2]):
        first = pages
        with open(measures) as file:
            pages += sum(1 for _ in file)
        more = rows(folder, measures, first)
        judged += more[0]
        paths += more[1]
        directed += more[2]
        automata += more[3]
    arrow, path = fit_odds(judged, "arrows"), fit_odds(paths, "shortest paths")
    line, head = fit_markers(automata)
    direction = fit_directions(directed)
    networks = {
        "arrow": perceptron(*arrow), "shortestPath": perceptron(*path), "initialLine": perceptron(*line),
        "initialHead": perceptron(*head), "direction": written(direction),
    }
    print("{\n" + ",\n".join(f'  "{name}": {network}' for name, network in networks.items()) + "\n}")


if __name__ == "__main__":
    main()
