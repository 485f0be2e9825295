"""What all tests share: options, studios, browsers, and what was measured."""

import pytest

from inkstate.command import require_build
from inkstate.studio import Studio

MEASURED = pytest.StashKey()


def pytest_addoption(parser):
    group = parser.getgroup("inkstate")
    group.addoption("--seconds", type=int, default=20, help="how long thirty devices draw")
    group.addoption("--heavy", type=int, default=20, help="how long they ask for as much work as they can, in seconds")
    group.addoption("--guesses", type=int, default=100_000, help="how many codes are guessed")
    group.addoption("--screenshots", metavar="FOLDER", help="takes pictures of the pages")


def pytest_configure(config):
    config.stash[MEASURED] = []


def pytest_terminal_summary(terminalreporter, config):
    for text in config.stash[MEASURED]:
        terminalreporter.write_line(text)


@pytest.fixture
def report(request):
    """Shows a sentence with what was measured, after the tests."""
    return request.config.stash[MEASURED].append


@pytest.fixture(scope="session")
def needs_chromium():
    """The module that drives Chromium; without both, the test is skipped."""
    pytest.importorskip("selenium", reason="python3-selenium is not installed")
    from browser import page
    if not page.is_installed():
        pytest.skip("chromium and chromium-driver are not installed")
    return page


@pytest.fixture(scope="session")
def chromium(needs_chromium):
    driver = needs_chromium.start_chromium()
    yield driver
    needs_chromium.end_chromium(driver)


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
