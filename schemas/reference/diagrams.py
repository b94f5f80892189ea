"""Draws the diagrams that a page describes in fences.

A diagram's fence begins with ```` ```sequence NAME Title ```` or ```` ```states NAME Title ````."""

import math
import re
from typing import NamedTuple

from . import escape

STYLE = """<style>
.paper { fill: #fff } .line, .arrow { stroke: #444; fill: none; stroke-width: 1.3 } .tip { fill: #444 }
.dashed { stroke-dasharray: 5 4 } .box { fill: #eef2f7; stroke: #667; stroke-width: 1 }
.life { stroke: #aab; stroke-width: 1; stroke-dasharray: 2 4 } .note { fill: #fff6d8; stroke: #b90 }
.words { fill: #111; font: 13px system-ui, sans-serif } .middle { text-anchor: middle }
@media (prefers-color-scheme: dark) {
.paper { fill: #15181d } .line, .arrow { stroke: #bbc } .tip { fill: #bbc }
.box { fill: #26303c; stroke: #89a } .life { stroke: #556 } .note { fill: #3a3418; stroke: #b90 }
.words { fill: #eee } }
</style>
"""
CELL_WIDTH, CELL_HEIGHT = 250, 110
BOX_WIDTH, BOX_HEIGHT = 116, 40


class Diagram(NamedTuple):
    """A diagram's text with the name of its file."""

    kind: str  # "sequence" or "states"
    name: str
    title: str
    lines: list


def read(info, lines):
    """The diagram in a fence, or None if the fence has no diagram."""
    found = info.split(maxsplit=2)
    if len(found) != 3 or found[0] not in ("sequence", "states"):
        return None
    return Diagram(*found, [line for line in lines if line])


def svg(diagram, is_alone):
    """The picture of a diagram, which includes the colours only if the picture has its own file."""
    drawing = (sequence if diagram.kind == "sequence" else states)(diagram.lines)
    text = "\n".join(escape(line) for line in diagram.lines)
    title = escape(diagram.title)
    size = f'viewBox="0 0 {drawing.width} {drawing.height}" width="{drawing.width}" height="{drawing.height}"'
    shapes = "\n".join(drawing.shapes)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{title}" class="diagram">\n'
            f"{STYLE if is_alone else ''}<title>{title}</title>\n<desc>{text}</desc>\n{shapes}\n</svg>")


def width_of(text):
    """The approximate width of a text in a diagram's font, in pixels."""
    return len(text) * 7


class Drawing:
    """The shapes of a diagram and its size, in pixels."""

    def __init__(self):
        self.width = self.height = 0
        self.shapes = []

    def text(self, text, x, y):
        """Adds a text centred at x."""
        self.shapes.append(f'<text class="words middle" x="{x}" y="{y}">{escape(text)}</text>')

    def rectangle(self, kind, x, y, width, height, rounding=4):
        self.shapes.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="{rounding}"/>')

    def arrow(self, start, end, is_dashed=False):
        length = max(math.dist(start, end), 1)
        dx, dy = ((end[i] - start[i]) / length for i in (0, 1))
        x, y = end[0] - 9 * dx, end[1] - 9 * dy
        kind = "arrow dashed" if is_dashed else "arrow"
        self.shapes.append(f'<path class="{kind}" d="M{point(*start)} L{point(x, y)}"/>')
        sides = f"L{point(x - 4 * dy, y + 4 * dx)} L{point(x + 4 * dy, y - 4 * dx)}"
        self.shapes.append(f'<path class="tip" d="M{point(*end)} {sides} Z"/>')


def point(*place):
    """The coordinates of a point as text, rounded to tenths."""
    return ",".join(f"{math.floor(value * 10 + 0.5) / 10:g}" for value in place)


# Messages between parties, from top to bottom. The first line names the parties, separated by `|`. Each further line is
# `A -> B: words`, `A --> B: words` (dashed, an answer) or `note A: words`.


class Step(NamedTuple):
    start: int
    end: int
    words: str
    is_dashed: bool = False
    is_note: bool = False


