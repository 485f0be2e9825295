"""A shared studio, new for each test, with its owner, devices and an audience."""

import contextlib
import tempfile

import pytest

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
    drivers = [needs_chromium.start_chromium(*size, is_phone=True) for size in [(360, 640), (390, 700)]]
    yield drivers
    for driver in drivers:
        needs_chromium.end_chromium(driver)


@pytest.fixture(params=["light", "dark"])
def scheme(request):
    return request.param


@pytest.fixture
def new_page(needs_chromium, scheme):
    """Opens pages that are closed after the test."""
    with contextlib.ExitStack() as stack:
        def open_page(driver):
            stack.enter_context(needs_chromium.only_for_now(driver))
            page = needs_chromium.Page(driver)
            # A size that is given to a tab would replace that of the phone.
            page.new_window("tab")
            page.prefer(color_scheme=scheme)
            return page

        yield open_page


@pytest.fixture
def desk(chromium, new_page):
    """A page for the owner."""
    return new_page(chromium)


@pytest.fixture
def phone(phones, new_page):
    """A page for a device."""
    return new_page(phones[0])


@pytest.fixture
def audience(phones, new_page):
    """A page for someone who watches."""
    return new_page(phones[1])


@pytest.fixture
def look(scheme, pytestconfig):
    """Takes a picture of a page, where they are asked for."""
    def take(page, name):
        if pytestconfig.getoption("--screenshots"):
            page.take_picture(pytestconfig.getoption("--screenshots"), f"{name}-{scheme}")

    return take
