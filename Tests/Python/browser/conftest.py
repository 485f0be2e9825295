"""A studio over an empty folder and a page in Chromium, new for each test."""

import re

import pytest

from browser.editor import Editor
from browser.page import Page, is_installed, start_chromium
from inkstate.command import require_build
from inkstate.studio import Studio


@pytest.fixture(scope="session")
def chromium():
    if not is_installed():
        pytest.skip("chromium and chromium-driver are not installed")
    driver = start_chromium()
    yield driver
    driver.quit()


@pytest.fixture
def tabs(chromium):
    """Chromium, without what a test opened before."""
    home = chromium.current_window_handle
    yield chromium
    for window in chromium.window_handles:
        if window != home:
            chromium.switch_to.window(window)
            chromium.close()
    chromium.switch_to.window(home)


@pytest.fixture
def start_studio():
    """Starts studios; each ends cleanly on Ctrl-C, if the test did not end it."""
    require_build()
    started = []

    def start(folder, **options):
        started.append(Studio(str(folder), **options))
        return started[-1]

    yield start
    codes = [studio.end() for studio in started if studio.is_alive()]
    assert set(codes) <= {0}, "a clean end on Ctrl-C"


@pytest.fixture
def studio(start_studio, tmp_path):
    return start_studio(tmp_path / "data")


@pytest.fixture
def page(tabs):
    return Page(tabs)


@pytest.fixture
def editor(tabs, studio):
    return Editor(tabs, studio)


@pytest.fixture
def no_ids(editor):
    """At the end of the test, nothing that is shown or read aloud has a document's internal ids."""
    yield
    text = editor.run("""
      return document.body.innerText + [...document.querySelectorAll("[aria-label], [title]")].map(
        (e) => `${e.getAttribute("aria-label")} ${e.title}`).join();""")
    found = re.search(r".{0,80}[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-.{0,40}", text)
    assert not found, found
