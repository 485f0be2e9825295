"""At every size, everything is inside the window and covers nothing else; everybody can use it."""

import pytest
from selenium.webdriver.common.keys import Keys

from browser.accessibility import check, needs_axe

SIZES = [(360, 640), (740, 360), (820, 1180), (1024, 768), (1280, 900), (1920, 1080), (640, 450)]
# What is outside of the window, or over something else, on the page Edit.
PROBLEMS = """
  const parts = ["#pages-button", "#edit-bar", "#edit-tools", "#edit-selection", "#run-panel"]
    .map((name) => [name, document.querySelector(name)]).filter(([, e]) => e.offsetParent)
    .map(([name, e]) => [name, e.getBoundingClientRect()]);
  for (const g of document.querySelectorAll("#edit-drawing g.selected")) {
    parts.push(["selection", g.querySelector(".line").getBoundingClientRect()]);
  }
  const problems = parts.filter(([, b]) =>
    b.left < 0 || b.top < 0 || b.right > innerWidth || b.bottom > innerHeight).map(([name]) => name);
  for (const [index, [name, a]] of parts.entries()) {
    for (const [other, b] of parts.slice(index + 1)) {
      if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) {
        problems.push(`${name} over ${other}`);
      }
    }
  }
  if (document.documentElement.scrollHeight > innerHeight) { problems.push("scrolling"); }
  return problems;"""


@pytest.fixture
def editor(shared_editor):
    shared_editor.run("location.hash = '#edit'")
    shared_editor.wait("!document.querySelector('#edit').hidden", "the page")
    return shared_editor


@pytest.fixture
def full_editor(editor):
    """A page with an automaton."""
    editor.open_document(editor.request("POST", "/api/examples/Repetitions%20of%2010"))
    return editor


def go_to(page, name):
    page.run("location.hash = arguments[0]", name)
    page.wait(f"!document.querySelector('#{name}').hidden", f"the page {name}")
    page.quiet()


@pytest.mark.parametrize("width, height", SIZES)
def test_nothing_is_covered(full_editor, width, height):
    page = full_editor
    page.resize(width, height)
    page.run("document.querySelector('#run-panel').hidden || document.querySelector('#run-close').click()")
    page.click("#zoom-fit")
    assert page.run(PROBLEMS) == []
    page.run("document.querySelector('#edit-drawing').focus()")
    page.press("n")
    assert page.get("document.querySelectorAll('g.selected').length") == 1
    assert page.run(PROBLEMS) == [], "with a selection"
    page.press(Keys.ESCAPE)
    page.click("#run-open")
    assert page.run(PROBLEMS) == [], "with the panel"


@pytest.mark.parametrize("width, height", SIZES)
def test_there_is_place_to_draw_without_scrolling(editor, width, height):
    editor.resize(width, height)
    for name in ["record", "recognize", "practice"]:
        go_to(editor, name)
        top, bottom, ink, wide = editor.run("""
          const ink = document.querySelector(`#${arguments[0]}-ink`).getBoundingClientRect();
          return [ink.top, ink.bottom, ink.height, document.documentElement.scrollWidth - innerWidth];""", name)
        assert top >= 0 and bottom <= height and ink > 100 and wide <= 0, name


@needs_axe
@pytest.mark.parametrize("scheme, width, height", [("light", 1280, 900), ("dark", 360, 640)])
def test_axe_finds_nothing(full_editor, scheme, width, height):
    """On a desk, and in the dark on a phone."""
    page = full_editor
    page.resize(width, height)
    page.prefer(color_scheme=scheme)
    page.open_runs()
    check(page, "a panel")
    for menu in ["document", "convert", "issues"]:
        page.click(f"[popovertarget={menu}-menu]")
        check(page, f"the menu {menu}")
        page.press(Keys.ESCAPE)
    page.click("#help-open")
    check(page, "the help")
    page.press(Keys.ESCAPE)
    page.run("document.querySelector('#edit-drawing').focus()")
    page.press("n")
    check(page, "a selection")
    page.press(Keys.F2)
    check(page, "a name that is edited")
    page.press(Keys.ESCAPE)
    for name in ["record", "recognize", "train", "series", "practice"]:
        go_to(page, name)
        check(page, name)


def test_buttons_are_a_verb_and_an_object(editor):
    short = editor.run("""
      return [...document.querySelectorAll("button")].map(
        (b) => b.getAttribute("aria-label") ?? b.textContent.trim()).filter(
        (name) => name && !/\\S\\s+\\S/.test(name));""")
    assert set(short) <= {"Undo", "Redo"}


def test_an_empty_drawing_says_what_to_do_and_has_no_mistakes_yet(editor):
    findings = "document.querySelector('#edit-findings').innerText"
    editor.wait(f"{findings} === 'No states yet. Draw a circle to add one.'", "what to do first")
    editor.choose("#edit-add")
    editor.wait(f"{findings}.startsWith('No initial state.')", "the mistakes of a drawing")
