"""Tables of sensors are shown as curves."""

import math

import pytest

from browser.recordings import drop_file

CURVES = "[...document.querySelectorAll('#series-recordings path')]"


@pytest.fixture
def series(page, studio):
    page.open(studio.address + "#series")
    page.wait("!document.querySelector('#series').hidden", "the page")
    return page


def test_a_table_is_shown_as_curves(series):
    rows = [f"{step / 50},{math.sin(step / 9)},{step % 7},{'walk' if step < 300 else 'run'}" for step in range(600)]
    drop_file(series, "#series", "walk.csv", "time,gx,gy,label\n" + "\n".join(rows))
    series.wait(f"{CURVES}.length === 2", "two curves")
    said = series.text("#series-said")
    assert said.startswith("1 recording in walk.csv.") and "reads drawings" in said
    shown = series.text("#series-recordings")
    assert "gx" in shown and "walk" in shown and "12 s" in shown, "names, labels and seconds"
    hues = series.get(f"{CURVES}.map((path) => getComputedStyle(path).stroke)")
    assert len(set(hues)) == 2 and "none" not in hues, "a colour for each channel"


def test_a_file_that_is_no_table_is_told(series):
    drop_file(series, "#series", "picture.png", "x")
    series.wait("!document.querySelector('#series-problem').hidden", "the problem")
