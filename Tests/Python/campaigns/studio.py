"""Treats the studio badly, or makes it work hard: fuzz, strangers, load, delete, kill and long.

    scripts/stress studio fuzz [COUNT]      malformed requests, 100,000 by default, and 6 damaged files
                                            for each 100 of them
    scripts/stress studio strangers [SECONDS]  560 clients without the token, or with the cookie alone, for a
                                            minute
    scripts/stress studio load [SECONDS]    50 clients draw, 120 strokes a second in all, for a minute
    scripts/stress studio delete [COUNT]    deletes 200 of 100,000 recordings, and prints how long that takes
    scripts/stress studio kill [COUNT]      kills so many studios, 20 by default, while 20 clients draw
    scripts/stress studio long [MINUTES]    hours of drawing, undoing, recording, training and recognising in
                                            one studio, as fast as it answers, in 30 minutes

`fuzz` fails where the studio dies, its memory grows, the documents of clients who behave change, a
forbidden request is not refused, a damaged file is answered otherwise than by success or a sentence, or
anything is answered with 500. `strangers` trickle, repeat refused requests, send bodies without end and read
no answers, from addresses of this machine, each again after 8 s; it fails where the owner gets no answer or
waits 2 s for one, where a stranger is let in, or where memory grows by more than 200 MiB. `load` prints how
long answers took, and fails where a request is refused or one of 100 strokes takes more than 20 ms, as on a
machine that is busy; documents that are begun anew, which are read first, are shown by themselves. `kill` fails where a change that was answered is missing after the next start of the
studio in the same folder, a document has other changes than those that were sent, anything is refused before
the kill, or nothing is answered. `long` prints a line twelve times, and fails where memory grows by more than
40 MiB in the second half, beside 2 MiB for each model that was trained meanwhile, where answers take three
times as long in the last quarter as in the second, where the file of recordings, of which at most 80 are not
deleted, has more than 1.5 MiB, or where a request is refused.
"""

import argparse

from campaigns.options import parser
from campaigns.studio_fuzz import fuzz
from campaigns.studio_kill import kill
from campaigns.studio_long import long
from campaigns.studio_strangers import strangers
from campaigns.studio_times import delete, load
from inkstate.command import require_build

# What each does, and how often or how long.
KINDS = {"fuzz": (fuzz, 100_000), "strangers": (strangers, 60), "load": (load, 60), "delete": (delete, 200),
         "kill": (kill, 20), "long": (long, 30)}


def number(text):
    """A number of at least 1, whole where it can be."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, found `{text}`") from None
    if not 1 <= value < 1e9:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 10^9, found `{text}`")
    return int(value) if value == int(value) else value


def main(arguments):
    known = parser("studio", __doc__)
    known.add_argument("kind", choices=list(KINDS))
    known.add_argument("number", nargs="?", type=number)
    options = known.parse_args(arguments)
    run, usual = KINDS[options.kind]
    wanted = options.number or usual
    if options.kind in ("fuzz", "delete", "kill"):
        wanted = int(wanted)
    require_build()
    run(wanted)
