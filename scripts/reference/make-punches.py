#!/usr/bin/env python3
"""Synthesises recordings of a wrist sensor: three punches, other movements and rest.

    scripts/reference/make-punches.py OUTPUT [--people 8] [--sessions 3] [--windows 119] [--seed 1]

OUTPUT gets `all` and its parts `first` and `last`: the first two thirds and the last third of every
session. Each has one folder per class with one CSV file for each window of 2 s: 15 rows at 7.5 Hz with
acceleration (g) and angular velocity (rad/s) in three axes each. The files are called
PERSON_SESSION-NUMBER.csv, for `--name '{person}_{session}-*'`. People differ in technique, strength and
speed, and wear the sensor at different angles; sessions differ in angle and strength, and strength fades
during a session.
"""

import argparse
import csv
import math
import pathlib
import random

ROWS, RATE = 15, 7.5
LABELS = ["jab", "hook", "uppercut", "none", "other"]
SHARES = [0.2, 0.15, 0.15, 0.25, 0.25]
CHANNELS = ["acc_x", "acc_y", "acc_z", "gyro_x", "gyro_y", "gyro_z"]
# The direction of each punch (x forward, y left, z up), and the turn of the wrist with it.
PUNCHES = {
    "jab": ((1.0, 0.0, 0.1), (0.9, 0.1, 0.1)),
    "hook": ((0.3, 0.9, 0.0), (0.2, 0.0, 1.0)),
    "uppercut": ((0.4, 0.0, 0.9), (0.1, -1.0, 0.0)),
}


def rotation(generator, most):
    """A rotation by an angle of at most `most` around any axis (Rodrigues, 1840)."""
    axis = [generator.gauss(0, 1) for _ in range(3)]
    length = math.sqrt(sum(value * value for value in axis))
    x, y, z = (value / length for value in axis)
    angle = generator.uniform(-most, most)
    c, s, t = math.cos(angle), math.sin(angle), 1 - math.cos(angle)
    return [
        [t * x * x + c, t * x * y - s * z, t * x * z + s * y],
        [t * x * y + s * z, t * y * y + c, t * y * z - s * x],
        [t * x * z - s * y, t * y * z + s * x, t * z * z + c],
    ]


def turned(matrix, vector):
    return [sum(row[i] * vector[i] for i in range(3)) for row in matrix]


def bell(time, width):
    return math.exp(-0.5 * (time / width) ** 2)


def push(time, width):
    """The acceleration of a movement whose speed is a bell."""
    return -time / width * bell(time, width) * math.exp(0.5)


class Person:
    def __init__(self, generator):
        self.worn = rotation(generator, 0.35)
        self.strength = math.exp(generator.gauss(0, 0.25))
        self.speed = math.exp(generator.gauss(0, 0.2))
        self.back = generator.uniform(0.5, 0.9)
        self.pause = generator.uniform(0.15, 0.3)
        self.technique = {label: rotation(generator, 0.6) for label in PUNCHES}
        self.wrist = {label: rotation(generator, 0.6) for label in PUNCHES}


def movement(label, person, strength, generator):
    """Functions of time: acceleration and angular velocity in the frame of the body."""
    parts = []

    def add(direction, turn, start, width, force, spin):
        parts.append((direction, turn, start, width, force, spin))

    if label in PUNCHES:
        direction, turn = PUNCHES[label]
        direction = turned(rotation(generator, 0.35), turned(person.technique[label], direction))
        turn = turned(rotation(generator, 0.35), turned(person.wrist[label], turn))
        start = generator.uniform(0.5, 1.3)
        width = 0.09 / person.speed * generator.uniform(0.85, 1.2)
        force = 4.5 * strength * generator.uniform(0.75, 1.25)
        spin = 7 * strength * generator.uniform(0.75, 1.25)
        add(direction, turn, start, width, force, spin)
        back = person.back * generator.uniform(0.8, 1.2)
        pause = person.pause + 2 * width
        add([-v for v in direction], [-v for v in turn], start + pause, width * 1.3,
            force * back, spin * back)
    elif label == "other":
        # Gestures, a guard that is raised, waving: mostly slower than punches, and not there and back.
        for _ in range(generator.choice([1, 2, 3])):
            direction = turned(rotation(generator, math.pi), (1, 0, 0))
            turn = turned(rotation(generator, math.pi), (0, 0, 1))
            add(direction, turn, generator.uniform(0.2, 1.8), generator.uniform(0.1, 0.35),
                generator.uniform(0.8, 4.0), generator.uniform(1, 7))
    bounce = generator.uniform(0, 0.15 if label == "none" else 0.25)
    phase, beat = generator.uniform(0, 2 * math.pi), generator.uniform(1.5, 2.5)

    def at(time):
        acceleration = [0.0, 0.0, 1 + bounce * math.sin(2 * math.pi * beat * time + phase)]
        velocity = [0.0, 0.0, 0.0]
        for direction, turn, start, width, force, spin in parts:
            pushed, spun = push(time - start, width), bell(time - start, width)
            for i in range(3):
                acceleration[i] += force * direction[i] * pushed
                velocity[i] += spin * turn[i] * spun
        return acceleration, velocity

    return at


def window(label, person, worn, strength, generator):
    at = movement(label, person, strength, generator)
    offset = generator.uniform(0, 1 / RATE)
    rows = []
    for row in range(ROWS):
        acceleration, velocity = at(offset + row / RATE)
        acceleration = turned(worn, turned(person.worn, acceleration))
        velocity = turned(worn, turned(person.worn, velocity))
        rows.append(
            [value + generator.gauss(0, 0.08) for value in acceleration]
            + [value + generator.gauss(0, 0.25) for value in velocity])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--sessions", type=int, default=3)
    parser.add_argument("--windows", type=int, default=119)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    for number in range(options.people):
        person = Person(generator)
        for session in range(options.sessions):
            worn = rotation(generator, 0.15)
            strong = person.strength * math.exp(generator.gauss(0, 0.1))
            for index in range(options.windows):
                label = generator.choices(LABELS, SHARES)[0]
                strength = strong * (1 - 0.25 * index / options.windows)
                rows = window(label, person, worn, strength, generator)
                part = "first" if 3 * index < 2 * options.windows else "last"
                for folder in ["all", part]:
                    path = options.output / folder / label
                    path.mkdir(parents=True, exist_ok=True)
                    with open(path / f"p{number + 1}_s{session + 1}-{index:03}.csv", "w") as file:
                        writer = csv.writer(file, lineterminator="\n")
                        writer.writerow(CHANNELS)
                        writer.writerows([f"{value:.4f}" for value in row] for row in rows)


if __name__ == "__main__":
    main()
