"""The page Edit: what is drawn and typed there, and the document as the studio has it."""

import json
import math
import time

from selenium.webdriver.common.keys import Keys

from browser.page import Page
from inkstate.waiting import wait_for

DRAWING = "#edit-drawing"
NAME = "document.querySelector('#edit-name').value"
NAMES = "[...document.querySelectorAll('#edit-drawing text')].map((t) => t.textContent)"
# Two taps on one element in less time, in seconds, open its name.
TAP_PAUSE = 0.6
# The radius at which most states are drawn.
RADIUS = 52


def elements(picture):
    """What a document says."""
    return {key: picture[key] for key in ["states", "transitions"]}


def is_selected(element):
    """The expression for whether an element of the drawing is selected."""
    return f"document.querySelector('#edit-drawing g[data-id=\"{element}\"]')?.classList.contains('selected')"


class Editor(Page):
    """A page that shows a document of a studio."""

    def __init__(self, driver, studio):
        super().__init__(driver)
        self.last_tap = (0, (-1e9, 0))
        # Whether the page can be used by the next test.
        self.is_broken = False
        self.show(studio)

    def begin_anew(self):
        """Has an empty document, as a new page has, on a page that was used."""
        if self.is_broken:
            self.show(self.studio)
            self.is_broken = False
        self.press(Keys.ESCAPE)
        self.new_document()
        self.run("document.querySelector('#run-word').value = ''")

    def show(self, studio, address=None):
        """Opens the page, with the secret unless there is another address, and waits for a document."""
        self.studio = studio
        self.open(address or studio.address + "#edit")
        self.wait(NAME, "a document")

    # Documents

    def request(self, method, path, body=""):
        """Sends a request as the page does, and returns the answer."""
        status, text = self.run("""
          const request = new XMLHttpRequest();
          request.open(arguments[0], arguments[1], false);
          request.setRequestHeader('Inkstate-Secret', localStorage.getItem('secret'));
          request.send(arguments[2]);
          return [request.status, request.responseText];""", method, path, body)
        assert status < 300, f"an answer to {method} {path}, found {status} {text}"
        return json.loads(text)

    @property
    def name(self):
        return self.get(NAME)

    def picture(self):
        """The document that is shown, as the studio has it."""
        return json.loads(self.run(f"""
          const request = new XMLHttpRequest();
          request.open('GET', '/api/documents/' + encodeURIComponent({NAME}), false);
          request.setRequestHeader('Inkstate-Secret', localStorage.getItem('secret'));
          request.send();
          return request.responseText;"""))

    def settled(self, condition, what):
        """Waits until the document is as expected, and returns it."""
        last = []

        def look():
            last[:] = [self.picture()]
            return condition(last[0])

        wait_for(look, lambda: f"{what}, found {json.dumps(elements(last[0]))[:1500]}")
        return last[0]

    def new_document(self):
        """Makes an empty document."""
        before = self.name
        self.choose("#edit-new")
        self.wait(f"{NAME} !== {json.dumps(before)} && !document.querySelector('#edit-drawing g[data-id]')",
                  "an empty document")

    def open_document(self, name):
        """Opens a document that the menu does not have yet."""
        self.run("document.querySelector('#edit-name').append(new Option(arguments[0]))", name)
        self.change("#edit-name", name)
        self.wait_text("#document-name", name)

    def open_example(self, title):
        """Opens an example from the menu, and returns its name."""
        before = self.name
        self.click("#document-button")
        self.change("#edit-example", title)
        self.wait(f"{NAME} !== {json.dumps(before)} && {NAME} === document.querySelector('#document-name').textContent"
                  " && document.querySelector('#edit-drawing g[data-id]')", "the example")
        return self.name

    def open_file(self, path):
        """Opens a file as an automaton."""
        self.type_into("#edit-open", str(path))

    # Ink

    def stroke(self, points, pointer="pen"):
        """Draws on the paper."""
        self.draw(DRAWING, points, pointer)

    def draw_element(self, points):
        """Draws on the paper, and waits for what the server made of it; returns the time, in ms."""
        self.run("""
          window.drawn = null;
          addEventListener('pointerup', (event) => {
            const start = performance.now();
            const observer = new MutationObserver(() => {
              observer.disconnect();
              window.drawn = performance.now() - start;
            });
            observer.observe(document.querySelector('#edit-drawing'), { childList: true, subtree: true });
          }, { once: true, capture: true });""")
        self.stroke(points)
        self.wait("window.drawn !== null", "an answer to a stroke")
        return self.get("window.drawn")

    def draw_elements(self, *strokes):
        for points in strokes:
            self.draw_element(points)

    def erase_by(self, *places):
        """Draws with the eraser."""
        self.click("[data-tool=erase]")
        self.stroke(list(places))

    def on_screen(self, place):
        """Where a place of the document is, in pixels from the paper's corner."""
        return self.run(
            "const box = document.querySelector('#edit-drawing').viewBox.baseVal;"
            "const size = document.querySelector('#edit-drawing').getBoundingClientRect();"
            "return [(arguments[0][0] - box.x) * size.width / box.width,"
            " (arguments[0][1] - box.y) * size.height / box.height]", list(place))

    def center(self, state):
        """Where a state is on the paper."""
        return self.on_screen((state["center"]["x"], state["center"]["y"]))

    def view(self):
        """The part of the document that is seen: left, top, width and height."""
        return [float(x) for x in self.get(
            "document.querySelector('#edit-drawing').getAttribute('viewBox')").split()]

    # Elements

    def tap(self, x, y):
        """Taps with the pen, once, and returns the title of what is selected."""
        moment, place = self.last_tap
        if math.dist(place, (x, y)) < 2 * RADIUS:
            time.sleep(max(0, moment + TAP_PAUSE - time.monotonic()))
        self.stroke([(x, y), (x + 1, y)])
        self.last_tap = (time.monotonic(), (x, y))
        return self.text("#selection-title")

    def tap_state_twice(self, x, y):
        """Taps twice, fast, some time after the last tap."""
        time.sleep(max(0, self.last_tap[0] + TAP_PAUSE - time.monotonic()))
        self.tap_twice(DRAWING, x, y)
        self.last_tap = (time.monotonic(), (x, y))

    def label(self, text):
        """Replaces the name or symbols of the selected element."""
        self.press(Keys.F2)
        self.wait("document.activeElement.id === 'label-input'", "the field on the drawing")
        self.type("#label-input", text + Keys.ENTER)

    def name_state(self, x, y, name):
        """Types the name of the state at a place."""
        self.tap(x, y)
        self.label(name)
        self.wait(f"{NAMES}.includes({json.dumps(name)})", f"a state called {name}")

    def select_by_keys(self, element):
        """Presses Page Down until an element is selected, once the page has it."""
        shown = is_selected(element)
        self.wait(f"{shown} !== undefined", f"{element} in the page")
        for _ in range(len(self.get("[...document.querySelectorAll('#edit-drawing g[data-id]')]")) + 1):
            if self.get(shown):
                return
            self.press(Keys.PAGE_DOWN)
            self.quiet()
        raise AssertionError(f"expected {element} to be selected by Page Down")

    def add_loop(self, state):
        """Gives the selected state a self-loop with its fields, selects it, and returns its id."""
        before = {t["id"] for t in self.picture()["transitions"]}
        self.run("document.querySelector('#field-target').value = arguments[0]", state)
        self.choose("#field-connect")
        picture = self.settled(lambda p: len(p["transitions"]) == len(before) + 1, "a self-loop")
        [drawn] = [t for t in picture["transitions"] if t["id"] not in before]
        assert drawn["isLoop"]
        self.select_by_keys(drawn["id"])
        return drawn["id"]

    def set_alphabet(self, text):
        """Types the symbols of the alphabet in its menu."""
        self.click("#issues-button")
        self.type("#alphabet-symbols", text + Keys.ENTER)
        self.press(Keys.ESCAPE)

    def undo(self):
        """Takes a step back, and waits for it."""
        before = self.picture()["version"]
        self.click("#edit-undo")
        return self.settled(lambda p: p["version"] > before, "a step undone")

    # Runs

    def open_runs(self):
        self.run("document.querySelector('#run-panel').hidden && document.querySelector('#run-open').click()")

    def run_word(self, word):
        """Runs a word, and returns the result."""
        self.type("#run-word", word)
        self.run("document.querySelector('#run-result').textContent = ''")
        self.click("#run-form button:not([type])")
        return self.wait("document.querySelector('#run-result').textContent", "a result")

    def run_words(self, accepted, rejected):
        """Runs the first accepted and rejected words one by one, and then all at once."""
        result = self.run_word(accepted[0])
        assert result.startswith("Accepted"), f"`{accepted[0]}` accepted, found {result}"
        result = self.run_word(rejected[0])
        assert result.startswith("Rejected"), f"`{rejected[0]}` rejected, found {result}"
        lines = [f"{word}, accepted" for word in accepted] + [f"{word}, rejected" for word in rejected]
        self.run("document.querySelector('#words').open = true;"
                 "document.querySelector('#words-said').textContent = '';"
                 "document.querySelector('#words-text').value = arguments[0]", "\n".join(lines))
        self.click("#words-form button")
        said = self.wait("document.querySelector('#words-said').textContent", "the results")
        assert said.endswith(f"{len(lines)} of {len(lines)} as expected.")
        self.run("document.querySelector('#words').open = false")
