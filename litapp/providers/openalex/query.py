"""OpenAlex queries: plain words made safe for its search, or a Boolean query translated, and the plan's filters."""

from __future__ import annotations

import re
from urllib.parse import quote

from litapp.core.normalise import strip_tags
from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.ports import Outcome
from litapp.core.querylang.compile_openalex import compile_openalex
from litapp.providers.base import CompiledQuery, Loss, QueryNote, SourceError
from litapp.providers.openalex.request import OPERATORS_WITHOUT_LIMIT, operators_in
from litapp.providers.translation import translated

LONGEST_SEARCH = 1_500
"""Characters of `search=` that OpenAlex accepts without a paid plan."""
_LONGEST_ENCODED = 7_000
_WILDCARDS = re.compile(r"[?*]")
_TYPES = {
    "journal article": "article",
    "review": "review",
    "systematic review": "",
    "preprint": "preprint",
    "letter": "letter",
    "editorial": "editorial",
    "published erratum": "erratum",
    "retraction of publication": "retraction",
    "dataset": "dataset",
    "book": "book",
    "book chapter": "book-chapter",
    "academic dissertation": "dissertation",
    "dissertation": "dissertation",
    "technical report": "report",
}
_LANGUAGES = {
    "eng": "en", "ger": "de", "fre": "fr", "spa": "es", "ita": "it", "por": "pt", "rus": "ru", "chi": "zh",
    "jpn": "ja", "kor": "ko", "dut": "nl", "pol": "pl", "swe": "sv", "dan": "da", "nor": "no", "fin": "fi",
    "cze": "cs", "slo": "sk", "hun": "hu", "tur": "tr", "gre": "el", "heb": "he", "ara": "ar", "per": "fa",
    "ukr": "uk", "rum": "ro", "bul": "bg", "hrv": "hr", "srp": "sr", "slv": "sl", "ind": "id", "tha": "th",
    "vie": "vi", "cat": "ca", "est": "et", "lav": "lv", "lit": "lt", "hin": "hi",
}  # fmt: skip
"""ISO 639-2/B, as PubMed writes languages, to ISO 639-1, as OpenAlex does."""


def compile_query(query: PlanQuery, filters: Filters) -> CompiledQuery:
    """The query as OpenAlex takes it: the plain words, or without them the Boolean query, translated.

    Raises SourceError (PERMANENT) without either, or with a search that is too long; nothing is ever cut.
    """
    notes: list[QueryNote] = []
    words = " ".join(query.plain.split())
    boolean = not words and bool(query.boolean.strip())
    if boolean:
        text, changes = translated("openalex", "OpenAlex", query.boolean, compile_openalex)
        notes.append(QueryNote("OpenAlex gets the Boolean query, translated into its AND, OR and NOT."))
        notes += changes
    else:
        text = _safe(words, notes)
    if not text:
        raise _error(
            "There is no query for OpenAlex.", "Write the question in plain words, or a Boolean query.", "empty_query"
        )
    if len(text) > LONGEST_SEARCH or len(quote(text)) > _LONGEST_ENCODED:
        raise _too_long(len(text), boolean)
    operators = operators_in(text)
    if operators > OPERATORS_WITHOUT_LIMIT:
        what = "translated Boolean" if boolean else "plain"
        notes.append(
            QueryNote(
                f"The {what} query has {operators} AND/OR/NOT; OpenAlex answers such searches once a second only (five "
                "times with a key). A query in plain words has no such limit."
            )
        )
    parts = []
    years = _years(filters)
    if years:
        parts.append(f"publication_year:{years}")
    parts += _languages(filters, notes)
    parts += _types(filters, notes)
    params = [("search", text)]
    if parts:
        params.append(("filter", ",".join(parts)))
    if filters.newest_first:
        params.append(("sort", "publication_date:desc"))
        notes.append(QueryNote("OpenAlex lists the works by date of publication, the newest first."))
    return CompiledQuery("openalex", "&".join(f"{name}={value}" for name, value in params), tuple(params), tuple(notes))


def _too_long(length: int, boolean: bool) -> SourceError:
    if boolean:
        return _error(
            f"The Boolean query has {length:,} characters in OpenAlex's form; OpenAlex takes at most "
            f"{LONGEST_SEARCH:,}.",
            "Write the question in plain words for OpenAlex; that query is then sent in its place.",
            "query_too_long",
        )
    return _error(
        f"The plain query has {length:,} characters; OpenAlex takes at most {LONGEST_SEARCH:,}.",
        "Shorten the plain query to the words that matter.",
        "query_too_long",
    )


def _error(message: str, hint: str, code: str) -> SourceError:
    return SourceError("openalex", Outcome.PERMANENT, message, hint=hint, code=code)


def _safe(text: str, notes: list[QueryNote]) -> str:
    if _WILDCARDS.search(text):
        notes.append(
            QueryNote(
                "OpenAlex refuses the signs ? and *; they are left out and words are not truncated.", Loss.NARROWER
            )
        )
        text = " ".join(_WILDCARDS.sub(" ", text).split())
    if text.count('"') % 2:
        notes.append(QueryNote("A quotation mark is not closed; the quotation marks are left out.", Loss.WIDER))
        text = " ".join(text.replace('"', " ").split())
    depth = 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
    if depth:
        notes.append(QueryNote("The brackets do not match; they are left out.", Loss.WIDER))
        text = " ".join(re.sub(r"[()]", " ", text).split())
    return text


def _years(filters: Filters) -> str:
    first, last = filters.year_from, filters.year_to
    if first is None and last is None:
        return ""
    return str(first) if first == last else f"{'' if first is None else first}-{'' if last is None else last}"


def _languages(filters: Filters, notes: list[QueryNote]) -> list[str]:
    unknown = [name for name in filters.languages if name not in _LANGUAGES]
    if unknown:
        notes.append(
            QueryNote(
                f"OpenAlex cannot be limited to the language {', '.join(unknown)}; records in all languages come.",
                Loss.LOST,
            )
        )
        return []
    codes = [_LANGUAGES[name] for name in filters.languages]
    return [f"language:{'|'.join(codes)}"] if codes else []


def _types(filters: Filters, notes: list[QueryNote]) -> list[str]:
    wanted = [_TYPES.get(name.strip().lower(), "") for name in filters.publication_types]
    unknown = [name for name, known in zip(filters.publication_types, wanted, strict=True) if not known]
    if unknown:
        notes.append(
            QueryNote(
                f"OpenAlex does not know the publication type {', '.join(unknown)}; records of all types come.",
                Loss.LOST,
            )
        )
        wanted = []
    if filters.preprints is Preprints.ONLY:
        return ["type:preprint"]
    if filters.preprints is Preprints.EXCLUDED:
        wanted = [name for name in wanted if name != "preprint"]
        if not wanted:
            return ["type:!preprint"]
    return [f"type:{'|'.join(dict.fromkeys(wanted))}"] if wanted else []


def title_text(title: str) -> str:
    """A title as search text: without signs and capitalised operators that OpenAlex would read as commands."""
    words = re.sub(r"[?*\"()~\\|]", " ", strip_tags(title))
    words = re.sub(r"\b(?:AND|OR|NOT)\b", lambda found: found[0].lower(), words)
    return " ".join(words.split())[:LONGEST_SEARCH]
