"""Whether bytes are a PDF, and whether it is the paper that was looked for. Pure; `read_pdf` may be slow."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from functools import lru_cache

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from litapp.core.fulltext import Outcome
from litapp.core.fulltext_html import looks_like_a_page
from litapp.core.normalise import strip_status_prefix, title_key

SMALLEST = 10 * 1024
"""Bytes. Issue 8: a PDF of a paper has at least 10 KB; smaller ones are error pages and empty covers."""
FIRST_PAGES = 3
"""Pages on which title or DOI must stand: repositories put one or two covers before the paper."""
_FEWEST_LETTERS = 100
"""Letters on the first pages below which a PDF counts as scanned."""
_SHORTEST_TITLE = 20
"""Letters of a title that says by itself which paper it is ("Editorial" does not)."""
_NEARLY = 0.85
_TYPES = ("application/pdf", "application/x-pdf", "application/octet-stream", "binary/octet-stream", "")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_ABOUT = re.compile(
    r"\b(?:correction|corrigendum|erratum|retraction|retracted|withdrawal|expression of concern|reply|response|comment|"
    r"commentary|letter)s?(?: (?:notice|to the editor))?\s*(?:to|of|on|for|regarding|re)?\s*[:.“\"]*\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PdfReading:
    """What was read from a PDF. `problem` is DAMAGED or LOCKED (no page was read then); `texts` are the pages' texts,
    all of them or the first ones; `whole` is False where the file ends without a PDF's end mark."""

    pages: int = 0
    texts: tuple[str, ...] = ()
    whole: bool = True
    problem: Outcome | None = None


def bytes_problem(content_type: str, body: bytes) -> Outcome | None:
    """Why these bytes are not read as a PDF at all; None = they may be one. Web pages are named by `fulltext_html`.

    Source of the rule: issue 8 (content type, `%PDF-`, at least 10 KB).
    """
    kind = content_type.partition(";")[0].strip().lower()
    starts = body[:1024].lstrip(b"\x00\t\r\n\x0c ").startswith(b"%PDF-")
    if looks_like_a_page(body):
        return Outcome.WEB_PAGE
    if not starts:
        return Outcome.NOT_A_PDF if kind in _TYPES[:2] else Outcome.WRONG_TYPE
    if kind not in _TYPES:
        return Outcome.WRONG_TYPE
    return Outcome.TOO_SMALL if len(body) < SMALLEST else None


def read_pdf(body: bytes, *, most_pages: int | None = FIRST_PAGES) -> PdfReading:
    """Open a PDF and read the text of its first pages (None = all). Never raises for a bad file.

    A hostile file can make pypdf run for very long: outside tests it is called in a process with limits
    (`references.services.fulltext_pdf`).
    """
    whole = b"%%EOF" in body.rstrip(b"\x00\r\n\t ")[-4096:]
    try:
        reader = PdfReader(io.BytesIO(body), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return PdfReading(whole=whole, problem=Outcome.LOCKED)
        count = len(reader.pages)
        wanted = count if most_pages is None else min(count, most_pages)
        texts = tuple(_text(reader, place) for place in range(wanted))
    except NotImplementedError:
        return PdfReading(whole=whole, problem=Outcome.LOCKED)
    except (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OSError):
        return PdfReading(whole=whole, problem=Outcome.DAMAGED)
    except ImportError:  # pypdf asks for a library of ciphers only for files that are locked
        return PdfReading(whole=whole, problem=Outcome.LOCKED)
    if not count:
        return PdfReading(whole=whole, problem=Outcome.DAMAGED)
    return PdfReading(count, texts, whole)


def _text(reader: PdfReader, place: int) -> str:
    """The text of one page; a page that cannot be read has none (scanned ones have none either)."""
    try:
        return reader.pages[place].extract_text().replace("\x00", "")
    except (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, ZeroDivisionError, OverflowError):
        return ""


def is_the_paper(texts: tuple[str, ...], *, title: str, doi: str, whole: bool = True) -> Outcome:
    """Whether the first pages are those of the paper: ACCEPTED, one of TO_ASK, or OTHER_PAPER.

    Title and DOI are compared without case, punctuation and breaks. Words before the title that make it a notice or
    letter about the paper, and a title that is too short to prove anything, lead to a question.
    """
    pages = texts[:FIRST_PAGES]
    if sum(letter.isalpha() for page in pages for letter in page) < _FEWEST_LETTERS:
        return Outcome.SCANNED
    text, title = "\n".join(pages), strip_status_prefix(title)
    found = _title_found(text, title)
    if found is not Outcome.ACCEPTED and doi and doi.lower() in _dense(text):
        found = Outcome.ACCEPTED if _first_doi(text, doi) else Outcome.NEARLY
    if found is Outcome.ACCEPTED and _is_about(text, title):
        return Outcome.ABOUT_IT
    return Outcome.CUT_OFF if found is Outcome.ACCEPTED and not whole else found


def _dense(text: str) -> str:
    return "".join(text.lower().split())


def _first_doi(text: str, doi: str) -> bool:
    """True where the first DOI on the pages is the paper's own: a letter about it names another one first."""
    first = _DOI.search(_dense(text))
    return first is not None and first[0].startswith(doi.lower())


@lru_cache(maxsize=4)
def _page_key(text: str) -> str:
    """The words of the pages: one file is compared with many titles."""
    return title_key(text)


def _title_found(text: str, title: str) -> Outcome:
    """ACCEPTED where the whole title stands in the text, NEARLY where most of its longer words do, else OTHER_PAPER."""
    key, page = title_key(title), _page_key(text)
    if len(key.replace(" ", "")) < _SHORTEST_TITLE:
        return Outcome.NEARLY if key and key.replace(" ", "") in page.replace(" ", "") else Outcome.OTHER_PAPER
    if key.replace(" ", "") in page.replace(" ", ""):
        return Outcome.ACCEPTED
    words = {word for word in key.split() if len(word) > 3}
    there = words & set(page.split())
    return Outcome.NEARLY if len(words) >= 4 and len(there) >= _NEARLY * len(words) else Outcome.OTHER_PAPER


def _is_about(text: str, title: str) -> bool:
    """True where the words right before the title's first place say that this is a notice or a letter about it."""
    start = " ".join(title.split()[:4])
    flat = " ".join(text.split())
    place = flat.lower().find(start.lower()) if start else -1
    return place > 0 and _ABOUT.search(flat[max(0, place - 60) : place]) is not None
