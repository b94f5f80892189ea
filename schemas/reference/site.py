"""Makes the reference's pages, pictures and search index, and the contract for the playground's forms.

The pages are in Markdown, and in HTML that is also valid XML."""

import catalog

from . import contract, diagrams, escape, markdown, message_pages, pages

# Each file of the archive begins with this sign and the file's path. Swift's literals can't contain a real form feed,
# so the visible sign stands for it.
FILE_START = "\N{SYMBOL FOR FORM FEED}"
# The program replaces this text in a page with the program's version.
VERSION = "{{version}}"
SEARCH_END = '];\nif (typeof module !== "undefined") module.exports = referenceIndex;\n'
DEPTH_MAX = 5
# The parts of a schema that a form shows.
SHOWN = ("type", "enum", "minimum", "maximum", "minLength", "maxLength", "required")

FRAME = """<!DOCTYPE html>
<html lang="en" xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>{title} – Lamplighter</title>
<link rel="icon" href="icon.svg" type="image/svg+xml"/>
<link rel="stylesheet" href="style.css"/>
{playground}<script src="search-index.js" defer="defer"></script>
<script src="search.js" defer="defer"></script>
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header>
<a class="name" href="index.html">Lamplighter <span>reference {version}</span></a>
<form id="search" role="search" hidden="hidden"><input type="search" placeholder="Search  ( / )" \
role="combobox" aria-label="Search" aria-expanded="false" aria-controls="results" aria-autocomplete="list" \
autocomplete="off" spellcheck="false"/><div class="results"><p id="search-note" role="status"></p>\
<div id="results" role="listbox" aria-label="Results" hidden="hidden"></div></div></form>
</header>
<div class="columns{wide}">
<nav aria-label="Pages"><details open="open"><summary>Pages</summary>{navigation}</details></nav>
<main id="content">
{content}
</main>
{contents}
</div>
</body>
</html>
"""
PLAYGROUND = """<link rel="stylesheet" href="try/try.css"/>
<script src="try/start.js" defer="defer"></script>
"""


def archive():
    """All files as one text.

    Each file begins with `FILE_START`, its path and a line break, and ends with a second line break."""
    found = files()
    if any(FILE_START in text for text in found.values()):
        raise ValueError(f"a page has {FILE_START}, which begins the next file")
    return "".join(f"{FILE_START}{path}\n{text}\n" for path, text in found.items())


def files():
    """The files by path, with their text."""
    out = {}
    whole = pages.pages()
    for page in whole:
        blocks = markdown.blocks(page.markdown)
        out[f"{page.name}.html"] = page_html(page, blocks, whole)
        out[f"markdown/{page.name}.md"] = markdown.portable(page.markdown)
        for diagram in diagrams_of(blocks):
            out[f"markdown/{diagram.name}.svg"] = diagrams.svg(diagram, is_alone=True)
    out["search-index.js"] = search_index(whole)
    out["try/contract.json"] = contract.compact(playground_contract()) + "\n"
    return out


def diagrams_of(blocks):
    found = [diagrams.read(*block) for block in blocks if isinstance(block, markdown.Fence)]
    return [diagram for diagram in found if diagram]


# A page with its head, navigation and search.


def page_html(page, blocks, whole):
    # A running service turns this page into the playground.
    is_playground = page.name == "try"
    return FRAME.format(
        title=escape(page.title), playground=PLAYGROUND if is_playground else "", version=VERSION,
        wide=" wide" if is_playground else "", navigation=navigation(page, whole),
        content=markdown.page_html(blocks), contents="" if is_playground else contents(blocks))


def navigation(page, whole):
    out = ""
    for group in pages.GROUPS:
        items = ""
        for other in whole:
            if other.group == group:
                here = ' aria-current="page"' if other.name == page.name else ""
                items += f'<li><a href="{other.name}.html"{here}>{escape(other.title)}</a></li>'
        out += f"<p>{group}</p><ul>{items}</ul>"
    return out


def contents(blocks):
    """The page's list of sections, which is shown beside the page's text if there's room."""
    items = [
        f'<li><a href="#{block.anchor}">{escape(markdown.words(block.text))}</a></li>'
        for block in blocks if isinstance(block, markdown.Heading) and block.level == 2]
    if len(items) < 2:
        return ""
    return f'<aside aria-label="On this page"><p>On this page</p><ul>{"".join(items)}</ul></aside>'


# The search.


def search_index(whole):
    """The search index, with a row for each section and each topic.

    The index is a script, so pages opened from a local disk can load it."""
    rows = [row for page in whole for row in sections(page)]
    for channel in contract.channels().values():
        rows.append([contract.topic(channel), "Topics", message_pages.address(channel), channel["summary"]])
    return "var referenceIndex = [\n" + ",\n".join(contract.compact(row) for row in rows if row[3]) + f"\n{SEARCH_END}"


def sections(page):
    """The title, page, address and words of each section.

    The sections within a method (its params, its errors) belong to the method.
    """
    rows = [[page.title, page.title, f"{page.name}.html", []]]
    for block in markdown.blocks(page.markdown):
        if not isinstance(block, markdown.Heading):
            rows[-1][3] += block_words(block)
        elif block.level == 2:
            rows.append([markdown.words(block.text), page.title, f"{page.name}.html#{block.anchor}", []])
    return [[*row[:3], " ".join(row[3])] for row in rows]


def block_words(block):
    match block:
        case markdown.Items(items, _):
            return [markdown.words(item) for item in items]
        case markdown.Table(_, rows):
            return [markdown.words(cell) for row in rows for cell in row]
        case markdown.Fence(info, lines):
            return lines if diagrams.read(info, lines) else []
    return [markdown.words(block.text)]


# The playground.


def playground_contract():
    """The methods with the schemas of their params, without references, and the explanation of each error."""
    return {
        "methods": [
            {
                "name": name, "summary": markdown.words(method.summary), "session": catalog.needs_session(name),
                "examples": [
                    {"title": title, "value": value} for title, value in contract.examples(f"{method.place}.params")],
                "params": form(contract.schemas()[f"{method.place}.params"], 0),
            }
            for name, method in contract.methods().items()
        ],
        "errors": {
            one["error"]: {key: markdown.words(one[key]) for key in ("cause", "cure")} for one in pages.facts("error")},
    }


def form(schema, depth):
    """A schema as a form needs it, with the members of all its variants."""
    found, _ = contract.resolved(schema)
    out = {key: value for key, value in found.items() if key in SHOWN}
    about = markdown.words(found.get("description", ""))
    if about:
        out["description"] = about
    if depth == DEPTH_MAX:
        return out
    variants = [contract.resolved(one)[0] for one in contract.objects(found, "oneOf")]
    members = {}
    for one in [found, *variants]:
        for name, inner in contract.members(one):
            # Several parts of a schema can name the same member, to restrict its values further. The first schema found
            # for the member is the most specific.
            members.setdefault(name, inner)
    shown = {name: form(inner, depth + 1) for name, inner in members.items() if isinstance(inner, dict)}
    return {**out, "properties": shown} if members else out
