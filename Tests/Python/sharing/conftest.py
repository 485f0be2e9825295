"""A shared studio, new for each test, with its owner, devices and an audience."""

import tempfile

import pytest

from browser.page import Page, only_for_now, start_chromium
from inkstate.client import Client
from inkstate.studio import NotStarted, Studio


@pytest.fixture(scope="session")
def needs_encryption():
    """Skips the tests of a build without TLS."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as errors:
        try:
            Studio(folder, is_shared=True, errors=errors).end()
        except NotStarted:
            errors.seek(0)
            text = errors.read()
            if "no encryption" not in text:
                raise
            pytest.skip(text.partition("\n")[0].removeprefix("Error: "))


@pytest.fixture
def shared(needs_encryption, start_studio, tmp_path):
    return start_studio(tmp_path / "data", is_shared=True)


@pytest.fixture
def owner(shared):
    """The owner's connection."""
    return Client(shared)


@pytest.fixture(scope="session")
def phones(needs_chromium):
    """A Chromium that is a small phone, and another one that is a larger one."""
    drivers = [start_chromium(360, 640, is_phone=True), start_chromium(390, 700, is_phone=True)]
    yield drivers
    for driver in drivers:
        driver.quit()


@pytest.fixture(params=["light", "dark"])
def scheme(request):
    return request.param


@pytest.fixture
def desk(chromium, scheme):
    """A page for the owner."""
    with only_for_now(chromium):
        page = Page(chromium)
        page.prefer(scheme)
        yield page


@pytest.fixture
def phone(phones, scheme):
    """A page for a device."""
    with only_for_now(phones[0]):
        page = Page(phones[0])
        page.prefer(scheme)
        yield page


@pytest.fixture
def audience(phones, scheme):
    """A page for someone who watches."""
    with only_for_now(phones[1]):
        page = Page(phones[1])
        page.prefer(scheme)
        yield page


@pytest.fixture
def look(request, scheme, pytestconfig):
    """Takes a picture of a page, where they are asked for."""
    def take(page, name):
        if pytestconfig.getoption("--screenshots"):
            page.take_picture(pytestconfig.getoption("--screenshots"), f"{name}-{scheme}")

    return take
