"""What to read in the output of `swift test`: the failures, and how many tests there were."""

import re

# How much of a text and of all failures is shown: arguments of tests may have millions of characters.
LONGEST, MOST = 500, 100
# What begins another message of Swift Testing, or of a program.
MESSAGE = re.compile(r"[✔✘◇⚠]|\d{4}-\d\d-\d\dT|\[\d+/\d+\]")
NAME = re.compile(r"✘.*? Test (\w+\([^)]*\)|\".*?\") recorded an issue")
PLACE = re.compile(r" at (\S+\.swift:\d+:\d+): ")


def cut(text, length=LONGEST):
    return text if len(text) <= length else f"{text[:length]} …"


def issue(text):
    """The place, the test and what was found, of the lines of one message."""
    name, place = NAME.match(text), PLACE.search(text)
    if not place:
        return cut(text)
    arguments = text[name.end():place.start()].partition(" arg")[2].partition(" ")[2]
    heading = f"{place[1]}: {name[1]}" + (f" with {cut(arguments, 100)}" if arguments else "")
    return f"{heading}\n" + "\n".join(f"  {line}" for line in cut(text[place.end():]).splitlines())


def failures(lines):
    """The issues that were recorded."""
    found, is_open = [], False
    for line in lines:
        if NAME.match(line[:1000]):
            found.append([line])
            is_open = True
        elif is_open and not MESSAGE.match(line):
            found[-1].append(line)
        else:
            is_open = False
    return [issue("\n".join(one)) for one in found]


def summary(lines):
    """The last line about the whole run, or nothing where the tests did not come to their end."""
    found = [line.partition("Test run with")[2] for line in lines if re.match("[✔✘].{0,4} Test run with ", line)]
    return found[-1].strip(" .") if found else None


def report(text):
    """What to read where the tests failed: at most a few screens."""
    lines = text.splitlines()
    issues = failures(lines)
    shown = issues[:MOST] + ([f"and {len(issues) - MOST} more"] if len(issues) > MOST else [])
    if summary(lines) is None:
        # A crash, or tests that did not even start.
        shown += [cut(line) for line in lines[-40:]]
    return "\n".join(shown)
