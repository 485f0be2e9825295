"""Damages bytes as files and requests are damaged, with a generator of random numbers."""

import io
import re
import struct
import zipfile
import zlib

EXTREMES = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff,
            1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 8, (1 << 62) + 1]
NUMBERS = [b"0", b"-1", b"1e308", b"-1e309", b"nan", b"inf", b"1e-400", b"9223372036854775807",
           b"9223372036854775808", b"18446744073709551616", b"99999999999999999999999999", b"0.1", b"-0", b"1e999999",
           b"4294967296", b"2147483648", b"65536", b"0x10", b"1_000", b""]
# What programs stumble over.
PIECES = [b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xcc\x81", b"\xe2\x80\xae",
          b"\r", b"\r\n\r\n", b"\x1b[2J", b"\"", b"\\", b"\\u0000", b"\\ud800", b"null", b"{}", b"[]", b"[[[[", b"<!--",
          b"<![CDATA[", b"&#0;", b"&amp;", b"'", b"%", b"..", b"/", b"../../x", b"*", b"*" * 200, b"a" * 5000, b"<",
          b">", b"{", b"]", b"-", b"\n", b"\xc3", b"1e999", b'encoding=":tf-8"', b"[" * 600, b"\xf0\x9f\x99\x82"]
# No damaged file is larger.
LARGEST = 3 << 20


def flip(generator, data, other):
    """Other bits."""
    for _ in range(generator.choice([1, 1, 2, 8, 64])):
        if data:
            data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
    return data


def truncate(generator, data, other):
    """The beginning alone."""
    return data[:generator.randrange(len(data) + 1)]


def remove(generator, data, other):
    """A piece is missing."""
    start = generator.randrange(len(data) + 1)
    return data[:start] + data[start + generator.choice([1, 2, 4, 16, 200]):]


def repeat(generator, data, other):
    """A piece is there several times."""
    start = generator.randrange(len(data) + 1)
    piece = data[start:start + generator.choice([1, 4, 16, 64, 400])]
    return data[:start] + piece * generator.choice([2, 3, 17, 300]) + data[start:]


def splice(generator, data, other):
    """The end of another file."""
    start, end = generator.randrange(len(data) + 1), generator.randrange(len(other) + 1)
    return data[:start] + other[end:]


def insert(generator, data, other):
    """Something that programs stumble over."""
    start = generator.randrange(len(data) + 1)
    return data[:start] + generator.choice(PIECES) + data[start:]


def length(generator, data, other):
    """Another number where there may be a length: most often near the beginning."""
    size = generator.choice([1, 2, 4, 8])
    if len(data) < size:
        return data
    start = generator.randrange(min(len(data) - size + 1, generator.choice([16, 128, 4096, 1 << 30])))
    value = generator.choice(EXTREMES + [generator.randrange(256), len(data), len(data) + 1])
    data[start:start + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, generator.choice(["little", "big"]))
    return data


def number(generator, data, other):
    """Another number in a text."""
    found = [match.span() for match in re.finditer(rb"-?[0-9][0-9.eE+-]*", bytes(data[:20_000]))]
    if not found:
        return data
    start, end = generator.choice(found)
    return data[:start] + generator.choice(NUMBERS) + data[end:]


def nest(generator, data, other):
    """Deep nesting where something begins."""
    found = [match.start() for match in re.finditer(rb"[\[({<\"]", bytes(data[:20_000]))]
    start = generator.choice(found) if found else generator.randrange(len(data) + 1)
    piece = generator.choice([b"[", b"{\"a\":", b"(", b"<a>", b"{", b"<trace>", b"<traceGroup>", b"[[1,2],",
                              b"subgraph {"])
    return data[:start] + piece * generator.choice([10, 500, 20_000]) + data[start:]


def swap(generator, data, other):
    """Two lines, or two words, in each other's place."""
    separator = generator.choice([b"\n", b" ", b",", b"\"", b">"])
    parts = bytes(data).split(separator)
    one, two = generator.randrange(len(parts)), generator.randrange(len(parts))
    parts[one], parts[two] = parts[two], parts[one]
    return bytearray(separator.join(parts))


# Some more often than others.
MUTATIONS = [flip, flip, truncate, remove, repeat, splice, insert, length, length, number, number, nest, swap]


def damaged(generator, data, other=b""):
    """The bytes with a few mutations; `other` is a file of which they may get a part."""
    data = bytearray(data)
    for _ in range(generator.choice([1, 1, 1, 2, 3, 6])):
        data = bytearray(generator.choice(MUTATIONS)(generator, data, other))[:LARGEST]
    return bytes(data)


def damaged_png(generator, data, other=b""):
    """Damages chunks of a PNG, and makes their checksums fit again; also what is compressed."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        return damaged(generator, data, other)
    result, position = bytearray(data[:8]), 8
    while position + 12 <= len(data):
        size = struct.unpack(">I", data[position:position + 4])[0]
        kind, content = data[position + 4:position + 8], data[position + 8:position + 8 + size]
        position += 12 + size
        if generator.random() < 0.5:
            if kind == b"IDAT" and generator.random() < 0.7:
                try:
                    content = zlib.compress(damaged(generator, zlib.decompress(content), other))
                except zlib.error:
                    pass
            else:
                content = damaged(generator, content, other)
        for _ in range(generator.choice([1, 1, 1, 1, 0, 2])):
            result += struct.pack(">I", len(content)) + kind + content
            result += struct.pack(">I", zlib.crc32(kind + content))
    return bytes(result)


def zipped(members):
    """A ZIP file of names and their contents."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            # Without a date of its own, a member has the time of now, and no run repeats another.
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def damaged_zip(generator, data, other=b""):
    """Damages a member of a ZIP file, which stays one."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            members = {name: file.read(name) for name in file.namelist()}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError, EOFError, ValueError):
        return damaged(generator, data, other)
    name = generator.choice(sorted(members))
    members[name] = damaged(generator, members[name], other)
    return zipped(members)
