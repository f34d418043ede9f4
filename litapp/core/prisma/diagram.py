"""Draws the flow as an accessible SVG: title, description, one text per line, numbers as links where they are given.

Colours and fonts are presentation attributes, so that a style sheet of the page can replace them (`pf-…` classes) and
the file looks the same everywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from litapp.core.prisma.figure_text import FigureBox, Line, description, figure_boxes, notes
from litapp.core.prisma.flow import PrismaFlow

FONT = "Liberation Sans, Arial, Helvetica, DejaVu Sans, sans-serif"
SIZE, LEADING, PAD = 13.0, 18.0, 10.0
BAND, GAP, SIDE_GAP, ROW_GAP, MARGIN = 28.0, 20.0, 24.0, 26.0, 8.0
WIDTHS = {"previous": 172.0, "main": 226.0, "side": 238.0, "other": 186.0, "other_side": 186.0}
INK, PAPER, LINE, BAND_FILL, HEAD_FILL, OPEN = "#1b1b1b", "#ffffff", "#3c3c3c", "#dfe8f0", "#eef1e6", "#8a4b00"

Href = Callable[[str, str], str]
"""(key, part) -> address of the records behind that number; "" = none."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A box at its place."""

    box: FigureBox
    x: float
    y: float
    width: float
    height: float
    lines: tuple[tuple[str, Line, bool], ...]
    """(text, line it belongs to, first of its line?)"""

    @property
    def middle(self) -> float:
        return self.y + self.height / 2

    @property
    def centre(self) -> float:
        return self.x + self.width / 2


ROWS: tuple[tuple[str, ...], ...] = (
    ("previous", "identified", "removed", "other_identified"),
    ("screened", "excluded"),
    ("sought", "not_retrieved", "other_sought", "other_not_retrieved"),
    ("assessed", "reasons", "other_assessed", "other_reasons"),
    ("included",),
    ("total",),
)
_COLUMN = {
    "previous": "previous", "identified": "main", "screened": "main", "sought": "main", "assessed": "main",
    "included": "main", "total": "main", "removed": "side", "excluded": "side", "not_retrieved": "side",
    "reasons": "side", "other_identified": "other", "other_sought": "other", "other_assessed": "other",
    "other_not_retrieved": "other_side", "other_reasons": "other_side",
}  # fmt: skip
_BANDS = (("Identification", (0, 0)), ("Screening", (1, 3)), ("Included", (4, 5)))


def draw(flow: PrismaFlow, *, title: str = "", href: Href | None = None, unique: str = "prisma") -> str:
    """The figure as SVG text. `href` gives links to the records behind each number; `unique` begins the ids."""
    boxes = figure_boxes(flow)
    places = _columns(boxes)
    placed, rows, bottom = _place(boxes, places)
    bands = list(_band_places(rows))
    bottom = max([bottom, *(low for _, _, low in bands)])
    width = max(one.x + one.width for one in placed.values()) + MARGIN
    footer = [piece for note in notes(flow) for piece in wrap(note, width - 2 * MARGIN)]
    height = bottom + (len(footer) * LEADING + PAD if footer else 0) + MARGIN
    heading = f"PRISMA 2020 flow diagram{f': {title}' if title else ''}"
    role = "group" if href else "img"
    look = "pf pf-wide" if len(places) > 2 else "pf"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{look}" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="{role}" aria-labelledby="{unique}-title {unique}-desc" font-family="{FONT}" '
        f'font-size="{SIZE:g}">',
        f'<title id="{unique}-title">{_text(heading)}</title>',
        f'<desc id="{unique}-desc">{_text(description(flow, title=title))}</desc>',
        f'<rect class="pf-paper" width="{width:g}" height="{height:g}" fill="{PAPER}"/>',
        *_headings(places, boxes),
        *_bands(bands),
        *(piece for one in placed.values() for piece in _box(one, href)),
        *_arrows(placed),
        *(
            f'<text class="pf-note" x="{MARGIN:g}" y="{bottom + PAD + (number + 0.8) * LEADING:g}" fill="{INK}" '
            f'font-style="italic">{_text(piece)}</text>'
            for number, piece in enumerate(footer)
        ),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _columns(boxes: dict[str, FigureBox]) -> dict[str, float]:
    """Left edge of every column that is there."""
    places: dict[str, float] = {}
    x = MARGIN + BAND + GAP
    for name in ("previous", "main", "side", "other", "other_side"):
        if any(_COLUMN[box] == name for box in boxes):
            places[name] = x
            x += WIDTHS[name] + (SIDE_GAP if name in ("main", "other") else GAP)
    return places


