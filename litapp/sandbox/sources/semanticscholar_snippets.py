"""One passage of Semantic Scholar's snippet search: the title, or the abstract, of a paper."""

from __future__ import annotations

from typing import Any

from litapp.sandbox.corpus.article import Article
from litapp.sandbox.corpus.words import split_words
from litapp.sandbox.differences import Differences
from litapp.sandbox.sources.semanticscholar_papers import FIRST_CORPUS_ID

_DISCLAIMER = "Sandbox data. Please go to the source to verify the license and copyright information for your use."


def passage(differences: Differences, article: Article, words: str) -> dict[str, Any]:
    """The abstract if it holds more of the words than the title, else the title."""
    title, abstract = differences.title(article), differences.abstract(article)
    wanted = {word.casefold() for word in split_words(words)}
    of_title, of_abstract = (len(wanted & {w.casefold() for w in split_words(text)}) for text in (title, abstract))
    kind, text = ("abstract", abstract) if of_abstract > of_title else ("title", title)
    names = [f"{differences.given(article, one)} {one.family}".strip() or one.collective for one in article.authors]
    return {
        "score": round((max(of_title, of_abstract) + 0.01) / (len(wanted) + 1), 6),
        "paper": {
            "corpusId": str(FIRST_CORPUS_ID + article.pmid),
            "title": title,
            "authors": names,
            "openAccessInfo": {
                "license": "CCBY" if article.pmc else None,
                "status": "GREEN" if article.pmc else "CLOSED",
                "disclaimer": _DISCLAIMER,
            },
        },
        "snippet": {
            "text": text,
            "snippetKind": kind,
            "section": None,
            "snippetOffset": {"start": 0, "end": len(text)},
            "annotations": {"refMentions": None, "sentences": None},
        },
    }
