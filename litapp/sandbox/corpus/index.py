"""What of an article is indexed, and under which names: words, exact values, MeSH headings, dates."""

from __future__ import annotations

import functools
import re
import unicodedata

from litapp.sandbox.corpus.article import Article, Author
from litapp.sandbox.corpus.store import GAP

_SEPARATOR = f" {GAP} "


@functools.lru_cache(maxsize=65_536)
def folded(text: str) -> str:
    """Lower case, without accents, punctuation as single blanks: how exact values are stored and asked for."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("&", " and "))
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(re.sub(r"[^\w]+", " ", plain).split())


def word_columns(article: Article) -> tuple[str, ...]:
    """The text of each column of the full-text index, in the order of `store.COLUMNS`."""
    mesh = [h.name for h in article.mesh] + [q[0] for h in article.mesh for q in h.qualifiers]
    names = [a.short for a in article.authors] + [a.full for a in article.authors if a.given]
    affiliations = dict.fromkeys(text for a in article.authors for text in a.affiliations)
    other = [str(article.pmid), article.doi, article.pmc, article.pii, article.volume, article.pages, *article.grants]
    return (
        _SEPARATOR.join(text for text in (article.title, article.vernacular_title) if text),
        _SEPARATOR.join([article.abstract_text, *article.other_abstract]),
        _SEPARATOR.join(article.keywords),
        _SEPARATOR.join([*mesh, *article.types, *(c[0] for c in article.chemicals)]),
        _SEPARATOR.join(names),
        _SEPARATOR.join(dict.fromkeys((article.journal, article.iso, article.medline_ta))),
        _SEPARATOR.join(affiliations),
        _SEPARATOR.join(value for value in other if value),
    )


def attributes(article: Article) -> list[tuple[str, str]]:
    """(kind, value) pairs for exact search."""
    pairs = [("pt", folded(t)) for t in article.types]
    pairs += [("la", folded(code)) for code in article.languages]
    pairs += [("ta", folded(name)) for name in (article.journal, article.iso, article.medline_ta) if name]
    pairs += [("ta", folded(issn)) for issn, _ in article.issns]
    pairs += [("jid", folded(article.nlm_id)), ("vi", folded(article.volume)), ("ip", folded(article.issue))]
    pairs += [("pg", folded(article.pages)), ("pg", folded(article.first_page)), ("pl", folded(article.country))]
    pairs += [("nm", folded(name)) for name, _ in article.chemicals] + [
        ("rn", n.casefold()) for _, n in article.chemicals
    ]
    pairs += [("gr", folded(g)) for g in article.grants] + [("ot", folded(k)) for k in article.keywords]
    pairs += [("doi", article.doi), ("pmc", article.pmc.casefold()), ("aid", article.pii.casefold())]
    people = [_author_key(a) for a in article.authors if not a.collective]
    pairs += [("au", key) for key in people] + [("cn", folded(a.collective)) for a in article.authors if a.collective]
    pairs += [("fau", folded(f"{a.family} {a.given}")) for a in article.authors if a.given]
    if people:
        pairs += [("1au", people[0]), ("lastau", people[-1])]
    pairs += [("sb", name) for name in _subsets(article)]
    pairs += [("cites", str(pmid)) for pmid in article.cites]
    return [(kind, value) for kind, value in pairs if value]


def _author_key(author: Author) -> str:
    return folded(f"{author.family} {author.initials}")


def _subsets(article: Article) -> list[str]:
    """Names of the subsets and filters an article belongs to, as PubMed calls them."""
    names = [folded(article.status).replace(" ", "")] if article.status else []
    title = article.title.casefold()
    conditions = {
        "hasabstract": bool(article.abstract),
        "pubmed pmc": bool(article.pmc),
        "pmc": bool(article.pmc),
        "free full text": bool(article.pmc),
        "systematic": "Systematic Review" in article.types or "systematic review" in title,
        "retracted publication": article.is_retracted,
        "preprint": article.is_preprint,
    }
    return names + [name for name, holds in conditions.items() if holds]


def headings(article: Article) -> list[tuple[str, str, int]]:
    """(heading, qualifier or "", major as 0/1). A heading is major if it or one of its qualifiers is."""
    rows = []
    for heading in article.mesh:
        major = heading.major or any(q[2] for q in heading.qualifiers)
        rows.append((heading.name.casefold(), "", int(major)))
        rows += [(heading.name.casefold(), folded(name), int(m or heading.major)) for name, _, m in heading.qualifiers]
    return rows


def days(article: Article) -> list[tuple[str, int]]:
    """(kind, yyyymmdd): a date known to the year counts as its first day, as in PubMed.

    Only the kinds "printed" and "online" keep what is not known as 0.
    """
    found = {
        "ppdt": [article.printed],
        "epdt": [article.electronic],
        "dp": [article.printed, article.electronic],
        "edat": [article.history.get("entrez", [0, 0, 0])],
        "crdt": [article.history.get("entrez", [0, 0, 0])],
        "mhda": [article.history.get("medline", [0, 0, 0])],
        "dcom": [article.completed],
        "lr": [article.revised],
    }
    searched = [
        (kind, date[0] * 10_000 + (date[1] or 1) * 100 + (date[2] or 1))
        for kind, dates in found.items()
        for date in dates
        if date[0]
    ]
    exact = {"printed": article.printed, "online": article.electronic}
    return searched + [(kind, date[0] * 10_000 + date[1] * 100 + date[2]) for kind, date in exact.items() if date[0]]
