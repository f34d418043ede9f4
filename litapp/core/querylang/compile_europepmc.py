"""A PubMed query tree in Europe PMC's syntax.

Source: Europe PMC's search syntax (fields TITLE, ABSTRACT, KW, AUTH, JOURNAL, ISSN, LANG, PUB_TYPE, FIRST_PDATE, AFF,
GRANT_ID, CHEM, EXT_ID, DOI). KW holds author keywords and MeSH headings together; headings are not exploded there.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from litapp.core.querylang.ast import DATE_FIELDS, Field, Leaf, Node, Proximity, Range, Term
from litapp.core.querylang.translation import Meaning, Said, Translation, has_star_inside_a_word, translate
from litapp.core.querylang.unquoted import JOINED, is_tagged_run, with_phrase_note, words_side_by_side

_ISSN = re.compile(r"\d{4}-\d{3}[\dXx]")
_LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        "english": "eng",
        "german": "ger",
        "french": "fre",
        "spanish": "spa",
        "italian": "ita",
        "chinese": "chi",
        "japanese": "jpn",
        "russian": "rus",
        "portuguese": "por",
        "dutch": "dut",
        "polish": "pol",
        "turkish": "tur",
        "korean": "kor",
        "swedish": "swe",
        "danish": "dan",
        "norwegian": "nor",
        "finnish": "fin",
        "czech": "cze",
        "hungarian": "hun",
        "greek": "gre",
        "hebrew": "heb",
        "arabic": "ara",
        "persian": "per",
        "ukrainian": "ukr",
    }
)
_NO_MAPPING = "Europe PMC does not add MeSH headings to an untagged word as PubMed does."
_SIMPLE: Mapping[Field, tuple[tuple[str, ...], Meaning, str]] = MappingProxyType(
    {
        Field.UNTAGGED: (("TITLE", "ABSTRACT", "KW"), Meaning.NARROWER, _NO_MAPPING),
        Field.ALL: (("TITLE", "ABSTRACT", "KW"), Meaning.NARROWER, "Searched in title, abstract and keywords only."),
        Field.TITLE: (("TITLE",), Meaning.EXACT, ""),
        Field.ABSTRACT: (("ABSTRACT",), Meaning.EXACT, ""),
        Field.TITLE_ABSTRACT: (
            ("TITLE", "ABSTRACT", "KW"),
            Meaning.WIDER,
            "Europe PMC's keyword field also holds MeSH headings.",
        ),
        Field.TEXT_WORD: (("TITLE", "ABSTRACT", "KW"), Meaning.EXACT, ""),
        Field.OTHER_TERM: (("KW",), Meaning.WIDER, "Europe PMC's keyword field also holds MeSH headings."),
        Field.AUTHOR: (("AUTH",), Meaning.EXACT, ""),
        Field.FIRST_AUTHOR: (("AUTH",), Meaning.WIDER, "Searched among all authors, not the first only."),
        Field.LAST_AUTHOR: (("AUTH",), Meaning.WIDER, "Searched among all authors, not the last only."),
        Field.CORPORATE_AUTHOR: (("AUTH",), Meaning.CHECK, "A group's name is searched among the authors."),
        Field.JOURNAL: (("JOURNAL",), Meaning.EXACT, ""),
        Field.PUBLICATION_TYPE: (("PUB_TYPE",), Meaning.EXACT, ""),
        Field.AFFILIATION: (("AFF",), Meaning.EXACT, ""),
        Field.GRANT: (("GRANT_ID",), Meaning.EXACT, ""),
        Field.SUPPLEMENTARY_CONCEPT: (("CHEM",), Meaning.CHECK, "Substance names are compared with Europe PMC's own."),
    }
)


def compile_europepmc(tree: Node) -> Translation:
    """The query for Europe PMC, with each change of meaning."""
    return translate(tree, _say)


_NOTHING = "There is no letter or digit in it to search for; this part is left out."
_FILTERS: Mapping[str, str] = MappingProxyType({"hasabstract": "HAS_ABSTRACT:y"})
"""PubMed's filters and subsets for which Europe PMC has the same."""


def _say(leaf: Leaf) -> Said:
    if isinstance(leaf, Range):
        return _said_range(leaf)
    if not re.search(r"\w", leaf.text):
        return Said("", Meaning.LOST, _NOTHING)
    if isinstance(leaf, Proximity):
        anywhere = "The words may stand anywhere, not near each other."
        return Said(_all_words(leaf.field, leaf.text.split()), Meaning.WIDER, anywhere)
    if leaf.field in {Field.MESH, Field.MESH_MAJOR}:
        return _said_heading(leaf)
    if leaf.field is Field.PMID:
        return _said_numbers(leaf.text.split())
    if leaf.field is Field.DOI:
        return Said(f"DOI:{_quoted(leaf.text)}")
    if leaf.field is Field.LANGUAGE:
        return _said_language(leaf.text)
    if leaf.field in {Field.FILTER, Field.SUBSET}:
        return _said_filter(leaf)
    if leaf.field is Field.JOURNAL and _ISSN.fullmatch(leaf.text):
        return Said(f"ISSN:{leaf.text.upper()}")
    if leaf.field in DATE_FIELDS:
        return _said_range(Range(leaf.text, leaf.text, leaf.field, leaf.span))
    if leaf.field not in _SIMPLE:
        return Said("", Meaning.LOST, "Europe PMC has no such field; this part is left out.")
    _, meaning, why = _SIMPLE[leaf.field]
    apart = words_side_by_side(leaf)
    if apart:
        return _checked_stars(leaf, Said(_all_words(leaf.field, apart), meaning, f"{JOINED} {why}"))
    if leaf.truncated and " " in leaf.text:
        said = Said(
            _all_words(leaf.field, leaf.text.split()), Meaning.WIDER, "A phrase with * is searched as its words."
        )
        return _checked_stars(leaf, said)
    if is_tagged_run(leaf):
        meaning = Meaning.CHECK if meaning is Meaning.EXACT else meaning
    return _checked_stars(leaf, Said(_in_fields(leaf.field, _quoted(leaf.text)), meaning, with_phrase_note(leaf, why)))


