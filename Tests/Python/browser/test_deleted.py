"""What was drawn in a document that another window deletes is not lost."""

import urllib.parse

from browser.editor import elements
from inkstate.client import Client
from inkstate.ink import ring

NOTICE = "document.querySelector('#edit-notice').textContent"
MARK = "document.querySelector('#edit-saved').textContent"


def test_strokes_of_a_deleted_document_move_to_a_new_one(editor, studio):
    editor.draw_element(ring(300, 300, 60))
    first = editor.picture()
    editor.has_network(False)
    editor.stroke(ring(600, 300, 60))
    editor.wait(f"{NOTICE}.includes('1 stroke is not saved')", "the stroke that waits")
    # As another window does.
    assert Client(studio).send("DELETE", "/api/documents/" + urllib.parse.quote(first["name"])).status == 200
    editor.has_network(True)
    editor.wait(f"{NOTICE}.includes('was deleted in another window. The strokes that were not saved are in')",
                "where the stroke is")
    assert editor.get(MARK) == "Deleted"
    editor.click("#edit-notice button")
    picture = editor.settled(lambda p: len(p["states"]) == 1 and p["id"] != first["id"], "the stroke in a new document")
    assert round(picture["states"][0]["center"]["x"]) > 450, elements(picture)
    editor.wait(f"{MARK} === 'Saved'", "the mark that everything is saved")


def test_a_document_that_cannot_be_opened_is_not_shown_as_open(editor):
    first = editor.name
    editor.new_document()
    second = editor.name
    editor.has_network(False)
    editor.change("#edit-name", first)
    editor.wait(f"document.querySelector('#edit-name').value === {second!r}", "the name of the open document")
    editor.has_network(True)
    editor.change("#edit-name", first)
    editor.wait(f"document.querySelector('#document-name').textContent === {first!r}", "the other document")
