"""Writes BibTeX: UTF-8, classic field names, LaTeX-safe text fields, DOIs and addresses as they are.

Written without a library: bibtexparser's LaTeX middlewares damage DOIs, addresses and group names, and without them
what is left of writing is joining lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from litapp.core.cited_names import cited_authors
from litapp.core.formats.entry import ExportEntry, require_distinct_keys
from litapp.core.identifiers import Scheme
from litapp.core.markup import BOLD, ITALIC, SUB, SUP, Run, escape_latex, latex, plain_text, runs
from litapp.core.records import Person, Record

HEADER = "% BibTeX in UTF-8, written by LitLedger. Each entry is a record that a source returned.\n"
SANDBOX_HEADER = "% Contains sandbox data: practice records, not the result of a real search.\n"

_TYPES = {
    "article-journal": "article", "article-magazine": "article", "article-newspaper": "article", "review": "article",
    "book": "book", "chapter": "incollection", "entry-encyclopedia": "incollection",
    "paper-conference": "inproceedings", "report": "techreport", "thesis": "phdthesis",
}  # fmt: skip
_CONTAINER_FIELD = {
    "article": "journal", "incollection": "booktitle", "inproceedings": "booktitle", "misc": "howpublished",
    "book": "series", "techreport": "series", "phdthesis": "series",
}  # fmt: skip
_PUBLISHER_FIELD = {"techreport": "institution", "phdthesis": "school"}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PAGE_RANGE = re.compile(r"\s*([A-Za-z]{0,2}\d+[A-Za-z]?)\s*[-\u2010-\u2015\u2212]+\s*([A-Za-z]{0,2}\d+[A-Za-z]?)\s*")


def write_bibtex(entries: Sequence[ExportEntry]) -> str:
    """All entries in the order given. The same entries give the same bytes. Raises ValueError for a repeated key."""
    require_distinct_keys([entry.key for entry in entries])
    header = HEADER + (SANDBOX_HEADER if any(entry.sandbox for entry in entries) else "")
    return header + "".join(f"\n{_entry(entry)}" for entry in entries)


def _entry(entry: ExportEntry) -> str:
    record = entry.record
    kind = "misc" if record.is_preprint else _TYPES.get(record.csl_type, "misc")
    lines = [f"  {name} = {value}," for name, value in _fields(entry, kind) if value not in ("", "{}")]
    return f"@{kind}{{{entry.key},\n" + "\n".join(lines) + "\n}\n"


def _fields(entry: ExportEntry, kind: str) -> list[tuple[str, str]]:
    """Field names and delimited values; an empty value means that the source gave none, or that an entry of this type
    has no such field in BibLaTeX (the publisher of an article; a second ISSN stands in `eissn`, a field of ours)."""
    record = entry.record
    container = record.journal or (record.publisher if kind == "misc" else "")
    publisher = "" if container == record.publisher else record.publisher
    arxiv = record.identifier(Scheme.ARXIV)
    month = record.date.month
    return [
        ("title", _braced(protected_title(entry.title))),
        ("author", _braced(_authors(record))),
        (_CONTAINER_FIELD[kind], _text(container)),
        ("year", _braced(str(record.year) if record.year is not None else "")),
        ("month", _MONTHS[month - 1] if month is not None and 1 <= month <= 12 else ""),
        ("volume", _text(record.volume)),
        ("number", _text(record.issue)),
        ("pages", _braced(_pages(record.pages))),
        (_PUBLISHER_FIELD.get(kind, "publisher"), _text("" if kind == "article" else publisher)),
        ("issn", _text("".join(record.issns[:1]))),
        ("eissn", _text(", ".join(record.issns[1:]))),
        ("isbn", _text(record.identifier(Scheme.ISBN))),
        ("doi", _braced(_verbatim(record.doi))),
        ("pmid", _braced(_verbatim(record.pmid))),
        ("pmcid", _braced(_verbatim(record.identifier(Scheme.PMCID)))),
        ("eprint", _braced(_verbatim(arxiv))),
        ("archiveprefix", "{arXiv}" if arxiv else ""),
        ("url", _braced(_verbatim(record.url))),
        ("verified", _braced(entry.verified_value)),
        ("verified_by", _text(" + ".join(entry.verified_by)) if entry.verified_value == "true" else ""),
        (
            "verified_on",
            _braced(entry.verified_on.isoformat() if entry.verified_on and entry.verified_value == "true" else ""),
        ),
        ("found_in", _text(" + ".join(entry.found_in))),
        ("note", _text(entry.note)),
    ]


def _braced(value: str) -> str:
    return "{" + value + "}"


def _text(value: str) -> str:
    if not value or value.isalnum():
        return _braced(value)
    return _braced(_brace_safe(latex(value)))


def _balanced(value: str) -> bool:
    """Whether braces pair for BibTeX, which counts them even after a backslash."""
    depth = 0
    for sign in re.findall(r"[{}]", value):
        depth += 1 if sign == "{" else -1
        if depth < 0:
            return False
    return depth == 0


def _brace_safe(value: str) -> str:
    """LaTeX text whose printed braces pair; where they do not, they become commands without a brace of their own."""
    if _balanced(value):
        return value
    return value.replace(r"\{", r"\textbraceleft{}").replace(r"\}", r"\textbraceright{}")


def _verbatim(value: str) -> str:
    """An identifier or address as it is. Only what would end the field, or is no part of any, is percent-encoded."""
    value = "".join(value.split())
    if "\\" in value or not _balanced(value):
        value = value.replace("\\", "%5C").replace("{", "%7B").replace("}", "%7D")
    return value


def _pages(pages: str) -> str:
    found = _PAGE_RANGE.fullmatch(pages)
    return f"{found[1]}--{found[2]}" if found else _brace_safe(latex(pages))


def _authors(record: Record) -> str:
    names = [name for person in cited_authors(record) if (name := _author(person))]
    if names and not record.authors_complete:
        names.append("others")
    return " and ".join(names)


def _author(person: Person) -> str:
    """ "Family, Suffix, Given"; groups, and names that BibTeX would take apart, stand in braces."""
    if not person.family:
        whole = person.literal or person.given
        return _braced(_name(whole)) if whole.strip() else ""
    if not person.given:
        whole = f"{person.family} {person.suffix}".strip()
        simple = re.fullmatch(r"\w[\w'’.-]*", whole) and whole.lower() not in ("and", "others")
        return _name(whole) if simple else _braced(_name(whole))
    parts = [person.family, person.suffix, person.given] if person.suffix else [person.family, person.given]
    return ", ".join(_braced(_name(p)) if re.search(r",|\band\b", p, re.IGNORECASE) else _name(p) for p in parts)


def _name(text: str) -> str:
    return _brace_safe(escape_latex(plain_text(text)))


_WORD = re.compile(r"[^\s\u00a0/–—-]+(?:[-/–—][^\s\u00a0/–—-]+)*|[\s\u00a0]+|[/–—-]+")
_CORE = re.compile(r"(\W*)(.*?)(\W*)", re.DOTALL)
_COMMANDS = {ITALIC: r"\textit", BOLD: r"\textbf", SUB: r"\textsubscript", SUP: r"\textsuperscript"}


def protected_title(title: str) -> str:
    """A title as LaTeX with braces around words whose capitals a bibliography style must not change.

    Braced are: words with a capital after their first letter or alone ("COVID-19", "mRNA", "vitamin C"); every
    capitalised word but the first in a title that is not in Title Case (names); a word that starts small at the
    beginning of the title or after a full stop ("p53", "E. coli").
    """
    pieces = runs(title)
    names = _capitals_are_names("".join(run.text for run in pieces))
    out: list[str] = []
    starts = True
    first = True
    for run in pieces:
        shown = []
        for token in _WORD.findall(run.text):
            if not any(sign.isalnum() for sign in token):
                shown.append(escape_latex(token))
                starts = starts or token.strip().endswith((".", ":", "?", "!"))
                continue
            shown.append(_protected(token, starts=starts, first=first, names=names))
            starts, first = token.endswith((".", ":", "?", "!")), False
        out.append(_styled("".join(shown), run))
    return _brace_safe("".join(out))


def _styled(shown: str, run: Run) -> str:
    for style in (SUP, SUB, BOLD, ITALIC):
        if style in run.styles:
            shown = f"{_COMMANDS[style]}{{{shown}}}"
    return shown


def _capitals_are_names(title: str) -> bool:
    """False for a title in Title Case: three or more longer words after the first, three quarters of them with a
    capital. Where that cannot be told, capitals are kept: that harms less than a name without one."""
    words = [word for word in re.findall(r"\b[^\W\d_]{4,}", title)[1:] if not any(sign.isupper() for sign in word[1:])]
    return len(words) < 3 or sum(word[0].isupper() for word in words) < 0.75 * len(words)


def _protected(token: str, *, starts: bool, first: bool, names: bool) -> str:
    found = _CORE.fullmatch(token)
    before, core, after = (found[1], found[2], found[3]) if found else ("", token, "")
    letters = [sign for sign in core if sign.isalpha()]
    inner = any(sign.isupper() for sign in letters[1:]) or (len(letters) == 1 and letters[0].isupper() and not first)
    name = names and not first and bool(letters) and letters[0].isupper()
    small = starts and bool(letters) and letters[0].islower()
    shown = escape_latex(core)
    if inner or name or small:
        shown = f"{{{shown}}}"
    return escape_latex(before) + shown + escape_latex(after)
