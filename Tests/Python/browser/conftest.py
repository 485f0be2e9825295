"""A studio over an empty folder and a page in Chromium, new for each test or shared by those of a file."""

import re

import pytest

from browser.editor import Editor
from browser.modules import Modules, serve
from browser.page import Page, only_for_now
from inkstate.studio import Studio

HAS_FAILED = pytest.StashKey()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    outcome = yield
    item.stash[HAS_FAILED] = item.stash.get(HAS_FAILED, False) or outcome.get_result().failed


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
    """A new page with an empty document in a new studio."""
    return Editor(tabs, studio)


@pytest.fixture(scope="module")
def used_editor(chromium, tmp_path_factory):
    """A page for all tests of a file."""
    with only_for_now(chromium):
        studio = Studio(str(tmp_path_factory.mktemp("studio") / "data"))
        yield Editor(chromium, studio)
        assert studio.end() == 0, "a clean end on Ctrl-C"


@pytest.fixture
def shared_editor(used_editor, request):
    """An empty document on a page that other tests of this file used: to open a page takes longer than most tests."""
    with only_for_now(used_editor.driver):
        used_editor.begin_anew()
        yield used_editor
    used_editor.is_broken = request.node.stash.get(HAS_FAILED, False)


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
