#!/usr/bin/env python3
"""Compares Inkstate's automata with automata-lib's: 1,000 random ones, identical answers.

    scripts/build inkstate
    python3 -m venv scratch && scratch/bin/pip install automata-lib
    scratch/bin/python scripts/reference/compare-automata.py [COUNT]

Of each automaton: which words up to five symbols are accepted, by itself, determinised, minimised and
as its complement; how many states the minimal one has; and whether it is equivalent to another.
"""

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

from automata.fa.dfa import DFA
from automata.fa.nfa import NFA

INKSTATE = os.path.abspath(".build/release/inkstate")
SYMBOLS = "ab"
WORDS = ["".join(word) for length in range(6) for word in itertools.product(SYMBOLS, repeat=length)]


def random_automaton(generator):
    count = generator.randint(1, 7)
    states = [str(index) for index in range(count)]
    ways = {state: {} for state in states}
    for _ in range(generator.randint(0, 3 * count)):
        symbol = generator.choice([*SYMBOLS, *SYMBOLS, ""])
        ways[generator.choice(states)].setdefault(symbol, set()).add(generator.choice(states))
    final = {state for state in states if generator.random() < 0.35}
    return NFA(states=set(states), input_symbols=set(SYMBOLS), transitions=ways,
               initial_state="0", final_states=final)


def as_jflap(automaton):
    lines = ["<structure><type>fa</type><automaton>"]
    for state in sorted(automaton.states, key=int):
        marks = "<initial/>" * (state == automaton.initial_state)
        marks += "<final/>" * (state in automaton.final_states)
        lines.append(f'<state id="{state}" name="{state}">{marks}</state>')
    for start, ways in automaton.transitions.items():
        for symbol, ends in ways.items():
            for end in ends:
                lines.append(f"<transition><from>{start}</from><to>{end}</to>"
                             f"<read>{symbol}</read></transition>")
    return "\n".join(lines + ["</automaton></structure>"])


def inkstate(*arguments):
    return subprocess.run([INKSTATE, "automaton", *arguments], capture_output=True, text=True)


def accepted(path):
    answers = json.loads(inkstate("run", path, "--format", "json", "--", *WORDS).stdout)
    return {answer["word"] for answer in answers if answer["isAccepted"]}


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    generator = random.Random(20261121)
    before = None
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            automaton = random_automaton(generator)
            path = f"{folder}/{number}.jff"
            with open(path, "w") as file:
                file.write(as_jflap(automaton))
            words = {word for word in WORDS if automaton.accepts_input(word)}
            assert accepted(path) == words, f"words of {number}"
            reference = DFA.from_nfa(automaton, minify=True)
            for command in ("determinize", "minimize", "complement"):
                made = f"{folder}/{command}.jff"
                extra = ["--alphabet", ",".join(SYMBOLS)] if command == "complement" else []
                result = inkstate(command, path, *extra, "--output", made, "--force")
                assert result.returncode == 0, result.stderr
                expected = set(WORDS) - words if command == "complement" else words
                assert accepted(made) == expected, f"{command} of {number}"
            with open(f"{folder}/minimize.jff") as file:
                states = file.read().count("<state ")
            # automata-lib counts the trap; the smallest automaton of nothing has one state anyway.
            trap = any(
                state not in reference.final_states
                and all(end == state for end in reference.transitions[state].values())
                for state in reference.states) and len(reference.states) > 1
            assert states == len(reference.states) - trap, f"minimal states of {number}"
            if before:
                same = inkstate("equivalent", before[0], path).returncode == 0
                assert same == (before[1] == reference), f"equivalence of {number}"
            before = (path, reference)
            if number % 100 == 99:
                print(f"{number + 1} automata agree", file=sys.stderr)
    print(f"{count} random automata: identical answers")


if __name__ == "__main__":
    main()
