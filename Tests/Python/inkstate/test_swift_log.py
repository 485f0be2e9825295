"""Of the output of `swift test`, what matters is shown, and little of it."""

from inkstate import swift_log

LOG = """◇ Test run started.
◇ Test case passing 1 argument text → "a" to numbers(text:) started.
✘ Test numbers(text:) recorded an issue with 1 argument text → "a" at NumberTests.swift:12:5: Expectation failed: (1 → 1) == 2
± inserted [1], removed [2]
↳ // One is not two.
✔ Test letters() passed after 0.1 seconds.
✘ Test words() recorded an issue at WordTests.swift:3:7: Caught error: Failure()
2026-11-25T18:22:44+0000 error inkstate studio: an error that a test causes
✘ Test words() failed after 0.2 seconds with 1 issue.
✘ Test run with 3 tests in 2 suites failed after 0.3 seconds with 2 issues.
""".splitlines()


def test_failures_have_their_place_and_what_was_found():
    numbers, words = swift_log.failures(LOG)
    assert numbers.splitlines() == [
        'NumberTests.swift:12:5: numbers(text:) with text → "a"', "  Expectation failed: (1 → 1) == 2",
        "  ± inserted [1], removed [2]", "  ↳ // One is not two."]
    assert words.splitlines() == ["WordTests.swift:3:7: words()", "  Caught error: Failure()"]


def test_the_summary_is_the_last_line_about_the_run():
    assert swift_log.summary(LOG) == "3 tests in 2 suites failed after 0.3 seconds with 2 issues"
    assert swift_log.summary(LOG[:-1]) is None


def test_arguments_of_several_lines_are_passed_over():
    lines = ["✘ Test read(text:) recorded an issue with 1 argument text → \"a", "b\" at A.swift:1:2: Expectation failed: c"]
    assert swift_log.failures(lines) == ['A.swift:1:2: read(text:) with text → "a\nb"\n  Expectation failed: c']


def test_long_arguments_are_cut():
    start = "✘ Test long(x:) recorded an issue with 1 argument x → "
    end = " at A.swift:1:2: Expectation failed: " + "z" * 10_000
    lines = [start + "y" * 4_000_000 + end] + [start + "y" + end, "w" * 10_000] * 200
    shown = swift_log.report("\n".join(lines))
    assert "A.swift:1:2: long(x:)" in shown and "and 101 more" in shown
    assert len(shown) < 100_000


def test_the_end_of_a_crash_is_shown():
    assert swift_log.report("\n".join(LOG[:3] + ["Fatal error: x"])).endswith("Fatal error: x")
    assert "◇" not in swift_log.report("\n".join(LOG))
