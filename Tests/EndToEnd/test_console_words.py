"""The doctor's texts: each has Chinese words in the console, and none of those stands for a text that is gone."""

import re
import unittest

from harness import ROOT

SOURCES = [*sorted((ROOT / "Sources/Service/Doctor").glob("*.swift")), ROOT / "Sources/Service/TLS/CertificateConcern.swift",
           ROOT / "Sources/Service/TLS/CertificateText.swift", ROOT / "Sources/Service/Messages/ProviderTrial.swift"]
CHINESE = ROOT / "Sources/Console/Files/base/words-zh-findings.js"
# What other parts say, and what is shown as it is.
FROM_ELSEWHERE = "// What comes as it is."
# Not texts: commands, codes, topics, names of settings, requests.
OTHER = re.compile(r"^(?:lamplighter |chmod|df |sudo|timedatectl|ulimit|cat |ALTER|SELECT|VACUUM|http|\$SYS|providers\.|delivery\.|pid )")
PLACE = re.compile(r"\{\d+\}")


def literals(source):
    """The string literals of Swift text, without what comments say; each interpolation is `{0}`, `{1}` and so on."""
    at = 0
    while at < len(source):
        if source.startswith("//", at):
            at = source.find("\n", at)
        elif source[at] == '"':
            text, at = literal(source, at)
            yield from text
        else:
            at += 1


def literal(source, at):
    """The literal that begins at a place, with those within its interpolations; and the place behind it."""
    quote = '"""' if source.startswith('"""', at) else '"'
    at += len(quote)
    text, inner, count = "", [], 0
    while not source.startswith(quote, at):
        if source.startswith("\\(", at):
            at, depth = at + 2, 1
            while depth:
                if source[at] == '"':
                    found, at = literal(source, at)
                    inner += found
                    continue
                depth += {"(": 1, ")": -1}.get(source[at], 0)
                at += 1
            text += "{%d}" % count
            count += 1
        elif quote == '"""' and (source.startswith("\\\n", at) or source[at] == "\n"):
            text += "" if source[at] == "\\" or not text else "\n"
            at = re.compile(r"\\?\n[ ]*").match(source, at).end()
        else:
            text += source[at + 1] if source[at] == "\\" else source[at]
            at += 2 if source[at] == "\\" else 1
    return [text.rstrip("\n"), *inner], at + len(quote)


def said():
    """The texts of the doctor and of trials, by what tells them from other literals: words beside their values."""
    for path in SOURCES:
        for text in literals(path.read_text(encoding="utf-8")):
            words = PLACE.sub("", text)
            if (" " in words.strip() or words != text) and re.search("[A-Za-z]{3}", words) and not OTHER.match(text):
                yield text


def known():
    """The keys of the Chinese words, and those of texts of elsewhere."""
    own, _, others = CHINESE.read_text(encoding="utf-8").partition(FROM_ELSEWHERE)
    keys = [[key.replace("\\'", "'") for key in re.findall(r"^  '((?:[^'\\]|\\.)+)': '", part, re.MULTILINE)] for part in (own, others)]
    return keys[0], keys[1]


class Words(unittest.TestCase):
    def test_the_reader_of_literals_knows_interpolations_within_them_and_several_lines(self):
        source = 'a("x \\(y("in \\(z) it")) b") // "no"\nlet c = """\n    one \\\n    two \\(d)\n    """'
        self.assertEqual(list(literals(source)), ["x {0} b", "in {0} it", "one two {0}"])

    def test_each_text_has_chinese_words(self):
        texts = set(said())
        self.assertGreater(len(texts), 100)
        self.assertEqual(sorted(texts - set(known()[0])), [])

    def test_no_chinese_words_stand_for_a_text_that_is_gone(self):
        sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "Sources").glob("*/**/*.swift"))
        own, others = known()
        self.assertEqual(len(own + others), len(set(own + others)))
        spoken = {text for path in SOURCES for text in literals(path.read_text(encoding="utf-8"))}
        self.assertEqual([key for key in own if key not in spoken], [])
        self.assertEqual([key for key in others if f'"{key}"' not in sources], [])

    def test_the_chinese_words_have_the_same_places(self):
        for english, chinese in re.findall(r"^  '((?:[^'\\]|\\.)+)': '((?:[^'\\]|\\.)+)'", CHINESE.read_text(encoding="utf-8"), re.MULTILINE):
            self.assertEqual(sorted(PLACE.findall(english)), sorted(PLACE.findall(chinese)), english)
