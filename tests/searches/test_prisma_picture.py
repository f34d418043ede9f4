"""The figure for documents: a PNG with writing in it; without fonts none."""

from __future__ import annotations

import pytest

from litapp.core.prisma.diagram import draw
from litapp.core.prisma.flow import flow
from searches.services import prisma_picture
from searches.services.prisma_picture import NoFonts, png_of
from tests.core.test_prisma_flow import REVIEW


def test_a_png_has_the_figures_size_and_is_the_same_again() -> None:
    svg = draw(flow(REVIEW))
    png = png_of(svg)
    assert png.startswith(b"\x89PNG")
    assert png == png_of(svg)


def test_without_fonts_there_is_no_png(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prisma_picture, "_has_fonts", lambda: False)
    with pytest.raises(NoFonts, match="fonts-dejavu-core"):
        png_of(draw(flow([])))
