#!/usr/bin/env python3
"""Measures automata-lib or AALpy with the automata of Rates.swift: a line of JSON in, a line of JSON out.

    automaton_peers.py automata-lib|aalpy

A request names a task (minimize, equivalent or words) and the number of states; the answer has the seconds
that it took, or is null where the tool has no such function.
"""

import itertools
import json
import sys
import time


def table(count):
    """The ends of the arrows of a random automaton, whether states are final, and its copies: each state
    twice, where an arrow leads to one of the copies."""
    state = 1

    def next_below(bound):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % bound

    half = count // 2
    ends = [next_below(half) for _ in range(2 * half)]
    final = [next_below(2) == 0 for _ in range(half)]
    doubled = [2 * ends[index // 4 * 2 + index % 2] + next_below(2) for index in range(4 * half)]
    return (doubled, [final[index // 2] for index in range(2 * half)]), (ends, final)


def automata_lib(ends, final):
    from automata.fa.dfa import DFA
    states = range(len(final))
    return DFA(states=set(states), input_symbols={"a", "b"},
               transitions={state: {"a": ends[2 * state], "b": ends[2 * state + 1]} for state in states},
               initial_state=0, final_states={state for state in states if final[state]})


def aalpy(ends, final):
    from aalpy.automata import Dfa, DfaState
    states = [DfaState(str(state), final[state]) for state in range(len(final))]
    for index, state in enumerate(states):
        state.transitions = {"a": states[ends[2 * index]], "b": states[ends[2 * index + 1]]}
    return Dfa(states[0], states)


def question(tool, task, count):
    """A function that answers once, for automata that are made outside of it."""
    make = {"automata-lib": automata_lib, "aalpy": aalpy}[tool]
    doubled, single = (make(*one) for one in table(count))
    if tool == "automata-lib":
        return {"minimize": lambda: doubled.minify(), "equivalent": lambda: doubled == single,
                "words": lambda: list(itertools.islice(doubled, 1000))}[task]
    from aalpy.utils import bisimilar
    return {"minimize": lambda: doubled.minimize(), "equivalent": lambda: bisimilar(doubled, single)}.get(task)


def main():
    sys.setrecursionlimit(10_000)
    for line in sys.stdin:
        request = json.loads(line)
        answer = question(sys.argv[1], request["task"], request["examples"])
        start = time.perf_counter()
        print(json.dumps(answer and {"seconds": (answer(), time.perf_counter() - start)[1]}), flush=True)


if __name__ == "__main__":
    main()
