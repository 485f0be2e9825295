"""Trains in several processes: builds the tests with the package trait MPI and runs those.

    scripts/stress mpi

Needs Open MPI, which it installs with apt where it is missing.
"""

import os
import shutil
import subprocess

from campaigns.options import parser
from inkstate.command import ROOT


def install():
    """Installs Open MPI where it is missing."""
    has_library = subprocess.run(["pkg-config", "--exists", "ompi-c"]).returncode == 0
    if not (has_library and shutil.which("mpirun")):
        as_root = [] if os.getuid() == 0 else ["sudo"]
        subprocess.run([*as_root, "apt-get", "install", "-y", "-qq", "libopenmpi-dev", "openmpi-bin"], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def main(arguments):
    parser("mpi", __doc__).parse_args(arguments)
    subprocess.run(["scripts/set-up"], cwd=ROOT, check=True)
    install()
    tests = ["scripts/swift-for-tests", "test", "--traits", "MPI", "--scratch-path", ".build-mpi",
             "--filter", "ProcessGroupTests"]
    raise SystemExit(subprocess.run(tests, cwd=ROOT).returncode)
