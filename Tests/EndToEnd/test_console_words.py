"""Both languages have the same texts, and the Chinese file covers the doctor's texts exactly."""

import json
import re
import unittest

from harness import ROOT

SOURCES = [*sorted((ROOT / "Sources/Service/Doctor").glob("*.swift")), ROOT / "Sources/Service/TLS/CertificateConcern.swift",
           ROOT / "Sources/Service/TLS/CertificateText.swift", ROOT / "Sources/Service/Messages/ProviderTrial.swift"]
FILES = ROOT / "Sources/Console/Files"
# The name of the section that translates texts from other parts of the service. Those parts make the texts in English,
# and a finding contains such a text unchanged.
FROM_ELSEWHERE = "What comes as it is"
# These strings need no translation: commands, codes, topics, names of settings, and requests.
OTHER = re.compile(r"^(?:lamplighter |chmod|df |sudo|timedatectl|ulimit|cat |ALTER|SELECT|VACUUM|http|\$SYS|providers\.|delivery\.|pid )")
PLACE = re.compile(r"\{\d+\}")
# A placeholder in the console's own texts. It stands for a value, or it holds a singular and a plural wording.
FILLED = re.compile(r"\{(\d)(?:\|[^{}|]+\|[^{}|]+)?\}")
# The code doesn't use these texts directly in a call of `fill`. It first selects the text, or passes it to another
# function. Only then are the placeholders filled.
HANDED_ON = {"devices.kicked", "devices.forgotten", "timeline.bindings.other"}


def literals(source):
    """Yields the string literals of Swift code, with `{0}`, `{1}` and so on for interpolations."""
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
    """Returns the literal at a position, the literals in its interpolations, and the position after it."""
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
    """Yields the doctor's and the trials' texts: the literals that contain words."""
    for path in SOURCES:
        for text in literals(path.read_text(encoding="utf-8")):
            words = PLACE.sub("", text)
            if (" " in words.strip() or words != text) and re.search("[A-Za-z]{3}", words) and not OTHER.match(text):
                yield text


def read(name):
    """Reads a file of words, and fails for a duplicate key.

    JSON parsers accept duplicate keys."""
    def once(pairs):
        assert len(pairs) == len(dict(pairs)), f"{name}: a key twice among {[key for key, _ in pairs]}"
        return dict(pairs)
    return json.loads((FILES / f"base/words-{name}.json").read_text(encoding="utf-8"), object_pairs_hook=once)


def texts(words, at=()):
    """Yields the texts and their paths.

    The rules are omitted, because the service contains the English texts of the rules.
    """
    for key, one in (words.items() if isinstance(words, dict) else enumerate(words)):
        if isinstance(one, str):
            yield ".".join((*at, str(key))), one
        elif (*at, key) != ("rules",):
            yield from texts(one, (*at, str(key)))


def known():
    """Returns the keys of the Chinese translations, and the keys of texts from other parts of the service."""
    sections = read("zh-findings")
    others = list(sections.pop(FROM_ELSEWHERE))
    return [key for section in sections.values() for key in section], others


class Languages(unittest.TestCase):
    def test_both_languages_have_the_same_texts_with_the_same_placeholders(self):
        english, chinese = ({path: set(FILLED.findall(text)) for path, text in texts(read(name))} for name in ("en", "zh"))
        self.assertGreater(len(english), 700)
        self.assertEqual(english, chinese)
        self.assertEqual(set(read("en")), set(read("zh")))

    def test_placeholders_have_a_known_form_and_are_numbered_from_the_first(self):
        for name in ("en", "zh"):
            for path, text in texts(read(name)):
                self.assertNotRegex(FILLED.sub("", text), "[{}|]", f"{name}: {path}")
                places = {int(place) for place in FILLED.findall(text)}
                # The event "offline" has no name to show, so its text doesn't use the first placeholder.
                if path != "timeline.events.offline":
                    self.assertEqual(places, set(range(len(places))), f"{name}: {path}")

    def test_each_text_with_placeholders_gets_values(self):
        placed = {path for path, text in texts(read("en")) if FILLED.search(text)}
        for script in FILES.rglob("*.js"):
            for filled, path in re.findall(r"(\bfill\()?(?<![.\w])t\.(\w+(?:\.\w+)*)", script.read_text(encoding="utf-8")):
                if path in placed - HANDED_ON:
                    self.assertTrue(filled, f"{script.name}: {path}")


class Words(unittest.TestCase):
    def test_the_reader_of_literals_accepts_interpolations_and_several_lines(self):
        source = 'a("x \\(y("in \\(z) it")) b") // "no"\nlet c = """\n    one \\\n    two \\(d)\n    """'
        self.assertEqual(list(literals(source)), ["x {0} b", "in {0} it", "one two {0}"])

    def test_each_text_has_chinese_words(self):
        texts = set(said())
        self.assertGreater(len(texts), 100)
        self.assertEqual(sorted(texts - set(known()[0])), [])

    def test_no_chinese_text_belongs_to_a_deleted_text(self):
        sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "Sources").glob("*/**/*.swift"))
        own, others = known()
        self.assertEqual(len(own + others), len(set(own + others)))
        spoken = {text for path in SOURCES for text in literals(path.read_text(encoding="utf-8"))}
        self.assertEqual([key for key in own if key not in spoken], [])
        self.assertEqual([key for key in others if f'"{key}"' not in sources], [])

    def test_chinese_texts_have_the_same_placeholders(self):
        for english, chinese in (pair for section in read("zh-findings").values() for pair in section.items()):
            self.assertEqual(sorted(PLACE.findall(english)), sorted(PLACE.findall(chinese)), english)