def _place(
    boxes: dict[str, FigureBox], places: dict[str, float]
) -> tuple[dict[str, _Placed], list[tuple[float, float] | None], float]:
    """Boxes at their places, (top, bottom) of each row, and where the last one ends."""
    placed: dict[str, _Placed] = {}
    rows: list[tuple[float, float] | None] = []
    y = MARGIN + LEADING * 2 + PAD * 2 + ROW_GAP / 2
    for names in ROWS:
        here = [boxes[name] for name in names if name in boxes]
        if not here:
            rows.append(None)
            continue
        laid = {box.name: tuple(_lines(box, WIDTHS[_COLUMN[box.name]])) for box in here}
        tallest = max(len(lines) for lines in laid.values()) * LEADING + 2 * PAD
        for box in here:
            own = len(laid[box.name]) * LEADING + 2 * PAD
            width = WIDTHS[_COLUMN[box.name]]
            placed[box.name] = _Placed(box, places[_COLUMN[box.name]], y, width, own, laid[box.name])
        rows.append((y, y + tallest))
        y += tallest + ROW_GAP
    return placed, rows, y - ROW_GAP


def _lines(box: FigureBox, width: float) -> Iterable[tuple[str, Line, bool]]:
    for line in box.lines:
        room = width - 2 * PAD - 14 * line.depth
        for number, piece in enumerate(wrap(line.text, room)):
            yield piece, line, number == 0


_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[] "), frozenset("mwMWABCDEGHKNOPQRSUVXYZ%@&")


def text_width(text: str) -> float:
    """How wide a text is about, in the figure's units: rather too wide than too narrow."""
    return sum(
        SIZE * (0.34 if sign in _NARROW else 0.8 if sign in _WIDE else 0.58 if ord(sign) < 0x2E80 else 1.05)
        for sign in text
    )


def wrap(text: str, width: float) -> list[str]:
    """Lines no wider than `width`; a number stays with its "n =". A word that is too long is cut."""
    words = text.replace("(n = ", "(n\u00a0=\u00a0").split(" ")
    lines: list[str] = []
    line = ""
    for whole in words:
        word = whole
        while text_width(word) > width and len(word) > 1:
            fits = max(1, next((n for n in range(len(word), 0, -1) if text_width(word[:n]) <= width), 1))
            lines += [line] if line else []
            lines.append(word[:fits])
            line, word = "", word[fits:]
        longer = f"{line} {word}" if line else word
        if line and text_width(longer) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line] if line or not lines else lines


def _box(one: _Placed, href: Href | None) -> Iterable[str]:
    yield (
        f'<rect class="pf-box" x="{one.x:g}" y="{one.y:g}" width="{one.width:g}" height="{one.height:g}" rx="3" '
        f'fill="{PAPER}" stroke="{LINE}"/>'
    )
    written: dict[int, list[str]] = {}
    of_line: dict[int, Line] = {}
    for number, (text, line, first) in enumerate(one.lines):
        x, y = one.x + PAD + 14 * line.depth, one.y + PAD + (number + 0.75) * LEADING
        look = (
            f' class="pf-open" fill="{OPEN}" font-style="italic"' if line.is_open else f' class="pf-text" fill="{INK}"'
        )
        weight = "" if line.key or line.depth else ' font-weight="bold"'
        place = len(of_line) if first else len(of_line) - 1
        of_line[place] = line
        written.setdefault(place, []).append(f'<text x="{x:g}" y="{y:g}"{look}{weight}>{_text(text)}</text>')
    for place, line in of_line.items():
        words = "".join(written[place])
        address = href(line.key, line.part) if href and line.key else ""
        yield f"<a href={quoteattr(address)}>{words}</a>" if address else words


