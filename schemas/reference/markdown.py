"""Writes the reference's Markdown as HTML, plain text, and Markdown that every program can read.

The reference uses only a part of Markdown. This part consists of headings with `{#anchor}`, paragraphs, lists of one
level, tables, quotes and fences. All generated pages use only this part. Other programs read this part in the same
way.
"""

import re
from typing import NamedTuple

from . import diagrams, escape

# The names of the examples' languages.
LANGUAGES = {
    "sh": "Shell", "c": "C", "python": "Python", "javascript": "JavaScript", "swift": "Swift",
    "json": "JSON", "html": "HTML", "text": "Text",
}
ITEM = {False: re.compile(r"- "), True: re.compile(r"\d+\. ")}
STARTS = re.compile(r"```|#|\||- |\d+\. |>")
HEADING = re.compile(r"(#+)\s*(.*?)(?: \{#([^}]*)\})?$")
# The parts of a text: an escaped character, code, strong text, a link.
PART = re.compile(
    r"\\(?P<escaped>[\W_])|(?P<ticks>`++)(?P<code>.*?)(?P=ticks)|\*\*(?P<strong>.*?)\*\*"
    r"|\[(?P<text>.*?)\]\((?P<target>.*?)\)", re.S)


class Heading(NamedTuple):
    level: int
    text: str
    anchor: str


class Paragraph(NamedTuple):
    text: str


class Quote(NamedTuple):
    text: str


class Items(NamedTuple):
    items: list
    is_numbered: bool


class Table(NamedTuple):
    titles: list
    rows: list


class Fence(NamedTuple):
    info: str
    lines: list


# Blocks.


def blocks(text):
    """The blocks of a text."""
    lines = text.split("\n")
    found = []
    at = 0
    while at < len(lines):
        if lines[at].strip():
            block, at = block_at(lines, at)
            found.append(block)
        else:
            at += 1
    return found


def block_at(lines, at):
    """The block that begins at a line, and the index of the line after it."""
    line = lines[at]
    if line.startswith("```"):
        ticks = re.match("`+", line)[0]
        end = run(lines, at + 1, lambda one: one != ticks)
        return Fence(line[len(ticks):], lines[at + 1:end]), end + 1
    if line.startswith("#"):
        return heading(line), at + 1
    if line.startswith("|"):
        end = run(lines, at, lambda one: one.startswith("|"))
        rows = [cells(one) for one in lines[at:end]]
        return Table(rows[0], rows[2:]), end
    for is_numbered, mark in ITEM.items():
        if mark.match(line):
            return items(lines, at, is_numbered)
    if line.startswith(">"):
        end = run(lines, at, lambda one: one.startswith(">"))
        return Quote(" ".join(one.lstrip("> ") for one in lines[at:end])), end
    end = run(lines, at + 1, lambda one: one.strip() and not STARTS.match(one))
    return Paragraph(" ".join(lines[at:end])), end


def run(lines, at, fits):
    """The index of the first line at or after `at` that `fits` rejects.

    If `fits` rejects none of them, this is the number of lines."""
    while at < len(lines) and fits(lines[at]):
        at += 1
    return at


def heading(line):
    signs, text, anchor = HEADING.match(line).groups()
    return Heading(len(signs), text, slug(text) if anchor is None else anchor)


def slug(text):
    """A heading's anchor: lowercase letters and digits, with hyphens between them."""
    return "-".join(filter(None, re.split(r"[\W_]+", text.lower())))


def items(lines, at, is_numbered):
    found = []
    while at < len(lines) and (mark := ITEM[is_numbered].match(lines[at])):
        end = run(lines, at + 1, lambda one: one.startswith(" ") and one.strip())
        found.append(" ".join([lines[at][mark.end():], *(one.lstrip() for one in lines[at + 1:end])]))
        at = end
    return Items(found, is_numbered), at


def cells(line):
    """The cells of a table's line, without the backslashes of escaped bars."""
    found = re.findall(r"((?:\\.|[^|\\])*)(?:\||$)", line[1:])
    if not found[-1].strip():
        found.pop()
    return [re.sub(r"(\\.)", lambda one: "|" if one[1] == "\\|" else one[1], cell).strip() for cell in found]


# Text within a block.


def parts(text):
    """The parts of a text: matches for marked-up parts, and strings for plain text."""
    at = 0
    for part in PART.finditer(text):
        yield text[at:part.start()]
        yield part
        at = part.end()
    yield text[at:]


