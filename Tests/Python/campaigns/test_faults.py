"""What a loss of power leaves, and what the studio's campaign takes for whole."""

import pytest

from campaigns.faults import lose_power, name, unflushed_files
from campaigns.file_studio import REQUESTS, STATES, has_everything, is_between, matches


def test_a_loss_of_power_cuts_what_was_not_flushed(tmp_path):
    paths = {word: str(tmp_path / word) for word in ["flushed", "half", "lost", "moved"]}
    for path in paths.values():
        with open(path, "w") as file:
            file.write("123456")
    lose_power([["open", paths["flushed"], ""], ["write", paths["flushed"], ""], ["flush", paths["flushed"], "6"],
                ["write", paths["half"], ""], ["flush", paths["half"], "2"], ["write", paths["half"], ""],
                ["open", paths["lost"], ""],
                ["write", str(tmp_path / "new"), ""], ["rename", str(tmp_path / "new"), paths["moved"]]])
    left = {word: (tmp_path / word).read_text() for word in paths}
    assert left == {"flushed": "123456", "half": "12", "lost": "", "moved": ""}


def test_files_are_followed_to_where_they_are():
    operations = [["write", "/a/new/file", ""], ["rename", "/a/new", "/a/old"], ["write", "/a/gone", ""],
                  ["remove", "/a/gone", ""]]
    assert unflushed_files(operations)[0] == {"/a/old/file"}
    assert unflushed_files(operations + [["flush-all", "", ""]])[0] == set()
    # Two folders that change places.
    assert unflushed_files([["write", "/a/x/file", ""], ["exchange", "/a/x", "/a/y"]])[0] == {"/a/y/file"}


def test_an_operation_that_was_not_reached_has_no_name():
    assert name([["write", "/a", ""]], 1) == "write /a"
    assert name([["write", "/a", ""]], 2) == "?"


def test_a_state_matches_its_number_of_requests():
    assert len(STATES) == len(REQUESTS) + 1
    for number, state in enumerate(STATES):
        assert matches(state, number)
    assert not matches(STATES[3], 2)
    assert not matches(STATES[-1], len(STATES))


def test_what_moves_may_be_in_both_places_but_never_in_none():
    rename = next(number for number, (request, _) in enumerate(REQUESTS) if request == "rename A B")
    before = STATES[rename]
    assert is_between({**before, "documents": {"A": 2, "B": 2}}, rename)
    assert not is_between({**before, "documents": {}}, rename)
    delete = next(number for number, (request, _) in enumerate(REQUESTS) if request == "delete C")
    before = STATES[delete]
    assert is_between({**before, "deleted": ["C"]}, delete)
    assert not is_between({**before, "documents": {"B": 3}}, delete)
    unrecord = next(number for number, (request, _) in enumerate(REQUESTS) if request == "unrecord r1")
    before = STATES[unrecord]
    assert is_between({**before, "unrecorded": ["r1", "damaged"]}, unrecord)
    assert not is_between({**before, "recordings": ["r2"], "unrecorded": []}, unrecord)


@pytest.mark.parametrize("change", [
    {"documents": {"B": 2}}, {"recordings": []}, {"recordings": ["r3", "damaged"]}, {"deleted": []},
    {"unrecorded": ["r1"]}, {"model": None}, {"digits": 0}], ids=str)
def test_nothing_of_the_last_state_may_be_missing(change):
    assert has_everything(STATES[-1])
    assert has_everything({**STATES[-1], "documents": {"B": 4}, "recordings": ["r3", "r3"]})
    assert not has_everything({**STATES[-1], **change})
