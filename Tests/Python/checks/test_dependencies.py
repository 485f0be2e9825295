"""Whether Package.swift names the modules that the sources import: no module knows more than it needs."""

import json
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
IMPORT = re.compile(
    r"^\s*(?:@testable |@preconcurrency |public |package |internal )*"
    r"import (?:struct |class |enum |protocol |func |typealias )?(\w+)", re.MULTILINE)


def targets():
    """The targets of Package.swift with sources of their own, by their names."""
    described = subprocess.run(
        ["swift", "package", "dump-package"], cwd=ROOT, check=True, capture_output=True, text=True)
    return {
        target["name"]: target for target in json.loads(described.stdout)["targets"]
        if target["type"] in ("regular", "executable") and "path" not in target}


def declared(target):
    """The modules of this package that a target may import."""
    names = set()
    for dependency in target["dependencies"]:
        for kind in ("byName", "target"):
            if kind in dependency:
                names.add(dependency[kind][0])
    return names


def imported(target):
    """The modules that the Swift sources of a target import."""
    return {
        name for path in (ROOT / "Sources" / target["name"]).rglob("*.swift")
        for name in IMPORT.findall(path.read_text())}


ALL = targets()
SYSTEM = {path.name for path in (ROOT / "Sources").iterdir() if (path / "module.modulemap").exists()}


@pytest.mark.parametrize("name", sorted(ALL))
def test_imports_are_what_the_package_names(name):
    own = set(ALL) | SYSTEM
    assert imported(ALL[name]) & own == declared(ALL[name])


def test_an_import_is_seen_however_it_is_written():
    text = "import Ink\n@testable import InkRaster\npublic import struct InkNetwork.Shape\n// import Not"
    assert IMPORT.findall(text) == ["Ink", "InkRaster", "InkNetwork"]