def code_of(part):
    return part["code"].strip() if len(part["ticks"]) > 1 else part["code"]


def inline(text):
    """The text as HTML; links to `page.md` become links to `page.html`."""
    out = ""
    for part in parts(text):
        if isinstance(part, str):
            out += escape(part)
        elif part["escaped"]:
            out += escape(part["escaped"])
        elif part["ticks"]:
            out += f"<code>{escape(code_of(part))}</code>"
        elif part["strong"] is not None:
            out += f"<strong>{inline(part['strong'])}</strong>"
        else:
            out += f'<a href="{escape(address(part["target"]))}">{inline(part["text"])}</a>'
    return out


def words(text):
    """The text without markup, for the search."""
    out = ""
    for part in parts(text):
        if isinstance(part, str):
            out += part
        elif part["ticks"]:
            out += code_of(part)
        else:
            out += part["escaped"] or words(part["strong"] or part["text"] or "")
    return out


def address(target):
    """The address of a link between the HTML pages."""
    page, sign, anchor = target.partition("#")
    return target if "://" in target else re.sub(r"\.md$", ".html", page) + sign + anchor


# Pages.


def page_html(found):
    """Blocks as HTML; neighbouring examples in several languages become one group."""
    out = []
    at = 0
    while at < len(found):
        group = examples(found[at:])
        if len(group) > 1:
            out.append(tabs(group))
            at += len(group)
        else:
            out.append(block_html(found[at]))
            at += 1
    return "\n".join(out)


def examples(found):
    """The examples at the start of the blocks, each in a different language."""
    group = []
    for block in found:
        fits = isinstance(block, Fence) and block.info in LANGUAGES and block.info != "json"
        if not fits or block.info in [one.info for one in group]:
            break
        group.append(block)
    return group


def tabs(group):
    """A group of examples as HTML elements that can be opened, of which the first is open."""
    out = ""
    for one in group:
        is_open = "" if out else ' open=""'
        out += f'<details class="language" data-language="{one.info}"{is_open}>'
        out += f"<summary>{LANGUAGES[one.info]}</summary>{code_block(one)}</details>"
    return f'<div class="examples">{out}</div>'


def code_block(fence):
    lines = escape("\n".join(fence.lines))
    return f'<pre tabindex="0" class="code {escape(fence.info)}"><code>{lines}</code></pre>'


def block_html(block):
    match block:
        case Heading(level, text, anchor):
            sign = f' <a class="here" href="#{anchor}" aria-label="Link to this section">#</a>' if level > 1 else ""
            return f'<h{level} id="{anchor}">{inline(text)}{sign}</h{level}>'
        case Paragraph(text):
            return f"<p>{inline(text)}</p>"
        case Quote(text):
            return f"<blockquote><p>{inline(text)}</p></blockquote>"
        case Items(found, is_numbered):
            name = "ol" if is_numbered else "ul"
            return f"<{name}>\n" + "\n".join(f"<li>{inline(one)}</li>" for one in found) + f"\n</{name}>"
        case Table(titles, rows):
            lines = "\n".join(row(one, "td") for one in rows)
            return (f'<div class="table" tabindex="0"><table>\n<thead>{row(titles, "th")}</thead>\n<tbody>\n{lines}\n'
                    "</tbody>\n</table></div>")
    diagram = diagrams.read(block.info, block.lines)
    if diagram is None:
        return code_block(block)
    return (f'<figure tabindex="0">{diagrams.svg(diagram, is_alone=False)}'
            f"<figcaption>{escape(diagram.title)}</figcaption></figure>")


def row(found, name):
    # A screen reader would announce an empty header cell with each cell of its column. So an empty cell is always a
    # `td`.
    named = [(name if text else "td", inline(text)) for text in found]
    return "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for tag, text in named) + "</tr>"


def portable(text):
    """A page as Markdown for every program, with anchors as HTML and diagrams as pictures."""
    def picture(fence):
        diagram = diagrams.read(fence[1], fence[2].split("\n"))
        return f"![{diagram.title}]({diagram.name}.svg)"

    text = re.sub(r"^```((?:sequence|states) [^\n]*)\n(.*?)\n```$", picture, text, flags=re.M | re.S)
    return re.sub(r"^(#[^\n]*?) \{#([^\n]*)\}$", r'<a id="\2"></a>\n\n\1', text, flags=re.M)
