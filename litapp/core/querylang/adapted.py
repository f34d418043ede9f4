"""What a leaf became in another database, the choices of a translation, and words with the wildcards of the target."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from litapp.core.querylang.ast import Node
from litapp.core.querylang.dialects import central as cochrane
from litapp.core.querylang.dialects import ebsco, embase, ovid, scopus, wos
from litapp.core.querylang.dialects.dialect import OVID, Dialect
from litapp.core.querylang.dialects.scanner import Wildcards
from litapp.core.querylang.translation import Meaning


@dataclass(frozen=True, slots=True)
class Options:
    """Choices where a database offers a wider and a narrower way.

    `embase_keywords`: PubMed's [tiab] becomes `:ti,ab,kw` in place of `:ab,ti`. `topic`: Web of Science `TS=` (adds
    Keywords Plus) in place of title, abstract and author keywords.
    """

    embase_keywords: bool = False
    topic: bool = False


DEFAULT = Options()


@dataclass(frozen=True, slots=True)
class Adapted:
    """A leaf in the target's terms. `node` None = it cannot be said there. `why` is empty for EXACT only."""

    node: Node | None
    meaning: Meaning = Meaning.EXACT
    why: str = ""


_WILDCARDS: Mapping[Dialect, Wildcards] = MappingProxyType(
    {
        Dialect.PUBMED: Wildcards(),
        **dict.fromkeys(OVID, ovid.WILDCARDS),
        Dialect.EMBASE_COM: embase.WILDCARDS,
        Dialect.CENTRAL: cochrane.WILDCARDS,
        Dialect.WEB_OF_SCIENCE: wos.WILDCARDS,
        Dialect.SCOPUS: scopus.WILDCARDS,
        Dialect.CINAHL: ebsco.WILDCARDS,
    }
)


def lost(target: Dialect, what: str) -> Adapted:
    """Nothing, with a sentence that says so."""
    return Adapted(None, Meaning.LOST, f"{target.value} has nothing like {what}; it is left out.")


def text_in(text: str, source: Dialect, target: Dialect) -> tuple[str, bool]:
    """The words with the wildcards that the target has, and whether one was lacking."""
    if source is Dialect.PUBMED:
        text = re.sub(r"[?$#{}]", " ", text)
    text = re.sub(r"[\"“”„‟«»＂\[\]()=<>|\\^~;]", " ", text)
    text = re.sub(r"(?<!\w)['’‘`]+|['’‘`]+(?!\w)", " ", text)
    if target in (Dialect.OVID_MEDLINE, Dialect.OVID_EMBASE, Dialect.OVID_PSYCINFO):
        text = text.replace(":", " ")
    if target in (
        Dialect.EMBASE_COM,
        Dialect.OVID_MEDLINE,
        Dialect.OVID_EMBASE,
        Dialect.OVID_PSYCINFO,
        Dialect.CENTRAL,
    ):
        text = re.sub(r"[/:]", " ", text)
    if target is not Dialect.PUBMED:
        text = re.sub(r"#", " ", text)
    wildcards = _WILDCARDS[target]
    lacking = False
    while missing := wildcards.lacking(text):
        lacking = True
        text = re.sub(r"\*\{\d+\}", "*", text) if missing == "*{n}" else text.replace(missing, "*")
    return " ".join(re.sub(r"\*+", "*", text).split()), lacking
