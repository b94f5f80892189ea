"""What the tests take from PyPI: a Python of its own, with the modules of deploy/requirements.txt."""

import functools
import pathlib
import subprocess

from harness import ROOT

FOLDER = ROOT / ".build" / "tools"


@functools.cache
def python():
    """The Python with these modules, installed when it is not there."""
    done = subprocess.run(
        ["bash", "-c", f'source "{ROOT}/deploy/packages.sh" && install_tools "{ROOT}"'],
        capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return str(FOLDER / "bin" / "python")


def file(module, path):
    """A file that comes with a module."""
    python()
    found = list(FOLDER.glob(f"lib/python3*/site-packages/{module}/{path}"))
    assert len(found) == 1, f"{module}/{path}: {found}"
    return pathlib.Path(found[0])
