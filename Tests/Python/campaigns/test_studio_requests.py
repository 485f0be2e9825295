"""Requests that no page sends are of all kinds, and their answers are judged."""

import random
import types

import pytest

from campaigns.studio_requests import judge, malformed

STUDIO = types.SimpleNamespace(host="127.0.0.1:80", port=80, cookie="inkstate=abc", secret="secret")


def test_each_kind_is_broken_in_its_way():
    generator = random.Random(1)
    found = {}
    for _ in range(3000):
        request, broken, refusals = malformed(generator, STUDIO)
        found.setdefault(broken, []).append((request, refusals))
    assert set(found) == {None, "host", "cookie", "secret", "origin", "site", "size", "method", "framing"}
    for broken in ["host", "cookie", "secret", "origin", "site", "size", "method"]:
        assert all(refusals for _, refusals in found[broken])
    # But for the first page, which needs the cookie alone.
    assert all(b"Cookie: inkstate=abc\r\n" in request for request, _ in found[None])
    assert all(b"Inkstate-Secret: secret\r\n" in request for request, _ in found[None]
               if not request.partition(b" HTTP")[0].endswith(b" /"))
    assert all(b"Host: 127.0.0.1:80\r\n" not in request for request, _ in found["host"])


@pytest.mark.parametrize("status, body, refusals", [
    (500, b'{"error": "No."}', None), (200, b"{}", {403}), (400, b"no JSON", None), (400, b'{"other": 1}', None),
    (400, b'{"error": ""}', None), (400, b'{"error": "Swift.DecodingError"}', None),
    (400, b'{"error": "12345678-1234-1234-ABCD"}', None)])
def test_a_failure_or_no_sentence_is_a_problem(status, body, refusals):
    assert judge(status, body, b"GET / HTTP/1.1\r\n", refusals)


@pytest.mark.parametrize("status, body, refusals", [
    (200, b"anything", None), (403, b'{"error": "The token is missing."}', {403}), (404, b"", None)])
def test_success_and_sentences_are_none(status, body, refusals):
    assert judge(status, body, b"GET / HTTP/1.1\r\n", refusals) is None


def test_an_answer_to_head_has_no_sentence():
    assert judge(400, b"x", b"HEAD / HTTP/1.1\r\n", None, is_head=True) is None
