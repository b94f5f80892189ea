"""Converts plain texts to the reference's Markdown."""

import re

from . import contract


def escape(text):
    """Escapes Markdown's special characters outside code; `(reference: PAGE#ANCHOR)` becomes a link."""
    pieces = text.split("`")
    pieces[::2] = [re.sub(r"[*<>\[\]_#]", r"\\\g<0>", piece) for piece in pieces[::2]]
    return re.sub(r"\(reference: ([a-z-]+)\\#([A-Za-z0-9-]+)\)", r"([the rules](\1.md#\2))", "`".join(pieces))


def prose(text):
    """An escaped text whose error codes and method names become links, except inside code."""
    pieces = escape(text).split("`")
    pieces[::2] = [re.sub(r"[A-Za-z]+(?:/[A-Za-z]+)?", linked, piece) for piece in pieces[::2]]
    return "`".join(pieces)


def linked(word):
    if word[0] in contract.error_codes():
        return f"[{word[0]}](errors.md#{word[0]})"
    method = contract.methods().get(word[0])
    return method.link if method else word[0]


def code(text):
    """A text as code, in double backticks if it contains a backtick."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def table(titles, rows):
    """A table with a row of titles, or an empty text if `rows` is empty."""
    cells = [[cell.replace("\n", " ").replace("|", "\\|") for cell in row] for row in rows]
    lines = [titles, ["---"] * len(titles), *cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) if rows else ""


def listed(words, conjunction):
    """Words separated by commas, with a conjunction between the last two."""
    *first, last = list(words) or [""]
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def paragraphs(parts):
    """Parts of a text as paragraphs; empty parts are left out."""
    return "\n\n".join(filter(None, parts))
