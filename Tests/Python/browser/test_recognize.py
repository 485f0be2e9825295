"""A drawing is recognised, and kept with a label."""

from inkstate.ink import ring


def test_a_ring_is_a_state_and_is_kept(page, studio):
    page.open(studio.address + "#recognize")
    page.wait("document.querySelectorAll('#recognize-labels button').length >= 4", "the labels")
    page.draw("#recognize-ink", ring(300, 250, 90))
    page.wait("document.querySelector('#recognize-answer').textContent.startsWith('state')", "a state")
    page.click("#recognize-labels button")
    page.wait("document.querySelector('#recognize-kept').textContent.startsWith('Saved as state')", "the drawing kept")
