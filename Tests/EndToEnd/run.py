#!/usr/bin/env python3
"""Runs the end-to-end tests, all or those with the given names (as for unittest).

Several processes run modules, each process with its own service. Another process runs the modules that mostly wait,
one after the other. If one to three modules fail, they are run once more, alone. A busy machine may have made them
exceed a time limit. The last line of the output names these modules. With LAMPLIGHTER_LONG=1 the modules that
measure times run alone, and no module is repeated.

LAMPLIGHTER_BIN        the program under test (.build/debug/lamplighter)
LAMPLIGHTER_JOBS=N     the number of processes (4), beside the one for modules that wait
LAMPLIGHTER_LONG=1     also runs long tests and measurements: docs/contributing/long-tests.md
LAMPLIGHTER_KEEP=1     keeps data directories and logs
"""

import io
import multiprocessing
import os
import pathlib
import queue
import signal
import sys
import time
import unittest
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
LONG = os.environ.get("LAMPLIGHTER_LONG") == "1"

# These modules take longest, so they start first.
FIRST = ["test_console_browser", "test_playground", "test_cluster", "test_gate", "test_postgres", "test_crash",
         "test_session_crash"]
# These modules wait for the next minute or for time limits. While they wait, other modules can use the processor cores.
WAITING = ["test_schedules", "test_accounts_crash", "test_http_limits", "test_watching", "test_limits_connection"]
# The long form of these modules measures times or makes the machine busy.
MEASURING = ["test_cluster", "test_cluster_upgrade", "test_rolling", "test_enumeration", "test_login_again",
             "test_session_cut", "test_simulate", "test_unnoticed", "test_behaves", "test_answers", "test_held",
             "test_hostile", "test_event_cluster", "test_revocation", "test_webhook_failures"]
# A test that would never end fails after this time. The long form has no such limit.
TEST_SECONDS = 600
# If no more than this number of modules failed, they are run once more. A larger number can't be an accident.
MOST_REPEATED = 3


class Result(unittest.TextTestResult):
    """Prints each test with the time it took."""

    def startTest(self, test):
        self.began = time.monotonic()
        signal.alarm(0 if LONG else TEST_SECONDS)
        super().startTest(test)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)

    def addSuccess(self, test):
        if self.showAll:
            self.stream.write(f"({time.monotonic() - self.began:.1f} s) ")
        super().addSuccess(test)

    def getDescription(self, test):
        return test.id()


def fail_endless(*_):
    raise AssertionError(f"the test did not end within {TEST_SECONDS} s")


def run(names, stream):
    """Runs tests by name, and returns the counts (run, skipped) and whether all passed."""
    signal.signal(signal.SIGALRM, fail_endless)
    tests = unittest.defaultTestLoader.loadTestsFromNames(names)
    outcome = unittest.TextTestRunner(stream, verbosity=2, resultclass=Result).run(tests)
    return outcome.testsRun, len(outcome.skipped), outcome.wasSuccessful() and outcome.testsRun > 0


def close_shared():
    if "world" in sys.modules:
        sys.modules["world"].close_shared()


def work(modules, results):
    """Runs modules in one process with one service until no module is left."""
    warnings.simplefilter("ignore", DeprecationWarning)
    try:
        while (module := modules.get()) is not None:
            output = io.StringIO()
            began = time.monotonic()
            try:
                outcome = run([module], output)
            except BaseException as error:
                output.write(f"{module} ended with {error!r}\n")
                outcome = (0, 0, False)
            results.put((module, time.monotonic() - began, outcome, output.getvalue()))
    finally:
        close_shared()


def run_side_by_side(*rows):
    """Runs lists of modules in parallel, each list with its number of processes; returns the results."""
    results = multiprocessing.Queue()
    workers = []
    for names, jobs in rows:
        modules = multiprocessing.Queue()
        for name in names + [None] * jobs:
            modules.put(name)
        workers += [multiprocessing.Process(target=work, args=(modules, results)) for _ in range(jobs)]
    for worker in workers:
        worker.start()
    outcomes = []
    while len(outcomes) < sum(len(names) for names, _ in rows):
        try:
            module, seconds, outcome, output = results.get(timeout=5)
        except queue.Empty:
            if any(worker.is_alive() for worker in workers):
                continue
            print("a process of the tests died", file=sys.stderr)
            break
        outcomes.append((module, outcome))
        print(f"{output.rstrip()}\n-- {module}: {seconds:.0f} s", file=sys.stderr, flush=True)
    for worker in workers:
        worker.join()
    return outcomes


def run_all():
    found = sorted(path.stem for path in HERE.glob("test_*.py"))
    alone = MEASURING if LONG else []
    first = [name for name in FIRST if name not in alone]
    rest = [name for name in found if name not in first + WAITING + alone]
    began = time.monotonic()
    jobs = int(os.environ.get("LAMPLIGHTER_JOBS", "4"))
    outcomes = run_side_by_side((first + rest, jobs), (WAITING, 1))
    outcomes += run_side_by_side((alone, 1))
    failed = failures(outcomes)
    repeated = []
    if failed and len(failed) <= MOST_REPEATED and not LONG:
        print(f"-- once more, alone: {', '.join(failed)}", file=sys.stderr, flush=True)
        repeated, failed = failed, failures(run_side_by_side((failed, 1)), failed)
    count, skipped = (sum(outcome[place] for _, outcome in outcomes) for place in (0, 1))
    print(f"{count} tests ({skipped} skipped) in {time.monotonic() - began:.0f} s; "
          f"failed at first: {', '.join(repeated) or 'none'}; failed: {', '.join(failed) or 'none'}", file=sys.stderr)
    return 0 if not failed and len(outcomes) == len(found) else 1


def failures(outcomes, expected=()):
    """Returns the modules that failed, and those of `expected` that have no outcome."""
    passed = {module for module, (_, _, well) in outcomes if well}
    return [module for module in dict.fromkeys([*expected, *(module for module, _ in outcomes)]) if module not in passed]


def main():
    warnings.simplefilter("ignore", DeprecationWarning)
    if not sys.argv[1:]:
        return run_all()
    try:
        return 0 if run(sys.argv[1:], sys.stderr)[2] else 1
    finally:
        close_shared()


if __name__ == "__main__":
    sys.exit(main())
