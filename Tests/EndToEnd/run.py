#!/usr/bin/env python3
"""Runs the end-to-end tests: `run.py` for all, or with names as unittest takes them.

LAMPLIGHTER_BIN        the program under test (.build/debug/lamplighter)
LAMPLIGHTER_TORTURE=1  the long loops: ten thousand rounds instead of two hundred
LAMPLIGHTER_KEEP=1     leaves data directories and logs behind
"""

import pathlib
import sys
import time
import unittest
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


class Result(unittest.TextTestResult):
    """Prints each test with the time it took."""

    def startTest(self, test):
        self.began = time.monotonic()
        super().startTest(test)

    def addSuccess(self, test):
        if self.showAll:
            self.stream.write(f"({time.monotonic() - self.began:.1f} s) ")
        super().addSuccess(test)

    def getDescription(self, test):
        return test.id()


def main():
    warnings.simplefilter("ignore", DeprecationWarning)
    loader = unittest.defaultTestLoader
    names = sys.argv[1:]
    tests = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE), "test_*.py")
    try:
        outcome = unittest.TextTestRunner(verbosity=2, resultclass=Result).run(tests)
    finally:
        if "world" in sys.modules:
            sys.modules["world"].close_shared()
    return 0 if outcome.wasSuccessful() and outcome.testsRun else 1


if __name__ == "__main__":
    sys.exit(main())
