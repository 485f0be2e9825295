"""A studio over an empty folder and a page in Chromium, new for each test."""

import re

import pytest

from browser.editor import Editor
from browser.modules import Modules, serve
from browser.page import Page, only_for_now


@pytest.fixture
def tabs(chromium):
    """Chromium, without what a test opened before."""
    with only_for_now(chromium):
        yield chromium


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


@pytest.fixture
def page_files():
    # At a new port, so that the browser keeps nothing for it.
    server = serve()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def modules(tabs, page_files):
    return Modules(tabs, page_files)
