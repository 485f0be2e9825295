"""Reads and writes the files of models, which are in the format safetensors: a header in JSON, and 32-bit floats."""

import json
import struct


def read(path):
    """Returns the metadata of a model and, for each tensor, its shape and bytes."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    metadata = header.pop("__metadata__")
    return metadata, {
        name: (entry["shape"], data[slice(*entry["data_offsets"])]) for name, entry in header.items()}


def write(path, metadata, tensors):
    """Writes a model."""
    header, data = {"__metadata__": metadata}, b""
    for name in sorted(tensors):
        shape, values = tensors[name]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    # As Inkstate writes it: it reads that form fastest.
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
