"""Takes pictures of all pages at several sizes, light and dark: -m pictures --screenshots FOLDER."""

import pytest

from browser.editor import Editor
from browser.page import end_chromium, only_for_now, start_chromium
from browser.recordings import digits, write_number
from inkstate.ink import ring
from selenium.webdriver.common.keys import Keys

pytestmark = pytest.mark.pictures

SIZES = {"desk": (1280, 900), "laptop": (1024, 768), "projector": (1920, 1080), "tablet": (820, 1180),
         "phone": (360, 640), "phone-wide": (740, 360)}


@pytest.fixture
def folder(pytestconfig):
    return pytestconfig.getoption("--screenshots") or pytest.fail("--screenshots FOLDER is missing")


@pytest.mark.parametrize("kind", SIZES)
def test_screenshots(folder, needs_chromium, studio, tmp_path, kind):
    drawings = digits(str(tmp_path))
    driver = start_chromium(*SIZES[kind], is_phone=kind.startswith(("phone", "tablet")))
    for scheme in ["light", "dark"]:
        with only_for_now(driver):
            page = Editor(driver, studio)
            page.prefer(color_scheme=scheme)
            for name, prepare in PAGES.items():
                page.run("location.hash = arguments[0]", name)
                page.wait(f"!document.querySelector('#{name}').hidden", f"the page {name}")
                page.quiet()
                prepare(page, drawings, kind)
                page.quiet()
                page.take_picture(folder, f"{name}-{kind}-{scheme}")
    end_chromium(driver)


def edit(page, drawings, kind):
    title = "Binary%20numbers%20with%20remainder%202%20modulo%203"
    page.open_document(page.request("POST", f"/api/examples/{title}"))
    page.open_runs()
    page.type("#run-word", "1011" + Keys.ENTER)
    page.wait("document.querySelector('#run-tape').children.length === 4", "the word on the tape")
    page.choose("#step-on", "#zoom-fit")


def record(page, drawings, kind):
    page.click("#record-show")


def recognize(page, drawings, kind):
    page.draw("#recognize-ink", ring(160, 110, 60, 60))


def practice(page, drawings, kind):
    page.change("#practice-level", "sumsToTwenty")
    task = "document.querySelector('#practice-task').textContent"
    page.wait(f"{task}.includes('+')", "a sum")
    number = sum(int(part) for part in page.get(task).rstrip("?").split(" + "))
    write_number(page, number, drawings, *((180, 120, 160) if kind == "desk" else (30, 20, 60)))


def nothing(page, drawings, kind):
    """The page as it is."""


PAGES = {"edit": edit, "record": record, "recognize": recognize, "train": nothing, "series": nothing,
         "practice": practice}
