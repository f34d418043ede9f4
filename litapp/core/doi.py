"""DOIs: the normal form, and what copying does to them.

The normal form has no resolver and is lower case in ASCII (DOIs are case-insensitive there: DOI Handbook 2.4). Brackets
of the DOI's own are kept ("10.1016/s0140-6736(97)11096-0", SICIs with "<…>"), punctuation of the sentence is not.
arXiv DOIs carry no version.
"""

from __future__ import annotations

import html
import re
from urllib.parse import unquote

LONGEST_DOI = 2048
"""Characters. The DOI Handbook sets no limit; registration agencies do."""


class BadIdentifier(ValueError):
    """The text is no identifier of the scheme asked for. The message is a sentence for the person who typed it."""


_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\x00-\x08\x0e-\x1f\x7f]")
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_LATEX_BRACED = re.compile(r"\{\\([_%&#$~^{}-])\}")
_LATEX_ESCAPED = re.compile(r"\\([_%&#$~^{}<>-])")
_LATEX_WORDS = (
    ("\\textless", "<"),
    ("\\textgreater", ">"),
    ("\\textunderscore", "_"),
    ("$<$", "<"),
    ("$>$", ">"),
    ("$\\less$", "<"),
    ("$\\greater$", ">"),
)
_LATEX_WORD_END = re.compile(r"(?<=[<>_])(?:\{\}|\\ )")

DOI_START = re.compile(r"10\.\d{4,9}(?:\.\d+)*/", re.ASCII)
_DOI_WHOLE = re.compile(r"10\.\d{4,9}(?:\.\d+)*/\S+", re.ASCII)
_DOI_LEAD = re.compile(
    r"(?:[\s<\[({\"'“‘:=./]|\\(?:url|href|doi)\b|(?:info|urn)[:/]|doi\b(?!\.org)|digital object identifier|https?://\S*+|"
    r"(?:www\.|dx\.)?doi\.org/)*+\Z",
    re.IGNORECASE,
)
_PUBLISHER_TAIL = re.compile(
    r"/(?:full|abstract|pdf|epdf|meta|summary|fulltext|full-text|html|references|pdfdirect)"
    r"(?:/html)?/?\Z",
    re.IGNORECASE,
)
_SENTENCE_END = ".,;:!?'\"’”»…`*|\\"
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}
_FIELD_TAG = re.compile(r"\s*\[(?:doi|pii|pmid|pmc|aid)\]\s*\Z", re.IGNORECASE)
_SICI_ANGLE = re.compile(r"<[^<>\s]*:[^<>\s]*>")
_TAG_OR_LINK = re.compile(r"</?[A-Za-z][^>]*>?|\]\(https?:|[;,](?=(?:doi:)?\s*10\.\d{4,9}/)|\|\|", re.IGNORECASE)
ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+?)(?:v\d+)?\Z", re.IGNORECASE)


def undo_copying(text: str) -> str:
    """Undo what copying does to identifiers: entities, LaTeX escapes, invisible characters, full-width forms."""
    text = _INVISIBLE.sub("", html.unescape(text))
    if "\\" in text or "$" in text:
        for word, sign in _LATEX_WORDS:
            text = text.replace(word, sign)
        text = _LATEX_WORD_END.sub("", text)
        text = _LATEX_ESCAPED.sub(r"\1", _LATEX_BRACED.sub(r"\1", text))
    return text.strip()


def _percent_decoded(text: str) -> str:
    while "%" in text:
        try:
            decoded = unquote(text, errors="strict")
        except UnicodeDecodeError:
            return text
        if decoded == text:
            return text
        text = decoded
    return text


def _without_sentence(doi: str) -> str:
    """Drop closing punctuation and brackets that belong to the text around a DOI. Balanced brackets are its own."""
    while doi:
        last = doi[-1]
        opening = _BRACKETS.get(last)
        if last in _SENTENCE_END or (opening is not None and doi.count(opening) < doi.count(last)):
            doi = doi[:-1]
            continue
        return doi
    return doi


def cut_foreign(doi: str) -> str:
    """Cut at the first thing that no DOI holds: an HTML tag, a Markdown link, the next DOI of a list."""
    for found in _TAG_OR_LINK.finditer(doi):
        angle = _SICI_ANGLE.match(doi, found.start())
        if angle is None:
            return doi[: found.start()]
    return doi