def _headings(places: dict[str, float], boxes: dict[str, FigureBox]) -> Iterable[str]:
    spans = [("Previous studies", "previous", "previous")] if "previous" in places else []
    new = "new studies" if "previous" in boxes else "studies"
    spans.append((f"Identification of {new} via databases and registers", "main", "side"))
    if "other" in places:
        spans.append((f"Identification of {new} via other methods", "other", "other_side"))
    for words, first, last in spans:
        x = places[first]
        width = places[last] + WIDTHS[last] - x
        height = LEADING * 2 + PAD
        yield (
            f'<rect class="pf-head" x="{x:g}" y="{MARGIN:g}" width="{width:g}" height="{height:g}" rx="3" '
            f'fill="{HEAD_FILL}" stroke="{LINE}"/>'
        )
        lines = wrap(words, width - 2 * PAD)
        top = MARGIN + height / 2 - len(lines) * LEADING / 2
        for number, piece in enumerate(lines):
            yield (
                f'<text class="pf-text" x="{x + width / 2:g}" y="{top + (number + 0.75) * LEADING:g}" fill="{INK}" '
                f'text-anchor="middle" font-weight="bold">{_text(piece)}</text>'
            )


def _band_places(rows: list[tuple[float, float] | None]) -> Iterable[tuple[str, float, float]]:
    """(words, top, bottom) of each band; one is never shorter than its words."""
    for words, (first, last) in _BANDS:
        there = [row for row in rows[first : last + 1] if row is not None]
        yield words, there[0][0], max(there[-1][1], there[0][0] + text_width(words) + PAD)


def _bands(bands: Iterable[tuple[str, float, float]]) -> Iterable[str]:
    for words, top, bottom in bands:
        middle = (top + bottom) / 2
        yield (
            f'<rect class="pf-band" x="{MARGIN:g}" y="{top:g}" width="{BAND:g}" height="{bottom - top:g}" rx="3" '
            f'fill="{BAND_FILL}" stroke="{LINE}"/>'
        )
        x = MARGIN + BAND / 2 + SIZE / 3
        yield (
            f'<text class="pf-text" x="{x:g}" y="{middle:g}" fill="{INK}" text-anchor="middle" font-weight="bold" '
            f'transform="rotate(-90 {x:g} {middle:g})">{words}</text>'
        )


def _arrows(placed: dict[str, _Placed]) -> Iterable[str]:
    """Down the columns, out to the sides, and from the other columns to what is included."""

    def between(one: str, other: str, points: Callable[[_Placed, _Placed], list[tuple[float, float]]]) -> Iterable[str]:
        if one in placed and other in placed:
            yield _arrow(points(placed[one], placed[other]))

    def down(a: _Placed, b: _Placed) -> list[tuple[float, float]]:
        return [(a.centre, a.y + a.height), (a.centre, b.y)]

    def right(a: _Placed, b: _Placed) -> list[tuple[float, float]]:
        y = a.y + min(a.height, b.height) / 2
        return [(a.x + a.width, y), (b.x, y)]

    for one, other in (("identified", "screened"), ("screened", "sought"), ("sought", "assessed"),
                       ("assessed", "included"), ("included", "total"), ("other_identified", "other_sought"),
                       ("other_sought", "other_assessed")):  # fmt: skip
        yield from between(one, other, down)
    for one, other in (("identified", "removed"), ("screened", "excluded"), ("sought", "not_retrieved"),
                       ("assessed", "reasons"), ("other_sought", "other_not_retrieved"),
                       ("other_assessed", "other_reasons")):  # fmt: skip
        yield from between(one, other, right)
    yield from between(
        "other_assessed",
        "included",
        lambda a, b: [(a.centre, a.y + a.height), (a.centre, b.middle), (b.x + b.width, b.middle)],
    )
    yield from between(
        "previous",
        "total",
        lambda a, b: [(a.centre, a.y + a.height), (a.centre, b.middle), (b.x, b.middle)],
    )


def _arrow(points: list[tuple[float, float]]) -> str:
    (x1, y1), (x2, y2) = points[-2], points[-1]
    dx, dy = (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)
    back = (x2 - 8 * dx, y2 - 8 * dy)
    head = [(x2, y2), (back[0] - 4 * dy, back[1] - 4 * dx), (back[0] + 4 * dy, back[1] + 4 * dx)]
    line = " ".join(f"{x:g},{y:g}" for x, y in [*points[:-1], back])
    tip = " ".join(f"{x:g},{y:g}" for x, y in head)
    return (
        f'<polyline class="pf-line" points="{line}" fill="none" stroke="{LINE}" stroke-width="1.5"/>'
        f'<polygon class="pf-tip" points="{tip}" fill="{LINE}"/>'
    )


def _text(text: str) -> str:
    """Text for XML: signs that XML does not allow are replaced."""
    return escape(
        "".join(
            sign if sign in "\t\n" or (ord(sign) >= 32 and sign not in "\ufffe\uffff") else "\ufffd" for sign in text
        )
    )
