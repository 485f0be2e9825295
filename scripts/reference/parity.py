"""What the checks of exchanged models share: bitmaps, and Inkstate's own answers to them."""

import gzip
import json
import os
import random
import subprocess

import numpy as np
from PIL import Image

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INKSTATE = os.path.abspath(os.environ.get("INKSTATE")
                           or os.path.join(ROOT, ".build", "release", "inkstate"))
SHARED = os.environ.get("INKSTATE_DATA") or os.path.join(ROOT, "..", "shared", "data")
MOST = 1e-5


def inkstate(*arguments):
    return subprocess.run([INKSTATE, *arguments], check=True, capture_output=True, text=True).stdout


def bitmaps(folder, count, shared=True):
    """Writes `count` PNGs of 28 × 28 bright pixels on black; returns their folder and them,
    [count, 28, 28]. Without `shared`, the project's own recordings are drawn."""
    images = []
    drawings = os.path.join(SHARED, "automata-images")
    if shared and os.path.isdir(drawings):
        for label in ["arrow", "circle", "cycle"]:
            names = sorted(os.listdir(os.path.join(drawings, label)))
            images += [np.array(Image.open(os.path.join(drawings, label, name)).convert("L"))
                       for name in names if name.endswith(".png")]
        random.Random(1).shuffle(images)
        images = images[:4 * count // 5]
        with gzip.open(os.path.join(SHARED, "mnist", "t10k-images-idx3-ubyte.gz")) as file:
            digits = np.frombuffer(file.read()[16:], np.uint8).reshape(-1, 28, 28)
        images += list(digits[:count - len(images)])
    else:
        if shared:
            print(f"{SHARED} is absent: bitmaps of the project's own recordings instead")
        rendered = os.path.join(folder, "rendered")
        inkstate("dataset", "render", os.path.join(ROOT, "datasets", "synthetic.ndjson"),
                 "--output", rendered)
        paths = sorted(os.path.join(parent, name) for parent, _, names in os.walk(rendered)
                       for name in names if name.endswith(".png"))
        random.Random(1).shuffle(paths)
        images = [np.array(Image.open(path).convert("L")) for path in paths[:count]]
    pictures = os.path.join(folder, "pictures")
    os.mkdir(pictures)
    for index, image in enumerate(images):
        Image.fromarray(image).save(os.path.join(pictures, f"{index:05}.png"))
    return pictures, np.stack(images)


def own_answers(model, pictures):
    """Inkstate's labels and probabilities, [count, classes]."""
    rows, labels = [], None
    text = inkstate("classify", "--model", model, "--polarity", "light", "--format", "json", pictures)
    for line in text.splitlines():
        answer = json.loads(line)
        ranked = dict(answer["ranked"])
        labels = labels or sorted(ranked)
        rows.append([ranked[label] for label in labels])
    return labels, np.array(rows)


def compare(name, labels, own, their_labels, theirs):
    """Says how far `theirs` are from `own`; returns whether they are near enough."""
    theirs = theirs[:, [their_labels.index(label) for label in labels]]
    difference = np.abs(theirs - own).max()
    same = (theirs.argmax(axis=1) == own.argmax(axis=1)).all()
    good = difference <= MOST and same
    print(f"{name}: {len(own)} bitmaps, largest difference {difference:.1e}, "
          f"{'the same labels' if same else 'OTHER LABELS'}{'' if good else ': NOT MET'}")
    return good
