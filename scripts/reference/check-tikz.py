#!/usr/bin/env python3
"""Checks that pictures in TikZ compile unedited and look like the PDF of the same document.

    scripts/build inkstate
    apt-get install texlive-latex-extra texlive-pictures poppler-utils
    python3 -m venv scratch && scratch/bin/pip install pillow numpy
    scratch/bin/python scripts/reference/check-tikz.py

Takes the automata in Examples/Automata, and one with 20 states, which accepts the binary numbers
that 20 divides. Both pictures are cut to their ink and 1,000 pixels wide; the script prints which
share of the ink of each has ink of the other one within 8 pixels, so that fonts may differ. The exit
status is 1 if a picture does not compile or less than 97 % agrees.
"""

import glob
import os
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image, ImageFilter

INKSTATE = os.environ.get("INKSTATE", ".build/release/inkstate")
WIDTH, REACH, LEAST = 1000, 8, 0.97


def twenty_states():
    """Returns a DOT file of the automaton that reads binary numbers modulo 20."""
    lines = ["digraph {", "  rankdir=LR;", "  start [shape=point];", "  start -> q0;"]
    lines += ["  q0 [shape=doublecircle];"]
    for state in range(20):
        for digit in range(2):
            lines.append(f'  q{state} -> q{(2 * state + digit) % 20} [label="{digit}"];')
    return "\n".join(lines + ["}", ""])


def ink(pdf):
    """Returns where the ink of a PDF's first page is, cut to its bounds."""
    stem = pdf[:-4]
    subprocess.run(["pdftoppm", "-singlefile", "-gray", "-r", "200", pdf, stem], check=True)
    picture = Image.open(stem + ".pgm")
    picture = picture.crop(picture.point(lambda value: 255 * (value < 128)).getbbox())
    height = round(picture.height * WIDTH / picture.width)
    return np.array(picture.resize((WIDTH, height), Image.LANCZOS)) < 128


def agreement(one, other):
    """Returns the share of the ink of `one` that has ink of `other` within the reach."""
    grown = Image.fromarray((other * 255).astype(np.uint8)).filter(
        ImageFilter.MaxFilter(2 * REACH + 1)
    )
    return (one & (np.array(grown) > 0)).sum() / one.sum()


def check(document, folder):
    name = os.path.splitext(os.path.basename(document))[0]
    tex, pdf = (os.path.join(folder, name + ending) for ending in ("-tikz.tex", ".pdf"))
    for output in (tex, pdf):
        subprocess.run([INKSTATE, "automaton", "render", document, "--output", output], check=True)
    compiled = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", os.path.basename(tex)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
    )
    if compiled.returncode != 0:
        print(f"{name}: does not compile")
        return False
    drawing, tikz = ink(pdf), ink(tex[:-4] + ".pdf")
    height = max(drawing.shape[0], tikz.shape[0])
    drawing, tikz = (
        np.pad(picture, ((0, height - picture.shape[0]), (0, 0))) for picture in (drawing, tikz)
    )
    shares = agreement(drawing, tikz), agreement(tikz, drawing)
    print(f"{name}: {shares[0]:.1%} of the drawing, {shares[1]:.1%} of the picture in TikZ")
    return min(shares) >= LEAST


def main():
    with tempfile.TemporaryDirectory() as folder:
        dot = os.path.join(folder, "mod20.dot")
        with open(dot, "w") as file:
            file.write(twenty_states())
        document = os.path.join(folder, "mod20.automaton")
        subprocess.run([INKSTATE, "automaton", "convert", dot, "--output", document], check=True)
        documents = sorted(glob.glob("Examples/Automata/*.automaton")) + [document]
        results = [check(document, folder) for document in documents]
    sys.exit(0 if all(results) else 1)


main()