def _all_words(field: Field, words: Iterable[str]) -> str:
    parts = [_in_fields(field, _quoted(word)) for word in words if re.search(r"\w", word)]
    return parts[0] if len(parts) == 1 else f"({' AND '.join(parts)})"


def _checked_stars(term: Term, said: Said) -> Said:
    """Europe PMC documents * at the end of a word; elsewhere a person must look whether it is understood."""
    if has_star_inside_a_word(term):
        return Said(said.text, Meaning.CHECK, "Europe PMC is only known to understand * at the end of a word.")
    return said


def _said_numbers(numbers: list[str]) -> Said:
    """PMIDs: PubMed takes several side by side as any of them."""
    if not all(number.isdigit() for number in numbers):
        return Said("", Meaning.LOST, "This is no PMID; this part is left out.")
    parts = [f"EXT_ID:{number}" for number in numbers]
    return Said(f"({parts[0] if len(parts) == 1 else '(' + ' OR '.join(parts) + ')'} AND SRC:MED)")


def _said_language(name: str) -> Said:
    code = _LANGUAGES.get(name.casefold(), name.casefold())
    if re.fullmatch(r"[a-z]{3}", code):
        return Said(f"LANG:{code}")
    return Said(f"LANG:{_quoted(code)}", Meaning.CHECK, "Europe PMC knows languages by their three letters (eng, ger).")


def _said_filter(term: Term) -> Said:
    name = term.text.casefold()
    if name in _LANGUAGES:
        return _said_language(name)
    if name in _FILTERS:
        return Said(_FILTERS[name])
    return Said("", Meaning.LOST, "Europe PMC has no such filter; this part is left out.")


def _said_heading(term: Term) -> Said:
    if term.qualifier:
        return Said(
            f"KW:{_quoted(term.heading)}", Meaning.CHECK, f"The subheading “{term.qualifier}” cannot be asked for here."
        )
    if term.field is Field.MESH_MAJOR:
        return Said(f"KW:{_quoted(term.heading)}", Meaning.CHECK, "Not limited to the major topic; not exploded.")
    if term.explode:
        why = "Europe PMC does not explode headings: add the narrower ones you need."
        return Said(f"KW:{_quoted(term.heading)}", Meaning.NARROWER, why)
    return Said(f"KW:{_quoted(term.heading)}", Meaning.WIDER, "The keyword field also holds the authors' keywords.")


def _said_range(leaf: Range) -> Said:
    if leaf.field in {Field.DATE_PUBLICATION, Field.DATE_PRINT, Field.DATE_ELECTRONIC}:
        low, high = _day(leaf.low, "01-01"), _day(leaf.high, "12-31")
        if low and high:
            text = f"FIRST_PDATE:[{low} TO {high}]"
            return Said(text, Meaning.CHECK, "Europe PMC counts from the first publication, online or in print.")
    return Said("", Meaning.LOST, "Europe PMC cannot limit by this date; this part is left out.")


def _day(text: str, rest: str) -> str:
    """A date of PubMed's (YYYY, YYYY/MM, YYYY/MM/DD) as YYYY-MM-DD; "" if it is none. Year 3000 stands for "now"."""
    parts = text.strip().split("/")
    if not all(part.isdigit() for part in parts) or not 1 <= len(parts) <= 3 or len(parts[0]) != 4:
        return ""
    month, day = rest.split("-")
    if len(parts) >= 2:
        month = parts[1].zfill(2)
        if not 1 <= int(month) <= 12:
            return ""
        day = day if rest == "01-01" else str(monthrange(int(parts[0]), int(month))[1])
    if len(parts) == 3:
        day = parts[2].zfill(2)
    return f"{parts[0]}-{month}-{day}"


def _in_fields(field: Field, text: str) -> str:
    names = _SIMPLE[field][0] if field in _SIMPLE else ("TITLE", "ABSTRACT", "KW")
    parts = [f"{name}:{text}" for name in names]
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _quoted(text: str) -> str:
    """Words as Europe PMC takes them: a single plain word (or one that ends in *) bare, everything else in quotes."""
    clean = text.replace("\\", " ").replace('"', " ").strip()
    return clean if re.fullmatch(r"[\w*-]+", clean) and clean.upper() not in {"AND", "OR", "NOT"} else f'"{clean}"'
