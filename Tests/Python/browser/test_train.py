"""Models are trained on recordings in the page, and used."""

import json
import os

import pytest

from browser.recordings import drop_file, lines
from inkstate.command import ROOT
from inkstate.ink import ring

IMPORTED = "document.querySelector('#record-imported').textContent"
STATUS = "document.querySelector('#train-status').textContent"
COUNTS = "document.querySelector('#train-counts').textContent"


@pytest.fixture(scope="module")
def known():
    """The lines of three synthetic writers."""
    writers = ("synthetic-1", "synthetic-2", "synthetic-3")
    with open(os.path.join(ROOT, "datasets", "synthetic.ndjson")) as file:
        return [line for line in file if json.loads(line)["writer"] in writers]


@pytest.fixture
def full_studio(start_studio, tmp_path, known):
    """A studio with the recordings of three writers."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "recordings.ndjson").write_text("".join(known))
    return start_studio(folder)


@pytest.fixture
def train(page, full_studio):
    page.open(full_studio.address + "#train")
    page.wait("document.querySelectorAll('#train-base option').length >= 2", "the models")
    return page


def use_model(page, name):
    """Uses the trained model, and draws a ring to recognise."""
    page.click("#train-use")
    page.wait_text("#model-name", f"Model: {name}", "the new model in use")
    page.run("location.hash = '#recognize'")
    page.wait("!document.querySelector('#recognize').hidden", "the page")
    page.draw("#recognize-ink", ring(300, 250, 90))


def test_dropped_recordings_are_added_and_taken_back(page, studio, known):
    page.open(studio.address + "#record")
    page.wait("document.querySelector('#record-label').textContent", "a label to draw")
    page.draw("#record-ink", ring(200, 200, 60))
    page.click("#record-save")
    page.wait("document.querySelector('#record-status').textContent.startsWith('Saved. 1 recording')", "a drawing")
    added = f"{IMPORTED}.startsWith('{len(known)} recordings added')"
    drop_file(page, "#record", "synthetic.ndjson", "".join(known) + "{broken\n")
    page.wait(added, "the dropped file's drawings")
    assert "1 not read" in page.get(IMPORTED), "the broken line to be named"
    assert len(lines(studio.folder)) == 1 + len(known)
    # An import is undone, and made again.
    page.click("#record-undo")
    page.wait(f"{IMPORTED}.includes('deleted again')", "the import undone")
    assert len(lines(studio.folder)) == 1, "the recordings from before"
    drop_file(page, "#record", "synthetic.ndjson", "".join(known))
    page.wait(added, "the drawings again")
    assert len(lines(studio.folder)) == 1 + len(known)


def test_a_class_is_left_out(page, full_studio):
    page.open(full_studio.address + "#record")
    page.wait("document.querySelector('#record-counts input[data-label=other]')", "the classes")
    page.choose("#record-counts input[data-label=other]")
    page.open(full_studio.address + "&again#train")
    page.wait(f"{COUNTS}.includes('left out')", "the class that is left out")
    page.run("localStorage.removeItem('skipped'); window.dispatchEvent(new HashChangeEvent('hashchange'))")
    page.wait(f"{COUNTS} && !{COUNTS}.includes('left out')", "all classes again")


def test_a_training_is_found_after_a_reload_and_cancelled(train):
    train.type("#train-epochs", "1000")
    train.click("#train-start")
    train.wait(f"{STATUS}.startsWith('Epoch')", "a training")
    train.reload()
    train.wait(f"{STATUS}.startsWith('Epoch') && document.querySelector('#train-progress').value > 0",
               "the training after a reload")
    train.click("#train-cancel")
    train.wait(f"{STATUS}.startsWith('Cancelled')", "it to be cancelled")


def test_a_trained_model_is_used(train, full_studio):
    train.type("#train-epochs", "3")
    train.type("#train-name", "ours")
    train.click("#train-start")
    train.wait("!document.querySelector('#train-report').hidden", "the report")
    train.wait("document.querySelectorAll('#train-curve .value')[0]?.points.length === 3", "a curve of three epochs")
    assert os.path.exists(os.path.join(full_studio.folder, "models", "ours.safetensors"))
    use_model(train, "ours")
    train.wait("document.querySelector('#recognize-answer').textContent.startsWith('state')", "a state")


def test_a_network_that_follows_the_strokes_is_trained(train, full_studio):
    train.change("#train-base", "new network")
    train.wait("!document.querySelector('#train-network-label').hidden", "the networks")
    train.run("document.querySelector('#train-network').value = 'gesture'")
    train.type("#train-epochs", "3")
    train.type("#train-name", "strokes")
    train.click("#train-start")
    train.wait("document.querySelector('#train-accuracy').textContent.startsWith('Accuracy of strokes')", "the report")
    assert os.path.exists(os.path.join(full_studio.folder, "models", "strokes.safetensors"))
    use_model(train, "strokes")
    train.wait("document.querySelectorAll('#recognize-ranked li').length >= 4", "an answer")
    train.run("location.hash = '#train'")
    train.wait("document.querySelector('#train-models input')", "the models")
    train.choose("#train-models input")
    train.wait_text("#model-name", "Model: released", "the released model")
