"""Identifiers: one normal form per scheme, how they are read from text, and where they can be opened.

Normal forms
- DOI: no resolver, ASCII lower case (DOIs are case-insensitive in ASCII: DOI Handbook 2.4), inner brackets kept, no
  punctuation of the sentence around it. arXiv DOIs carry no version.
- PMID: digits without leading zeros. PMCID: "PMC" and digits. arXiv: "2101.12345" or "hep-th/9901001", no version.
- ISSN: "1234-567X". ISBN: thirteen digits. OpenAlex: "W" and digits. Semantic Scholar: 40 hex digits or
  "CorpusId:" and digits.

Every normaliser gives the same again for its own result and raises `BadIdentifier` for what is none.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from urllib.parse import quote, unquote

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

_DOI_START = re.compile(r"10\.\d{4,9}(?:\.\d+)*/", re.ASCII)
_DOI_WHOLE = re.compile(r"10\.\d{4,9}(?:\.\d+)*/\S+", re.ASCII)
_DOI_LEAD = re.compile(
    r"(?:[\s<\[({\"'“‘:=./]|\\(?:url|href|doi)\b|(?:info|urn)[:/]|doi\b|digital object identifier|https?://\S*+|"
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
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+?)(?:v\d+)?\Z", re.IGNORECASE)


def _clean(text: str) -> str:
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


def _cut_foreign(doi: str) -> str:
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
        doi = _clean(_percent_decoded(doi))
        doi = doi.split()[0] if doi.split() else ""
        doi = _without_sentence(_cut_foreign(doi))
        if doi == before:
            break
    arxiv = _ARXIV_DOI.match(doi)
    if arxiv:
        doi = f"10.48550/arxiv.{arxiv[1]}"
    return doi.translate(_ASCII_LOWER)


def normalise_doi(text: str) -> str:
    """The normal form of one DOI: bare, as "doi:…", or as an address of doi.org or of a publisher.

    LaTeX escapes, HTML entities and percent-encoding are undone; a closing bracket or stop of the sentence is dropped.
    Raises BadIdentifier when there is no DOI, or more than a DOI.
    """
    cleaned = _FIELD_TAG.sub("", _clean(text))
    readable = cleaned
    if "%" in cleaned:
        readable = re.sub(r"(10\.\d{4,9}(?:\.\d+)*)%2[Ff]", r"\1/", cleaned)
    start = _DOI_START.search(readable)
    if start is None:
        raise BadIdentifier(
            f"“{_short(text)}” is not a DOI. A DOI starts with 10., four or more digits and a slash, "
            "for example 10.1056/nejmoa2021436."
        )
    if len(readable) > 2 * LONGEST_DOI:
        raise BadIdentifier(f"“{_short(text)}” is too long for a DOI. Give the DOI alone.")
    lead, raw = readable[: start.start()], readable[start.start() :]
    if not _DOI_LEAD.fullmatch(lead):
        raise BadIdentifier(f"“{_short(text)}” holds more than a DOI. Give the DOI alone.")
    from_url = "://" in lead or "doi.org/" in lead.lower()
    if len(raw.split()) > 1 and _without_sentence(raw.split(maxsplit=1)[1]):
        raise BadIdentifier(f"“{_short(text)}” holds a blank. A DOI has none: remove it or give one DOI at a time.")
    doi = _finish_doi(raw, from_url=from_url)
    if from_url and "doi.org/" not in lead.lower():
        doi = _PUBLISHER_TAIL.sub("", doi)
    if not _DOI_WHOLE.fullmatch(doi) or len(doi) > LONGEST_DOI:
        raise BadIdentifier(f"“{_short(text)}” is not a whole DOI. Copy it again from the article's first page.")
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


def arxiv_from_doi(doi: str) -> str:
    """The arXiv id within an arXiv DOI (10.48550/arXiv.…), or "" for any other DOI."""
    found = _ARXIV_DOI.match(doi)
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
    r"(?:https?://(?:www\.|api\.)?semanticscholar\.org/(?:\S*/)?|s2:\s*)?(?:([0-9a-f]{40})|corpus\s*id[: ]\s*([1-9]\d{0,11}))",
    re.IGNORECASE | re.ASCII,
)


def _one(pattern: re.Pattern[str], text: str, message: str) -> re.Match[str]:
    found = pattern.fullmatch(re.sub(r"\s*\[(?=pmid|uid)", "[", _clean(text), flags=re.IGNORECASE))
    if found is None:
        raise BadIdentifier(f"“{_short(text)}” {message}")
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
        raise BadIdentifier(f"“{_short(text)}” is not an ISSN: its check digit does not fit. Look for a typing error.")
    return f"{signs[:4]}-{signs[4:]}"


def normalise_isbn(text: str) -> str:
    """One ISBN as thirteen digits (ten-digit ones are converted); its check digit must fit (ISO 2108).

    Raises BadIdentifier.
    """
    signs = (
        re.sub(
            r"[\s\u2010-\u2015-]",
            "",
            re.sub(r"\A(?:urn:)?isbn(?:-?1[03])?\s*[:=]?", "", _clean(text), flags=re.IGNORECASE),
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
        raise BadIdentifier(f"“{_short(text)}” is not an ISBN. An ISBN has ten or thirteen digits.")
    raise BadIdentifier(f"“{_short(text)}” is not an ISBN: its check digit does not fit. Look for a typing error.")


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
    cleaned = _clean(text)
    if _DOI_START.search(cleaned) or re.search(r"10\.\d{4,9}%2f", cleaned, re.IGNORECASE):
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
    cleaned = _BROKEN_LINE.sub(r"\1", _clean(text))
    found: dict[Identifier, None] = {}
    position = 0
    while match := _FIND.search(cleaned, position):
        position = match.end()
        if match["doi"]:
            raw = _cut_foreign(match["doi"])
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


def _short(text: str) -> str:
    """The user's text, on one line and at most 60 characters, for a message."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"
