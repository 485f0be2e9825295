"""A photograph on the page Recognise is shown with what the network for whole pages sees in it."""

import base64
import os

import pytest

from browser.accessibility import check
from inkstate.command import example

# The number of cells with each colour on the canvas over the photograph.
COLORS = """
  const canvas = document.querySelector('#seen-classes');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const counts = {};
  for (let at = 0; at < data.length; at += 4) {
    const color = data[at + 3] ? `rgb(${data[at]}, ${data[at + 1]}, ${data[at + 2]})` : "clear";
    counts[color] = (counts[color] ?? 0) + 1;
  }
  return counts;"""
IS_SEEN = "!document.querySelector('#seen-answer').hidden"


@pytest.fixture
def recognize(page, studio):
    page.open(studio.address + "#recognize")
    page.wait("document.querySelectorAll('#recognize-labels button').length >= 4", "the labels")
    return page


def drop(page, name, data):
    """Drops a file of bytes on the page."""
    page.run("""
      const bytes = Uint8Array.from(atob(arguments[1]), (one) => one.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], arguments[0]));
      document.querySelector("#recognize").dispatchEvent(
        new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));""",
             name, base64.b64encode(data).decode())


def is_displayed(page, selector):
    return page.get(f"document.querySelector('{selector}').checkVisibility()")


def test_what_was_seen_lies_over_the_photograph(recognize):
    page = recognize
    assert page.get("document.querySelector('#seen-open').accept") == ".png,.jpg,.jpeg"
    page.type_into("#seen-open", os.path.abspath(example("Pictures", "paper.jpg")))
    page.wait(IS_SEEN, "an answer")
    assert not is_displayed(page, "#recognize-ink") and is_displayed(page, "#seen-photograph")
    names = page.get("[...document.querySelectorAll('#seen-legend li')].map((item) => item.childNodes[1].textContent)")
    assert names == ["ring", "line", "head", "writing"]
    counts = page.run(COLORS)
    shown = page.get("[...document.querySelectorAll('#seen-legend .color')].map("
                     "(patch) => getComputedStyle(patch).backgroundColor)")
    assert set(counts) == {"clear", *shown}, "the colours of the legend"
    shares = page.get("[...document.querySelectorAll('#seen-legend li')].map((item) => item.lastChild.textContent)")
    total = sum(counts.values())
    assert shares == [f"{100 * counts[color] / total:.1f} %" for color in shown]
    # The colours lie exactly over the photograph, which is twice as wide in pixels as in cells.
    sizes = page.run("""
      const [photograph, canvas] = ["photograph", "classes"].map((id) => document.querySelector(`#seen-${id}`));
      return [photograph.naturalWidth, photograph.naturalHeight, canvas.width * 2, canvas.height * 2,
        JSON.stringify(photograph.getBoundingClientRect()) === JSON.stringify(canvas.getBoundingClientRect())];""")
    assert sizes == [900, 600, 900, 600, True]
    check(page, "a photograph")
    page.click("#seen-shown")
    assert not is_displayed(page, "#seen-classes") and is_displayed(page, "#seen-photograph")
    page.click("#seen-shown")
    assert is_displayed(page, "#seen-classes")
    page.click("#seen-close")
    assert is_displayed(page, "#recognize-ink") and not is_displayed(page, "#seen-legend")
    assert page.get("document.activeElement.id") == "recognize-ink"


def test_a_file_that_is_no_photograph_is_told(recognize):
    page = recognize
    drop(page, "picture.png", b"x")
    page.wait("!document.querySelector('#seen-problem').hidden", "the problem")
    assert page.text("#seen-problem").startswith("The photograph: expected a PNG or a JPEG, found something else.")
    assert is_displayed(page, "#recognize-ink") and not is_displayed(page, "#seen-photograph")
    with open(example("Pictures", "paper.jpg"), "rb") as file:
        drop(page, "paper.jpg", file.read())
    page.wait(IS_SEEN, "the next photograph")
    assert not is_displayed(page, "#seen-problem")