def _finish_doi(raw: str, *, from_url: bool) -> str:
    """The normal form of `raw`, which starts with "10.". May return something that is no DOI any more."""
    doi = raw
    if from_url and not re.search(r"CO;2-#\Z", doi, re.IGNORECASE):
        doi = re.split(r"[?#]", doi, maxsplit=1)[0]
    for _ in range(8):
        before = doi
        doi = undo_copying(_percent_decoded(doi))
        doi = doi.split()[0] if doi.split() else ""
        doi = _without_sentence(cut_foreign(doi))
        if doi == before:
            break
    arxiv = ARXIV_DOI.match(doi)
    if arxiv:
        doi = f"10.48550/arxiv.{arxiv[1]}"
    return doi.translate(_ASCII_LOWER)


def normalise_doi(text: str) -> str:
    """The normal form of one DOI: bare, as "doi:…", or as an address of doi.org or of a publisher.

    LaTeX escapes, HTML entities and percent-encoding are undone; a closing bracket or stop of the sentence is dropped.
    Raises BadIdentifier when there is no DOI, or more than a DOI.
    """
    cleaned = _FIELD_TAG.sub("", undo_copying(text))
    readable = cleaned
    if "%" in cleaned:
        readable = re.sub(r"(10\.\d{4,9}(?:\.\d+)*)%2[Ff]", r"\1/", cleaned)
    start = DOI_START.search(readable)
    if start is None and re.search(r"(?:\A|/|:\s*)10/[a-z0-9]+\Z", cleaned, re.IGNORECASE):
        raise BadIdentifier(
            f"“{shortened(text)}” is a short DOI. Open it at https://doi.org and give the DOI of the page it leads to."
        )
    if start is None:
        raise BadIdentifier(
            f"“{shortened(text)}” is not a DOI. A DOI starts with 10., four or more digits and a slash, "
            "for example 10.1056/nejmoa2021436."
        )
    if len(readable) > 2 * LONGEST_DOI:
        raise BadIdentifier(f"“{shortened(text)}” is too long for a DOI. Give the DOI alone.")
    lead, raw = readable[: start.start()], readable[start.start() :]
    if not _DOI_LEAD.fullmatch(lead):
        raise BadIdentifier(f"“{shortened(text)}” holds more than a DOI. Give the DOI alone.")
    from_url = "://" in lead or "doi.org/" in lead.lower()
    if len(raw.split()) > 1 and _without_sentence(raw.split(maxsplit=1)[1]):
        raise BadIdentifier(f"“{shortened(text)}” holds a blank. A DOI has none: remove it or give one DOI at a time.")
    doi = _finish_doi(raw, from_url=from_url)
    if from_url and "doi.org/" not in lead.lower():
        doi = _PUBLISHER_TAIL.sub("", doi)
    if not _DOI_WHOLE.fullmatch(doi) or len(doi) > LONGEST_DOI:
        raise BadIdentifier(f"“{shortened(text)}” is not a whole DOI. Copy it again from the article's first page.")
    return doi


def doi_candidates(text: str) -> tuple[str, ...]:
    """Forms worth asking for when a copied DOI is unknown, the normal form first.

    Copies gain signs in known ways: a hyphen typeset as a dash, the "/full" or "#section" of a web address.
    Say which form resolved; never replace the user's text in silence. Raises BadIdentifier.
    """
    first = normalise_doi(text)
    plain = _DASHES.sub("-", first)
    forms = [first, plain, re.sub(r"\.pdf\Z", "", _PUBLISHER_TAIL.sub("", plain))]
    if not _SICI_ANGLE.search(first):
        forms.append(re.split(r"[#?;]", plain, maxsplit=1)[0])
    return tuple(dict.fromkeys(form for form in forms if _DOI_WHOLE.fullmatch(form)))


def same_doi(left: str, right: str) -> bool:
    """True when both texts are the same DOI in normal form. Two texts that are no DOIs are never the same."""
    try:
        return normalise_doi(left) == normalise_doi(right)
    except BadIdentifier:
        return False


def shortened(text: str) -> str:
    """The user's text, on one line and at most 60 characters, for a message."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"
