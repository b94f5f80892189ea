"""The tests' tools from PyPI: a separate Python with the modules of deploy/requirements.txt."""

import functools
import pathlib
import shutil
import site
import subprocess

from harness import ROOT

FOLDER = ROOT / ".build" / "tools"
# Headless Chromium renders the same pages, but does only half of the full browser's work.
CHROMIUM = shutil.which("chromium-headless-shell")


@functools.cache
def python():
    """Returns the path of a Python interpreter that has these modules, and installs the interpreter if necessary."""
    done = subprocess.run(
        ["bash", "-c", f'source "{ROOT}/deploy/packages.sh" && install_tools "{ROOT}"'],
        capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return str(FOLDER / "bin" / "python")


def use():
    """Lets this Python import the modules."""
    python()
    for folder in FOLDER.glob("lib/python3*/site-packages"):
        site.addsitedir(str(folder))


class Chromium:
    """A headless browser that shares a driver with the other browsers of the process."""

    driver, running = None, 0

    def __init__(self, *arguments):
        use()
        from playwright.sync_api import sync_playwright
        if Chromium.driver is None:
            Chromium.driver = sync_playwright().start()
        Chromium.running += 1
        try:
            self.browser = Chromium.driver.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage", *arguments])
        except BaseException:
            self._leave()
            raise

    def _leave(self):
        Chromium.running -= 1
        if Chromium.running == 0:
            Chromium.driver.stop()
            Chromium.driver = None

    def close(self):
        self.browser.close()
        self._leave()


def file(module, path):
    """Returns the path of a file that a module contains."""
    python()
    found = list(FOLDER.glob(f"lib/python3*/site-packages/{module}/{path}"))
    assert len(found) == 1, f"{module}/{path}: {found}"
    return pathlib.Path(found[0])
