"""Other people's tools are found, or missing without an error."""

import os
import subprocess

from inkstate.peers import python_with


def test_a_python_with_modules_is_made_once(tmp_path):
    folder = str(tmp_path / "peers")
    python = python_with(["json", "zlib"], [], folder)
    assert python == os.path.join(folder, "bin", "python")
    assert subprocess.run([python, "-c", "import sys; sys.exit(sys.prefix == sys.base_prefix)"]).returncode == 0
    made = os.stat(python).st_mtime_ns
    assert python_with(["json"], [], folder) == python
    assert os.stat(python).st_mtime_ns == made


def test_what_cannot_be_installed_is_missing(tmp_path):
    (tmp_path / "file").write_text("")
    assert python_with(["no_such_module"], [], str(tmp_path / "file" / "peers")) is None
