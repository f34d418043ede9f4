"""Identifiers: one normal form per scheme, how they are read from text, and where they can be opened.

Normal forms
- DOI: bare and lower case (`core.doi`).
- PMID: digits without leading zeros. PMCID: "PMC" and digits. arXiv: "2101.12345" or "hep-th/9901001", no version.
- ISSN: "1234-567X". ISBN: thirteen digits. OpenAlex: "W" and digits. Semantic Scholar: 40 hex digits or
  "CorpusId:" and digits.

Every normaliser gives the same again for its own result and raises `BadIdentifier` for what is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

from litapp.core.doi import (
    ARXIV_DOI,
    DOI_START,
    BadIdentifier,
    cut_foreign,
    doi_candidates,
    normalise_doi,
    same_doi,
    shortened,
    undo_copying,
)
from litapp.core.records import Identifier, Scheme

__all__ = [
    "BadIdentifier",
    "Identifier",
    "Scheme",
    "arxiv_from_doi",
    "doi_candidates",
    "find_identifiers",
    "identifier_url",
    "normalise",
    "normalise_arxiv",
    "normalise_doi",
    "normalise_isbn",
    "normalise_issn",
    "normalise_openalex",
    "normalise_pmcid",
    "normalise_pmid",
    "normalise_s2",
    "parse_identifier",
    "same_doi",
]


def arxiv_from_doi(doi: str) -> str:
    """The arXiv id within an arXiv DOI (10.48550/arXiv.…), or "" for any other DOI."""
    found = ARXIV_DOI.match(doi)
    if found is None:
        return ""
    try:
        return normalise_arxiv(found[1])
    except BadIdentifier:
        return ""


_PMID = re.compile(
    r"(?:https?://)?(?:(?:www\.)?pubmed\.ncbi\.nlm\.nih\.gov/|(?:www\.)?ncbi\.nlm\.nih\.gov/(?:m/)?pubmed/(?:\?term=)?|"
    r"(?:www\.)?europepmc\.org/(?:article|abstract)/MED/)?"
    r"(?:(?:pmid|pubmed(?:\s*id)?|medline|med)\s*[:#=]?\s*)?0*([1-9]\d{0,7})(?:\[(?:pmid|uid)\])?[/.,;]?(?:\?\S*)?",
    re.IGNORECASE | re.ASCII,
)
_PMCID = re.compile(
    r"(?:https?://\S*/)?(?:pmcid\s*[:#=]?\s*|pmc\s*id\s*[:#=]?\s*)?(?:pmc)?\s*0*([1-9]\d{0,9})(?:\.\d+)?[/.,;]?(?:\S*\.pdf)?",
    re.IGNORECASE | re.ASCII,
)
_ARXIV_NEW = r"\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}"
_ARXIV_OLD = r"[a-z]+(?:-[a-z]+)?(?:\.[A-Z]{2})?/\d{2}(?:0[1-9]|1[0-2])\d{3}"
_ARXIV = re.compile(
    r"(?:https?://)?(?:(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html|format)/|10\.48550/arxiv\.)?(?:arxiv\s*[:.]?\s*)?"
    rf"({_ARXIV_NEW}|{_ARXIV_OLD})(?:v\d+)?(?:\.pdf)?(?:\s*\[[\w.-]+\])?[.,;/]?",
    re.IGNORECASE | re.ASCII,
)
_OPENALEX = re.compile(
    r"(?:https?://(?:api\.)?openalex\.org/(?:works/)?|openalex:\s*)?(W[1-9]\d{2,11})/?", re.IGNORECASE | re.ASCII
)
_S2 = re.compile(
    r"(?:https?://(?:www\.|api\.)?semanticscholar\.org/(?:\S*/)?|s2:\s*)?(?:([0-9a-f]{40})|corpus\s*id[: ]\s*"
    r"([1-9]\d{0,11}))",
    re.IGNORECASE | re.ASCII,
)


def _one(pattern: re.Pattern[str], text: str, message: str) -> re.Match[str]:
    tidy = " ".join(undo_copying(text).split())  # runs of blanks would cost the patterns the square of their length
    found = pattern.fullmatch(re.sub(r" ?\[(?=pmid|uid)", "[", tidy, flags=re.IGNORECASE))
    if found is None:
        raise BadIdentifier(f"“{shortened(text)}” {message}")
    return found


def normalise_pmid(text: str) -> str:
    """Digits of one PubMed id, from "123", "PMID: 123" or a PubMed address. Raises BadIdentifier."""
    return _one(_PMID, text, "is not a PMID. A PMID has one to eight digits.")[1]


def normalise_pmcid(text: str) -> str:
    """One PubMed Central id as "PMC123" (a version is dropped). Raises BadIdentifier."""
    return "PMC" + _one(_PMCID, text, "is not a PMCID. A PMCID is PMC followed by digits.")[1]


def normalise_arxiv(text: str) -> str:
    """One arXiv id without version and, for old ids, without subject class. Raises BadIdentifier."""
    value = _one(_ARXIV, text, "is not an arXiv id. It looks like 2101.12345 or hep-th/9901001.")[1].lower()
    return re.sub(r"\.[a-z]{2}/", "/", value)


def normalise_openalex(text: str) -> str:
    """One OpenAlex work as "W123". Raises BadIdentifier."""
    return _one(_OPENALEX, text, "is not an OpenAlex work. It looks like W2741809807.")[1].upper()


def normalise_s2(text: str) -> str:
    """One Semantic Scholar paper: 40 hex digits, or "CorpusId:123". Raises BadIdentifier."""
    found = _one(_S2, text, "is not a Semantic Scholar paper id: 40 hex digits, or CorpusId: and a number.")
    return found[1].lower() if found[1] else f"CorpusId:{found[2]}"


def normalise_issn(text: str) -> str:
    """One ISSN as "1234-567X"; its check digit must fit (ISO 3297). Raises BadIdentifier."""
    found = _one(
        re.compile(
            r"(?:[ep]?-?issn(?:-?l)?\s*(?:\([a-z]+\))?\s*[:=]?\s*)?(\d{4})[-\s\u2010-\u2015]?(\d{3}[\dX])"
            r"(?:\s*\([a-z ]+\))?[.,;]?",
            re.IGNORECASE | re.ASCII,
        ),
        text,
        "is not an ISSN. An ISSN has eight signs, for example 0028-4793.",
    )
    signs = (found[1] + found[2]).upper()
    total = sum((8 - place) * int(sign) for place, sign in enumerate(signs[:7]))
    if signs[7] != "0123456789X"[(11 - total % 11) % 11]:
        raise BadIdentifier(
            f"“{shortened(text)}” is not an ISSN: its check digit does not fit. Look for a typing error."
        )
    return f"{signs[:4]}-{signs[4:]}"


def normalise_isbn(text: str) -> str:
    """One ISBN as thirteen digits (ten-digit ones are converted); its check digit must fit (ISO 2108).

    Raises BadIdentifier.
    """
    signs = (
        re.sub(
            r"[\s\u2010-\u2015-]",
            "",
            re.sub(r"\A(?:urn:)?isbn(?:-?1[03])?\s*[:=]?", "", undo_copying(text), flags=re.IGNORECASE),
        )
        .upper()
        .rstrip(".,;")
    )
    if re.fullmatch(r"[0-9]{9}[0-9X]", signs):
        weights = range(10, 0, -1)
        if sum(w * (10 if s == "X" else int(s)) for w, s in zip(weights, signs, strict=True)) % 11 == 0:
            body = "978" + signs[:9]
            return body + str(-_isbn13_sum(body) % 10)
    elif re.fullmatch(r"97[89][0-9]{10}", signs):
        if _isbn13_sum(signs) % 10 == 0:
            return signs
    else:
        raise BadIdentifier(f"“{shortened(text)}” is not an ISBN. An ISBN has ten or thirteen digits.")
    raise BadIdentifier(f"“{shortened(text)}” is not an ISBN: its check digit does not fit. Look for a typing error.")


def _isbn13_sum(digits: str) -> int:
    return sum(int(d) * (3 if place % 2 else 1) for place, d in enumerate(digits))


_NORMALISERS: dict[Scheme, Callable[[str], str]] = {
    Scheme.DOI: normalise_doi,
    Scheme.PMID: normalise_pmid,
    Scheme.PMCID: normalise_pmcid,
    Scheme.ARXIV: normalise_arxiv,
    Scheme.OPENALEX: normalise_openalex,
    Scheme.S2: normalise_s2,
    Scheme.ISSN: normalise_issn,
    Scheme.ISBN: normalise_isbn,
}


def normalise(scheme: Scheme, text: str) -> str:
    """The normal form of `text` in `scheme`. Raises BadIdentifier."""
    return _NORMALISERS[scheme](text)


def parse_identifier(text: str) -> Identifier | None:
    """The one identifier that `text` is, or None. Bare digits up to eight are a PMID, as in PMID lists.

    An arXiv DOI is read as the arXiv id it holds. ISSNs need their hyphen or label, or they would be read as PMIDs.
    """
    cleaned = undo_copying(text)
    if DOI_START.search(cleaned) or re.search(r"10\.\d{4,9}%2f", cleaned, re.IGNORECASE):
        try:
            doi = normalise_doi(text)
        except BadIdentifier:
            return None
        arxiv = arxiv_from_doi(doi)
        return Identifier(Scheme.ARXIV, arxiv) if arxiv else Identifier(Scheme.DOI, doi)
    if re.match(r"(?:https?://\S*/)?(?:pmcid\b|pmc\s*id\b|pmc\s*\d)", cleaned, re.IGNORECASE):
        order = [Scheme.PMCID]
    elif re.match(r"[ep]?-?issn|\d{4}-\d{3}[\dXx]\Z", cleaned, re.IGNORECASE):
        order = [Scheme.ISSN]
    elif re.match(r"(?:urn:)?isbn", cleaned, re.IGNORECASE):
        order = [Scheme.ISBN]
    else:
        order = [Scheme.PMID, Scheme.ARXIV, Scheme.OPENALEX, Scheme.S2, Scheme.ISBN]
    for scheme in order:
        try:
            return Identifier(scheme, normalise(scheme, text))
        except BadIdentifier:
            continue
    return None


_FIND = re.compile(
    r"(?P<doi>(?P<lead>(?:https?://|doi\.org/)[^\s\"<>]{0,200}?)?(?<![\d.])10\.\d{4,9}(?:\.\d+)*(?:/|%2[Ff])[^\s\"“”]{1,2000})"
    rf"|(?:arxiv\s*:\s*|arxiv\.org/(?:abs|pdf|html)/)(?P<arxiv>{_ARXIV_NEW}|{_ARXIV_OLD})"
    r"|(?:\bpmid\s*[:#=]?\s*|\bpubmed(?:\s*id)?\s*[:#=]\s*|pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/pubmed/|"
    r"europepmc\.org/(?:article|abstract)/MED/)0*(?P<pmid>[1-9]\d{0,7})(?!\d)"
    r"|(?<![A-Za-z0-9])PMC\s?0*(?P<pmcid>[1-9]\d{1,9})(?!\d)",
    re.IGNORECASE | re.ASCII,
)

_BROKEN_LINE = re.compile(r"(10\.\d{4,9}/\S{1,200}-)[ \t]*\r?\n[ \t]*(?=[A-Za-z]{0,3}\d)", re.ASCII)
"""A DOI that a line break cut after a hyphen, when what follows begins as the rest of a DOI does."""


def find_identifiers(text: str) -> tuple[Identifier, ...]:
    """DOIs, PMIDs, PMCIDs and arXiv ids within running text, in order, each once.

    Bare numbers are never taken for PMIDs here: they need "PMID", or PubMed's address, before them.
    """
    cleaned = _BROKEN_LINE.sub(r"\1", undo_copying(text))
    found: dict[Identifier, None] = {}
    position = 0
    while match := _FIND.search(cleaned, position):
        position = match.end()
        if match["doi"]:
            raw = cut_foreign(match["doi"])
            position = match.start() + max(len(raw), 1)
            identifier = _identifier_of_doi(raw)
            if identifier is not None:
                found[identifier] = None
            continue
        for scheme in (Scheme.ARXIV, Scheme.PMID, Scheme.PMCID):
            if match[scheme.value]:
                found[Identifier(scheme, normalise(scheme, match[scheme.value]))] = None
    return tuple(found)


def _identifier_of_doi(raw: str) -> Identifier | None:
    try:
        doi = normalise_doi(raw)
    except BadIdentifier:
        return None
    arxiv = arxiv_from_doi(doi)
    return Identifier(Scheme.ARXIV, arxiv) if arxiv else Identifier(Scheme.DOI, doi)


_ADDRESSES = {
    Scheme.DOI: "https://doi.org/",
    Scheme.PMID: "https://pubmed.ncbi.nlm.nih.gov/",
    Scheme.PMCID: "https://pmc.ncbi.nlm.nih.gov/articles/",
    Scheme.ARXIV: "https://arxiv.org/abs/",
    Scheme.OPENALEX: "https://openalex.org/",
    Scheme.S2: "https://api.semanticscholar.org/",
    Scheme.ISSN: "https://portal.issn.org/resource/ISSN/",
    Scheme.ISBN: "https://openlibrary.org/isbn/",
}


def identifier_url(identifier: Identifier) -> str:
    """The address a reader opens for `identifier`: "/" stays readable, all else that is special is percent-encoded."""
    ending = "/" if identifier.scheme in (Scheme.PMID, Scheme.PMCID) else ""
    return (
        _ADDRESSES[identifier.scheme]
        + quote(identifier.value, safe="/:" if identifier.scheme is Scheme.S2 else "/")
        + ending
    )
