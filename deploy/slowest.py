#!/usr/bin/env python3
"""Prints the ten slowest tests in the logs of a run: `deploy/slowest.py LOG…`."""

import pathlib
import re
import sys

# The lines with which Swift Testing and Tests/EndToEnd/run.py report a passed test. Swift Testing runs tests in
# parallel.
FORMS = [re.compile(r'✔ Test (?!run with )(?P<name>.+?) (?:with \d+ test cases? )?passed after (?P<seconds>[\d.]+) seconds'),
         re.compile(r"^(?P<name>test_\S+) \.\.\. .*\((?P<seconds>[\d.]+) s\) ok", re.MULTILINE)]


def slowest(texts, count=10):
    """Returns the slowest tests as pairs of seconds and name, the slowest first."""
    found = [(float(match["seconds"]), match["name"]) for text in texts for form in FORMS for match in form.finditer(text)]
    return sorted(found, reverse=True)[:count]


def main():
    for seconds, name in slowest(pathlib.Path(path).read_text(errors="replace") for path in sys.argv[1:]):
        print(f"{seconds:8.1f} s  {name}")


if __name__ == "__main__":
    main()
