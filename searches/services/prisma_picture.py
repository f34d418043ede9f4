"""The figure of a project's flow for documents: PNG, alternative text, table and notes from one count. Reads only.

`prisma_picture(project)` is what documents call.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache

import resvg_py

from litapp.core.prisma.diagram import draw
from litapp.core.prisma.figure_text import Row, description, notes, table_rows
from litapp.core.prisma.flow import PrismaFlow
from litapp.projects.models import Project
from searches.services.prisma import project_flow

SHARPNESS = 2.0
"""Pixels of the PNG per unit of the figure."""
_TRIAL = '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20"><text y="15" font-size="14">{}</text></svg>'


class NoFonts(RuntimeError):
    """This machine has no font with which the figure could be written: a PNG would be boxes without numbers."""


@dataclass(frozen=True, slots=True)
class PrismaPicture:
    """The figure of one count: `svg`, `png` with its size in units, `alt` = alternative text, `rows` = the table that
    says all of it, `notes` = what must stand below."""

    flow: PrismaFlow
    svg: str
    png: bytes
    alt: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...]


def prisma_picture(project: Project, until: datetime | None = None) -> PrismaPicture:
    """The figure as it stood at `until` (None = now). Raises FlowError where the numbers contradict each other, NoFonts
    where this machine cannot write it: then use the table of `litapp.core.prisma.figure_text` alone."""
    flow = project_flow(project, until)
    svg = draw(flow, title=project.name)
    return PrismaPicture(
        flow, svg, png_of(svg), description(flow, title=project.name), tuple(table_rows(flow)), tuple(notes(flow))
    )


def png_of(svg: str) -> bytes:
    """The figure as PNG. Raises NoFonts."""
    if not _has_fonts():
        raise NoFonts(
            "This machine has no fonts, so that the figure cannot be made a PNG. Install a font (for example the "
            "package fonts-dejavu-core), or take the SVG."
        )
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=SHARPNESS, background="#ffffff"))


@cache
def _has_fonts() -> bool:
    """Whether a text leaves any trace: the renderer leaves out what it has no font for, without a word."""
    written, blank = (bytes(resvg_py.svg_to_bytes(svg_string=_TRIAL.format(text))) for text in ("n = 1", ""))
    return written != blank
