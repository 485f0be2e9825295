"""A phone is paired, draws without a network, and follows a presentation; the owner watches the list."""

import json
import urllib.parse

import pytest

from browser.accessibility import check
from inkstate.client import Client
from inkstate.ink import ring

CODE = "document.querySelector('#share-code').textContent"
NAME = "document.querySelector('#edit-name').value"
RINGS = "document.querySelectorAll('#edit-drawing circle.line').length"
WATCHED = "document.querySelectorAll('#watch-drawing circle.line').length"
# The key, as WebDriver calls it.
ENTER = "\ue007"
LIT = "[...document.querySelectorAll('g.lit')].map((g) => g.dataset.id).sort().join()"


def is_inside(page):
    return page.get("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.fixture
def owner_page(desk, shared):
    """The owner's page with the dialog for sharing."""
    desk.open(shared.address)
    desk.wait("document.querySelector('#edit-name').value", "a document")
    desk.choose("#share-open")
    desk.wait(f"/^\\d{{3}} \\d{{3}}$/.test({CODE})", "a code")
    return desk


@pytest.fixture
def paired_phone(phone, shared, owner):
    """A phone that typed the code."""
    phone.open(shared.shared_address)
    phone.type("#code", owner.ask("GET", "/api/sharing")["code"])
    phone.type("#name", "Phone")
    phone.click("form button")
    phone.wait("document.querySelector('#edit-name')?.value", "a document")
    return phone


def test_a_phone_is_paired(shared, owner_page, phone, look):
    code = owner_page.get(CODE)
    check(owner_page, "the dialog for sharing")
    phone.open(shared.shared_address)
    assert phone.get("location.pathname") == "/pair"
    assert phone.text(".fingerprint") == shared.fingerprint == owner_page.text("#share-fingerprint").replace("\u200b", "")
    check(phone, "the page for pairing")
    assert is_inside(phone)
    look(phone, "pair-phone")
    phone.type("#code", "000000" if code != "000 000" else "000001")
    phone.type("#name", "Phone")
    phone.click("form button")
    assert "not the code" in phone.wait("document.querySelector('[role=alert]')?.textContent", "the answer")
    check(phone, "a wrong code")
    look(phone, "pair-wrong-phone")
    phone.type("#code", code)
    phone.click("form button")
    phone.wait("document.querySelector('#edit-name')?.value", "a document")
    check(phone, "the page of a device")
    hidden = phone.get("[...document.querySelectorAll('[data-owner], #share-open, #present')]"
                       ".every((one) => getComputedStyle(one).display === 'none')")
    assert hidden, "nothing that only the owner may do"
    owner_page.wait("document.querySelector('#share-devices').textContent.includes('Phone')", "the device in the list")
    owner_page.wait(f"{CODE} !== {json.dumps(code)}", "a new code")


def test_a_phone_draws_without_a_network(owner, paired_phone, look):
    phone = paired_phone
    name = phone.get(NAME)
    phone.choose("#edit-new")
    phone.wait(f"{NAME} !== {json.dumps(name)} && !document.querySelector('#edit-drawing g[data-id]')", "a new document")
    name = urllib.parse.quote(phone.get(NAME))

    def states():
        return len(owner.ask("GET", f"/api/documents/{name}")["states"])

    phone.draw("#edit-drawing", ring(110, 250, 45), "touch")
    phone.wait(f"{RINGS} === 1", "a state")
    phone.has_network(False)
    phone.draw("#edit-drawing", ring(250, 400, 45), "touch")
    phone.wait("!document.querySelector('#edit-notice').hidden", "what is not saved")
    check(phone, "a lost network")
    look(phone, "lost-phone")
    phone.draw("#edit-drawing", ring(110, 480, 40), "touch")
    phone.wait("document.querySelector('#edit-notice').textContent.includes('2 strokes')", "two strokes that wait")
    assert states() == 1, "one state at the studio"
    phone.has_network(True)
    phone.wait(f"{RINGS} === 3", "three states")
    phone.wait("document.querySelector('#edit-notice').hidden", "no message")
    assert states() == 3, "three states at the studio"
    look(phone, "device-phone")


def test_a_removed_phone_is_told_so(owner, paired_phone):
    [device] = owner.ask("GET", "/api/sharing")["devices"]
    owner.ask("DELETE", f"/api/devices/{device['id']}")
    paired_phone.draw("#edit-drawing", ring(250, 200, 40), "touch")
    paired_phone.wait("document.querySelector('#edit-notice').textContent.includes('not paired')", "what happened")


def test_the_dialog_fits_on_phones(owner_page, look):
    owner_page.choose("#link-make")
    owner_page.wait("document.querySelector('#share-link').getAttribute('href')", "a link")
    check(owner_page, "the dialog with a link")
    look(owner_page, "share-desk")
    for width, height, kind in [(360, 640, "phone"), (740, 360, "phone-wide")]:
        owner_page.resize(width, height)
        owner_page.quiet()
        wide = owner_page.run("const d = document.querySelector('#share'); return d.scrollWidth - d.clientWidth")
        assert wide <= 0, f"a dialog that fits at {width} pixels"
        look(owner_page, f"share-{kind}")


def test_an_audience_follows_a_presentation(shared, owner_page, audience, look):
    owner_page.choose("#link-make")
    link = owner_page.wait("document.querySelector('#share-link').getAttribute('href')", "a link")
    owner = Client(shared)
    known = owner.ask("POST", "/api/examples/Binary%20numbers%20with%20remainder%202%20modulo%203")
    owner_page.run("localStorage.setItem('document', arguments[0])", known)
    owner_page.open(f"http://{shared.host}/")
    owner_page.wait(f"document.querySelector('#edit-name').value === {json.dumps(known)}", "the example")
    audience.open(link)
    audience.wait("!document.querySelector('#watch-none').hidden", "nothing that is presented")
    check(audience, "a page that waits")
    look(audience, "watch-none-phone")
    assert "key" not in audience.get("location.href"), "an address without the key"
    owner_page.choose("#present")
    audience.wait(f"{WATCHED} >= 3", "the presented automaton")
    owner_page.run("document.querySelector('#run-panel').hidden && document.querySelector('#run-open').click()")
    owner_page.type("#run-word", "1011" + ENTER)
    audience.wait("document.querySelectorAll('#watch-tape span').length === 4", "the word")
    for step in range(1, 5):
        owner_page.choose("#step-on")
        audience.wait(f"document.querySelector('#watch-step').textContent.startsWith('{step} of 4')", f"step {step}")
        assert audience.get(LIT) and audience.get(LIT) == owner_page.get(LIT), "the same elements in light"
    check(audience, "a presentation")
    check(owner_page, "the presenter's page")
    assert is_inside(audience)
    look(audience, "watch-phone")
    look(owner_page, "present-desk")
    assert owner_page.get("document.querySelectorAll('.handle, .inspector:not([hidden])').length") == 0, "no handles"
    audience.open(link)
    audience.resize(1920, 1080)
    audience.wait("document.querySelectorAll('#watch-tape span').length === 4", "the word")
    look(audience, "watch-projector")
    audience.resize()
    refused = audience.run("const r = new XMLHttpRequest(); r.open('GET', '/api/documents', false);"
                           " r.setRequestHeader('Inkstate-Secret', localStorage.getItem('secret') ?? ''); r.send();"
                           " return r.status")
    assert refused == 403, "the audience to see the presentation alone"
    # A change of the document ends the run, and is seen.
    before = audience.get(WATCHED)
    owner.ask("POST", f"/api/documents/{urllib.parse.quote(known)}/command",
              {"kind": "addState", "place": {"x": 100, "y": 600}})
    audience.wait(f"{WATCHED} > {before}", "the new state")
    owner_page.click("#present-end")
    audience.wait("!document.querySelector('#watch-none').hidden", "the end")
    owner.ask("DELETE", "/api/sharing/link")
    audience.wait("!document.querySelector('#problem').hidden", "the end of the link")
