#!/usr/bin/env python3
"""Measures automata-lib or AALpy with the automata of Rates.swift: a line of JSON in, a line of JSON out.

    automaton_peers.py automata-lib|aalpy

A request names a task (minimize, equivalent or words) and the number of states; the answer has the seconds
that it took, the median of three if it is quick, and 60 stand for all that take longer. They are missing if
the tool needs more memory than 12 GB, and the answer is null if it has no such function.
"""

import itertools
import json
import resource
import signal
import statistics
import sys
import time

LONGEST = 60
MEMORY = 12 * 2**30
# Answers that take less than this are asked for three times.
QUICK = 3


def tables(count):
    """The ends of the transitions of a random automaton and whether its states are final; first with each state
    twice, where a transition leads to one of the two."""
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
    """A function that answers once, and says whether the answer is right; the automata are made before."""
    doubled, single = tables(count)
    if tool == "automata-lib":
        one = automata_lib(*doubled)
        if task == "minimize":
            return lambda: len(one.minify(retain_names=True).states) <= count // 2
        if task == "words":
            return lambda: len(list(itertools.islice(one, 1000))) == 1000
        other = automata_lib(*single)
        return lambda: one == other
    if task == "words":
        return None
    one = aalpy(*doubled)
    if task == "minimize":

        def minimize():
            # In place.
            one.minimize()
            return len(one.states) <= count // 2
        return minimize
    from aalpy.utils import bisimilar
    other = aalpy(*single)
    return lambda: bisimilar(one, other)


def seconds(tool, task, count):
    """The seconds of one answer, or None."""
    answer = question(tool, task, count)
    if answer is None:
        return None

    def stop(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST)
    start = time.perf_counter()
    try:
        assert answer(), f"{tool}: a wrong answer to {task}"
    except TimeoutError:
        return LONGEST
    finally:
        signal.alarm(0)
    return time.perf_counter() - start


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for line in sys.stdin:
        request = json.loads(line)
        asked = sys.argv[1], request["task"], request["examples"]
        try:
            answer = seconds(*asked)
            if answer and answer < QUICK:
                answer = statistics.median([answer, seconds(*asked), seconds(*asked)])
        except MemoryError:
            print(json.dumps({}), flush=True)
            continue
        print(json.dumps(answer and {"seconds": answer}), flush=True)


if __name__ == "__main__":
    main()
