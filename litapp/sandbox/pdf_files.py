"""PDF files that the sandbox's hosts serve: readable ones of an article, and every kind that is none, or none of it."""

from __future__ import annotations

import io
import textwrap

from litapp.sandbox.corpus.article import Article

NOTICE = "Sandbox copy: it holds title, authors, identifiers and abstract. The real text is not part of the corpus."
_LINES_A_PAGE = 52
_FEWEST_BYTES = 11 * 1024


def article_lines(article: Article) -> list[str]:
    """What a sandbox PDF of the article says."""
    authors = ", ".join(one.collective or f"{one.given} {one.family}".strip() for one in article.authors)
    lines = [article.journal, f"https://doi.org/{article.doi}" if article.doi else "", ""]
    lines += textwrap.wrap(article.title, 84)
    lines += ["", *textwrap.wrap(authors, 92), "", "Abstract", ""]
    for label, text in article.abstract or [("", "No abstract is in the corpus.")]:
        lines += [*textwrap.wrap(f"{label}: {text}" if label else text, 92), ""]
    return [*lines, *textwrap.wrap(NOTICE, 92)]


def pdf_of(lines: list[str], *, smallest: int = _FEWEST_BYTES) -> bytes:
    """A PDF with these lines, filled with further pages up to `smallest` bytes."""
    pages = [lines[start : start + _LINES_A_PAGE] for start in range(0, max(len(lines), 1), _LINES_A_PAGE)]
    made = _written([_content(page) for page in pages])
    while len(made) < smallest:
        pages.append([f"{NOTICE} Page {len(pages) + 1}."] * 40)
        made = _written([_content(page) for page in pages])
    return made


def scanned_pdf(*, pages: int = 2) -> bytes:
    """A PDF whose pages are pictures: nothing in it can be read as text."""
    dots = b"\n".join(b"%d %d 3 3 re f" % (40 + 7 * (n % 70), 760 - 9 * (n // 70)) for n in range(1200))
    return _written([dots] * pages)


def locked_pdf(lines: list[str]) -> bytes:
    """A PDF that asks for a password before it opens."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf_of(lines))))
    writer.encrypt("secret", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def damaged_pdf() -> bytes:
    """The mark of a PDF, then nothing that belongs to one."""
    return b"%PDF-1.4\n" + bytes(range(256)) * 60


def _content(lines: list[str]) -> bytes:
    parts = [b"BT /F1 10 Tf 12 TL 50 790 Td"]
    for line in lines:
        raw = line.encode("cp1252", "replace").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        parts.append(b"(" + raw + b") Tj T*")
    return b"\n".join([*parts, b"ET"])


def _written(contents: list[bytes]) -> bytes:
    """The bytes of a PDF 1.4 with one page per content stream."""
    first = 4
    kids = " ".join(f"{first + 2 * place} 0 R" for place in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for place, content in enumerate(contents):
        page = first + 2 * place
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {page + 1} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n" % len(content) + content + b"\nendstream")
    out, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)
