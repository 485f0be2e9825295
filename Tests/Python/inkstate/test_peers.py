"""Other people's tools are found, or missing without an error."""

import os
import sys

from inkstate.peers import python_with


def test_a_python_that_has_the_modules_is_used(tmp_path):
    os.mkdir(tmp_path / "bin")
    os.symlink(sys.executable, tmp_path / "bin" / "python")
    assert python_with(["json", "zlib"], [], str(tmp_path)) == str(tmp_path / "bin" / "python")


def test_what_cannot_be_installed_is_missing(tmp_path):
    (tmp_path / "file").write_text("")
    assert python_with(["no_such_module"], [], str(tmp_path / "file" / "peers")) is None
