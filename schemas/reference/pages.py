"""Lists all pages of the reference in Markdown, in the order of the navigation.

This file reads the handwritten pages and the guides, and makes the lists of codes, limits, settings and metrics."""

import json
import pathlib
import re
from typing import NamedTuple

from . import markup, message_pages, method_pages

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS = ROOT / "Sources/Reference/Texts"
GUIDES = ROOT / "docs/guides"
# The facts that only the program knows. A Swift test compares this file with the program, and can rewrite it.
FACTS = ROOT / "schemas/facts.jsonl"

START, GUIDE, RULES, CONTRACT, LISTS = GROUPS = (
    "Start", "Guides", "How it works", "Every message", "Every code and number")
# The handwritten pages in their order.
FIRST = ("index", "try", "connecting", "examples")
RULE_PAGES = (
    "registration", "reports", "presence", "commands", "products", "requests", "http", "accounts", "sessions", "oauth",
    "sharing", "schedules", "events", "notifications", "home-assistant", "delivery", "clocks", "fairness", "operation")
GUIDE_PAGES = (
    "first-device", "by-hand", "first-app", "over-http", "server-requests", "server-events", "notifications", "logging-in", "voice",
    "sharing", "history", "home-assistant", "real-server", "console", "watching", "proxy", "growing", "processes", "moving")


class Page(NamedTuple):
    """A page, whose text begins with its title as a heading."""

    name: str
    group: str
    markdown: str

    @property
    def title(self):
        return self.markdown.split("\n", 1)[0].removeprefix("# ")


def pages():
    """All pages, in the order of the navigation."""
    whole = [
        *((START, name, written(name)) for name in FIRST),
        (GUIDE, "guides", guide("README")),
        *((GUIDE, f"guide-{name}", guide(name)) for name in GUIDE_PAGES),
        *((RULES, name, written(name)) for name in RULE_PAGES),
        *((CONTRACT, *page) for page in message_pages.topics_and_messages()),
        *((CONTRACT, *page) for page in method_pages.services()),
        *((CONTRACT, *page) for page in message_pages.documents_and_types()),
        *((LISTS, *page) for page in lists()),
    ]
    return [Page(name, group, text) for group, name, text in whole]


def written(name):
    """A handwritten page, in which a line such as `{{ask.py}}` becomes that example file's text."""
    return re.sub(r"\{\{(\w+\.\w+)\}\}", lambda file: read(f"examples/{file[1]}").strip(), read(f"{name}.md"))


def read(name):
    return (TEXTS / name).read_text(encoding="utf-8")


def guide(name):
    return pointed((GUIDES / f"{name}.md").read_text(encoding="utf-8"))


def pointed(text):
    """A guide's text for the reference, without pictures.

    A link to another guide leads to its page in the reference. A link to a file outside the guides' folder becomes
    plain text."""
    text = re.sub(r"!\[[^\]]*\]\(\.\./[^)]*\)\n\n", "", text.replace("](README.md", "](guides.md"))
    text = re.sub(rf"\]\(({'|'.join(GUIDE_PAGES)})\.md", r"](guide-\1.md", text)
    return re.sub(r"\[([^\[\]]*)\]\(\.\./[^)]*\)", r"\1", text)


# Codes, limits, settings and metrics.


def facts(kind):
    """The facts of one kind: `setting`, `metric`, `problem`, `refusal` or `error`."""
    lines = [json.loads(line) for line in FACTS.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if kind in line]


def lists():
    """The pages of codes, limits, settings and metrics, each as a name and a text."""
    settings = facts("setting")
    groups = {}
    for one in settings:
        first, dot, _ = one["setting"].partition(".")
        groups.setdefault(first if dot else "general", []).append(one)
    metrics = [[f"`{one['metric']}`", one["kind"], markup.escape(one["help"])] for one in facts("metric")]
    found = {
        "errors": ("Error codes", [error(one) for one in facts("error")]),
        "refusals": ("Reasons of refusals", [refusal(one) for one in facts("refusal")]),
        "problems": ("Codes of the command line", [problem(one) for one in facts("problem")]),
        "limits": ("Limits", [table([one for one in settings if one["setting"].startswith("limits.")])]),
        "settings": ("Settings", [f"## {name} {{#settings-{name}}}\n\n{table(rows)}" for name, rows in groups.items()]),
        "metrics": ("Metrics", [markup.table(["Metric", "Kind", "What it counts"], metrics)]),
    }
    return [
        (name, "\n\n".join([f"# {title}", read(f"{name}-head.md").rstrip("\n"), *parts]) + "\n")
        for name, (title, parts) in found.items()
    ]


def error(one):
    later = " The same request can succeed later." if one["isPassing"] else ""
    return f"## {one['error']} {{#{one['error']}}}\n\n{cause_and_cure(one['cause'], one['cure'])}{later}"


def refusal(one):
    text = cause_and_cure(markup.escape(one["cause"]), markup.escape(one["cure"]))
    return explained(one["refusal"], one["title"], text)


def problem(one):
    return explained(one["problem"], one["title"], markup.escape(one["text"].replace("\n", " ")))


def explained(code, title, text):
    return f"## {code} {{#{code}}}\n\n{markup.escape(title)}.\n\n{text}"


def cause_and_cure(cause, cure):
    return f"**Cause:** {cause}\n\n**Cure:** {cure}"


def table(settings):
    return markup.table(["Setting", "Takes", "Default", "What it does"], [
        [f"`{one['setting']}`", markup.escape(one["takes"]), markup.code(one["default"]) if one["default"] else "–",
         markup.escape(one["doc"])]
        for one in settings])
