"""Damage is repeatable, changes something, and leaves containers whole."""

import io
import random
import struct
import zipfile
import zlib

import pytest

from inkstate import mutator

TEXT = b'{"drawing": [[[1, 2.5], [3, 4]]], "word": "state"}\n' * 20


def png(rows):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", 4, rows, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0abcd" * rows)) \
        + chunk(b"IEND", b"")


@pytest.mark.parametrize("damage, data", [
    (mutator.damaged, TEXT), (mutator.damaged_png, png(8)), (mutator.damaged_zip, mutator.zipped({"a": TEXT}))],
    ids=["text", "png", "zip"])
def test_the_same_seed_damages_in_the_same_way(damage, data):
    made = [damage(random.Random(seed), data, TEXT) for seed in range(200)]
    assert made == [damage(random.Random(seed), data, TEXT) for seed in range(200)]
    assert all(isinstance(one, bytes) for one in made)
    assert sum(one != data for one in made) > 150
    assert len(set(made)) > 150


@pytest.mark.parametrize("mutation", sorted(set(mutator.MUTATIONS), key=lambda mutation: mutation.__name__))
def test_each_mutation_bears_any_data_and_changes_a_text(mutation):
    changed = 0
    for seed in range(100):
        mutation(random.Random(seed), bytearray(), b"")
        mutation(random.Random(seed), bytearray(b"\xff"), b"x")
        changed += bytes(mutation(random.Random(seed), bytearray(TEXT), b"other")) != TEXT
    # Of some pieces a text has only one, which stays.
    assert changed > 30


def test_damaged_data_do_not_become_too_large():
    sizes = [len(mutator.damaged(random.Random(seed), b"[" * mutator.LARGEST)) for seed in range(60)]
    assert max(sizes) <= mutator.LARGEST


def test_chunks_of_a_damaged_png_have_fitting_checksums():
    changed = 0
    for seed in range(100):
        data = mutator.damaged_png(random.Random(seed), png(8))
        changed += data != png(8)
        position = 8
        while position < len(data):
            size = struct.unpack(">I", data[position:position + 4])[0]
            body = data[position + 4:position + 8 + size]
            assert struct.unpack(">I", data[position + 8 + size:position + 12 + size])[0] == zlib.crc32(body)
            position += 12 + size
        assert position == len(data)
    assert changed > 50


def test_a_damaged_zip_file_stays_one():
    whole = {"a": TEXT, "b": b"12"}
    changed = 0
    for seed in range(50):
        with zipfile.ZipFile(io.BytesIO(mutator.damaged_zip(random.Random(seed), mutator.zipped(whole)))) as file:
            assert sorted(file.namelist()) == ["a", "b"]
            assert file.testzip() is None
            changed += {name: file.read(name) for name in file.namelist()} != whole
    assert changed > 25


def test_what_is_no_container_is_damaged_as_any_bytes():
    for damage in [mutator.damaged_png, mutator.damaged_zip]:
        assert damage(random.Random(1), TEXT) == mutator.damaged(random.Random(1), TEXT)
