"""The options of a campaign."""

import argparse


def parser(name, text):
    """Takes the options of `scripts/stress NAME`, and ends with 2 for others; `text` is its help."""
    return argparse.ArgumentParser(f"scripts/stress {name}", description=text,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)


def count(text):
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, found `{text}`")
    return int(text)
