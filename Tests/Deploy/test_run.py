"""Tests the progress that `deploy/run` shows, with a fake compiler."""

import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# This fake compiler prints lines from a pipe, then makes an empty program.
SWIFT = """#!/bin/sh
mkdir -p "$ROOT/.build/debug"
case "$*" in
    *"--product lamplighter") cat "$ROOT/pipe"; printf '#!/bin/sh\\n' >"$ROOT/.build/debug/lamplighter" ;;
    *) : >"$ROOT/.build/debug/libLamplighterGate.so" ;;
esac
chmod +x "$ROOT"/.build/debug/*
"""


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-run-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("deploy", "bin", "Plugins", "Sources", "schemas/generated"):
            (self.folder / name).mkdir(parents=True)
        for name in ("run", "packages.sh"):
            shutil.copy2(ROOT / "deploy" / name, self.folder / "deploy")
        (self.folder / "Package.swift").touch()
        os.mkfifo(self.folder / "pipe")
        (self.folder / "bin/swift").write_text(SWIFT)
        (self.folder / "bin/swift").chmod(0o755)

    def start(self):
        """Starts `deploy/run` in a separate terminal."""
        self.screen, theirs = pty.openpty()
        self.addCleanup(os.close, self.screen)
        self.process = subprocess.Popen(
            [self.folder / "deploy/run"], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, start_new_session=True,
            env={**os.environ, "ROOT": str(self.folder), "PATH": f"{self.folder}/bin:{os.environ['PATH']}"})
        os.close(theirs)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.end, self.process)
        self.seen = ""

    def end(self, process):
        """Ends the script and its compiler, since the compiler would otherwise keep writing."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)

    def sees(self, pattern, seconds=10):
        """Reads the terminal until the pattern appears; returns the match."""
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.seen)) and time.monotonic() < deadline:
            try:
                self.seen += os.read(self.screen, 4096).decode()
            except OSError:  # All programs that write to the terminal have ended.
                break
        self.assertTrue(found, f"{pattern} in {self.seen}")
        self.seen = self.seen[found.end():]
        return found

    def test_the_share_of_the_steps_never_falls(self):
        self.last_build_took(0)
        self.start()
        self.compiler_prints(
            ("Fetching a package", "0 %, preparing"), ("[4/6] Compiling EmbedTool A.swift", "0 %, compiling EmbedTool"),
            ("[500/1000] Compiling Storage A.swift", "50 %, compiling Storage"),
            ("[510/2000] Compiling Wire A.swift", "50 %, compiling Wire"),
            ("[1990/2000] Emitting module Wire", "99 %, compiling Wire"),
            ("[2000/2000] Linking lamplighter", "99 %, linking lamplighter"))

    def test_the_share_is_that_of_the_time_even_if_the_last_steps_take_longer(self):
        self.last_build_took(1000)
        self.start()
        self.compiler_prints(("[990/1000] Compiling Wire A.swift", "[0-4] %, compiling Wire"))

    def last_build_took(self, seconds):
        (self.folder / ".build").mkdir()
        (self.folder / ".build/deploy-run-debug.first-yes").write_text(f"{seconds} 900\n")

    def compiler_prints(self, *lines):
        """Makes the compiler print lines, and waits after each line for the expected progress."""
        with open(self.folder / "pipe", "w", buffering=1) as compiler:
            for line, shown in lines:
                print(line, file=compiler)
                self.sees(f"lamplighter: {shown}, \\d+ s")
        self.assertEqual(self.process.wait(20), 0)

    def test_the_next_build_estimates_its_time_from_the_last_one(self):
        self.start()
        self.sees(r"for the first time: .*about \d+ to \d+ minutes \(cores: \d+\)")
        (self.folder / "pipe").write_text("[1/2] Compiling Wire A.swift\n")
        self.sees(r"built lamplighter in \d+ s")
        self.assertEqual(self.process.wait(20), 0)
        (self.folder / "Sources/new").touch()
        os.utime(self.folder / "Sources/new", (time.time() + 60, time.time() + 60))
        for started in (r"Building what has changed\.", r"Building what has changed; the last time that took \d+ s\."):
            self.start()
            self.sees(started)
            (self.folder / "pipe").write_text("[1/2] Compiling Wire A.swift\n")
            self.assertEqual(self.process.wait(20), 0)
        (self.folder / ".build/debug/lamplighter").unlink()
        self.start()
        self.sees(r"for the first time: .*; the last time that took \d+ s")


if __name__ == "__main__":
    unittest.main()