def sequence(lines):
    parties = [name.strip() for name in lines[0].split("|")]
    steps = [step(line, parties) for line in lines[1:]]
    drawing = Drawing()
    columns = places(parties, steps)
    height = 64 + len(steps) * 38
    for name, x in zip(parties, columns):
        width = width_of(name) + 24
        drawing.shapes.append(f'<path class="life" d="M{x},44 L{x},{height}"/>')
        drawing.rectangle("box", x - width // 2, 14, width, 30)
        drawing.text(name, x, 34)
    for index, one in enumerate(steps):
        add_step(drawing, one, 78 + index * 38, columns)
    notes = [columns[one.start] + width_of(one.words) // 2 + 20 for one in steps if one.start == one.end]
    drawing.width = max(columns[-1] + width_of(parties[-1]) // 2 + 24, *notes, 0)
    drawing.height = height + 8
    return drawing


def step(line, parties):
    head, _, words = line.partition(": ")
    if head.startswith("note "):
        party = parties.index(head[5:].strip())
        return Step(party, party, words, is_note=True)
    start, arrow, end = re.split("(--?>)", head, maxsplit=1)
    return Step(parties.index(start.strip()), parties.index(end.strip()), words, is_dashed=arrow == "-->")


def places(parties, steps):
    """The centres of the columns, far enough apart for the words between them."""
    notes = [width_of(one.words) // 2 + 14 for one in steps if one.is_note and one.start == 0]
    columns = [max(width_of(parties[0]) // 2 + 24, *notes, 0)]
    for index in range(1, len(parties)):
        ends = [(min(one.start, one.end), max(one.start, one.end), one) for one in steps if not one.is_note]
        needs = [columns[low] + width_of(one.words) + 34 for low, high, one in ends if low < index == high]
        names = (width_of(parties[index - 1]) + width_of(parties[index])) // 2 + 44
        columns.append(max(columns[-1] + max(names, 120), *needs, 0))
    return columns


def add_step(drawing, one, y, columns):
    start, end = columns[one.start], columns[one.end]
    width = width_of(one.words)
    if start == end:
        drawing.rectangle("note", start - (width + 18) // 2, y - 16, width + 18, 24)
        drawing.text(one.words, start, y + 1)
        return
    middle = (start + end) // 2
    drawing.rectangle("paper", middle - width // 2, y - 18, width, 15, rounding=0)
    drawing.text(one.words, middle, y - 6)
    drawing.arrow((start, y), (end, y), one.is_dashed)


# States and the transitions between them. Each line is a state (`Name COLUMN ROW`) or a transition (`A -> B: words`).


def states(lines):
    edges = [re.fullmatch(r"(.+?) -> (.+?)(?:: (.*))?", line).groups("") for line in lines if " -> " in line]
    boxes = [line.rsplit(maxsplit=2) for line in lines if " -> " not in line]
    cells = {name: (int(column), int(row)) for name, column, row in boxes}
    drawing = Drawing()
    drawing.width = (max(column for column, _ in cells.values()) + 1) * CELL_WIDTH - 100
    drawing.height = (max(row for _, row in cells.values()) + 1) * CELL_HEIGHT - 20
    centers = {name: (column * CELL_WIDTH + 75, row * CELL_HEIGHT + 35) for name, (column, row) in cells.items()}
    # Two transitions between the same states, in opposite directions, are drawn side by side.
    pairs = {edge[:2] for edge in edges}
    for start, end, words in edges:
        add_edge(drawing, centers[start], centers[end], words, is_double=(end, start) in pairs)
    for name, (x, y) in centers.items():
        drawing.rectangle("box", x - BOX_WIDTH // 2, y - BOX_HEIGHT // 2, BOX_WIDTH, BOX_HEIGHT, rounding=12)
        drawing.text(name, x, y + 5)
    return drawing


def add_edge(drawing, start, end, words, is_double):
    shift = (-10 if start[0] < end[0] or start[1] < end[1] else 10) if is_double else 0
    is_flat = start[1] == end[1]
    first, last = border(start, end, shift, is_flat), border(end, start, shift, is_flat)
    drawing.arrow(first, last)
    x, y = int((first[0] + last[0]) / 2), int((first[1] + last[1]) / 2)
    lines = wrapped(words)
    width = max((width_of(line) for line in lines), default=0)
    if is_flat:
        up = 18 if shift > 0 else 8 - len(lines) * 15
    else:
        up = 4 - (len(lines) - 1) * 7
    for index, line in enumerate(lines):
        if not is_flat:
            drawing.rectangle("paper", x - width // 2, y + up + index * 15 - 12, width, 16, rounding=0)
        drawing.text(line, x, y + up + index * 15)


def border(center, other, shift, is_flat):
    """The place on a box's border from which an arrow leads to another box."""
    dx, dy = other[0] - center[0], other[1] - center[1]
    scale = min((BOX_WIDTH / 2 + 2) / abs(dx) if dx else math.inf, (BOX_HEIGHT / 2 + 2) / abs(dy) if dy else math.inf)
    return center[0] + dx * scale + (0 if is_flat else shift), center[1] + dy * scale + (shift if is_flat else 0)


def wrapped(words):
    """Breaks a text into lines that fit between two states."""
    lines = []
    for word in words.split():
        if lines and len(lines[-1]) + len(word) < 16:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines
