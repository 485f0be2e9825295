"""Photographed process diagrams of hdBPMN: their writers, circles (events) and words.

INKSTATE names the command.
"""

import glob
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

INKSTATE = os.environ.get("INKSTATE", ".build/release/inkstate")


def pages(folder, part=None):
    """The pages of a folder: all, or those whose writers are in the part train, validation or test."""
    def of(path):
        writer = int(re.search(r"writer(\d+)", os.path.basename(path)).group(1))
        return {0: "test", 4: "validation"}.get(writer % 8, "train")
    found = [page for page in sorted(glob.glob(os.path.join(folder, "*.jpg")))
             if part is None or of(page) == part]
    return found or sys.exit(f"{folder}: no pages")


def trace(page, ink):
    """Traces a page into the file `ink` and returns the recording."""
    subprocess.run([INKSTATE, "trace", page, "--output", ink, "--force"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return json.loads(open(ink, encoding="utf-8").readline())


def events(path, width):
    """The boxes of events in pixels of a page so wide."""
    text = open(path, encoding="utf-8").read()
    scale = width / json.loads(re.search(r"<!-- (\{.*?\}) -->", text).group(1))["backgroundSize"]
    kinds = {}
    boxes = []
    for element in ElementTree.fromstring(text).iter():
        name = element.tag.split("}")[1]
        if "id" in element.attrib:
            kinds[element.attrib["id"]] = name
        if name == "BPMNShape" and kinds.get(element.attrib["bpmnElement"], "").endswith("Event"):
            bounds = next(child for child in element if child.tag.endswith("Bounds"))
            x, y, w, h = (float(bounds.attrib[key]) * scale for key in ["x", "y", "width", "height"])
            boxes.append((x, y, x + w, y + h))
    return boxes


def words(path, width):
    """The boxes of words in pixels of a page so wide."""
    root = ElementTree.parse(path).getroot()
    scale = width / float(root.find("size/width").text)
    return [[float(box.find(key).text) * scale for key in ["xmin", "ymin", "xmax", "ymax"]]
            for box in root.iter("bndbox")]
