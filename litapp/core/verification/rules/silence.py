"""When nobody knows the title: the only case in which silence speaks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from litapp.core.matching.authors import compare_authors
from litapp.core.matching.fields import journal_names
from litapp.core.matching.journals import is_other_script, is_preprint_server, same_journal
from litapp.core.matching.words import title_words
from litapp.core.normalise import family_key
from litapp.core.records import Record
from litapp.core.verification.evidence import Answered, Asked, CheckResult, Kind, Result
from litapp.core.verification.rules.hearing import Hearing
from litapp.core.verification.sources import HANDLE_SYSTEM, OWNERS, labels
from litapp.core.verification.witness import Witness, Work

KNOWN = "title_known"
SHORTEST_TELLING_TITLE = 5
"""Words. Shorter titles ("Editorial", "Reply to the authors") are shared by many papers and often not deposited."""

ARTICLE_TYPES = frozenset({"article-journal", "article", ""})
OUTSIDE: Mapping[str, str] = MappingProxyType(
    {
        "book": "A book: article indexes do not hold it. Look in WorldCat or at the publisher.",
        "chapter": "A book chapter: article indexes hold few. Look for the book in WorldCat or at the publisher.",
        "thesis": "A thesis: article indexes do not hold it. Look in the university's repository.",
        "report": "A report: article indexes do not hold it. Look at the body that issued it.",
        "webpage": "A web page: open its address.",
        "dataset": "A data set: look at DataCite or the repository.",
        "legislation": "A law: look in the official gazette.",
        "bill": "A law: look in the official gazette.",
        "legal_case": "A court decision: look at the court.",
        "patent": "A patent: look in Espacenet.",
        "standard": "A standard: look at the body that issued it.",
        "software": "Software: look at its repository.",
        "speech": "A talk: look in the meeting's programme.",
        "personal_communication": "A personal communication: no source can hold it.",
    }
)


def title_known(hearing: Hearing) -> tuple[CheckResult, ...]:
    """Accuse by silence, or say why silence proves nothing. No check where somebody knows the title, or where an
    identifier is known to name the paper."""
    known = hearing.resolved() or any(w.work is Work.SAME for w in hearing.witnesses)
    if known or not hearing.claimed.title or not hearing.evidence:
        return ()
    twins = [w for w in hearing.witnesses if w.work is Work.TWIN]
    obstacle = (
        _unsure(hearing) or _perhaps_shortened(hearing) or (_common(hearing, twins) if twins else _outside(hearing))
    )
    if obstacle:
        return (hearing.check(KNOWN, "", Result.SKIPPED, obstacle),)
    asked = labels(hearing.silence_sources)
    if twins:
        twin = twins[0]
        author = twin.record.authors[0].name if twin.record.authors else "no authors given"
        reason = f"{asked} know this title only as a paper by others ({author})."
        return (_fail(hearing, reason, Kind.IDENTITY, "authors", twin),)
    reworded = next((w for w in hearing.witnesses if w.work is Work.REWORDED and _pinned(w)), None)
    if reworded is not None:
        reason = f"{asked} do not know this title; a paper by these authors reads “{reworded.record.title}”."
        return (_fail(hearing, reason, Kind.DETAILS, "title", reworded),)
    reason = f"No such paper: {asked} answered, and none of them knows this title."
    return (_fail(hearing, reason, Kind.IDENTITY, "title", None),)


_ANSWERED = (Answered.FOUND, Answered.ABSENT)


def _fail(hearing: Hearing, reason: str, kind: Kind, wrong: str, witness: Witness | None) -> CheckResult:
    answers = tuple(f for f in hearing.evidence if f.source in hearing.silence_sources and f.outcome in _ANSWERED)
    source = witness.source if witness else ""
    return hearing.check(
        KNOWN, source, Result.FAIL, reason, kind=kind, witness=witness, wrong=(wrong,), answers=answers
    )


def _pinned(witness: Witness) -> bool:
    comparison = witness.comparison
    return comparison.field("year").agrees and comparison.field("journal").agrees


def _unsure(hearing: Hearing) -> str:
    """Why nothing at all can be said yet: an identifier left open, a source that did not answer, a common title."""
    claimed = hearing.claimed
    if claimed.csl_type in OUTSIDE:
        return OUTSIDE[claimed.csl_type]
    undecided = _undecided_identifier(hearing)
    if undecided:
        return undecided
    silent = [source for source in hearing.silence_sources if not _searched(hearing, source)]
    if silent:
        return f"Not found, but {labels(silent)} did not answer: check again later, or by hand."
    return ""


def _perhaps_shortened(hearing: Hearing) -> str:
    """Why a title that somebody of these authors' longer title begins with is not called invented."""
    longer = next((w for w in hearing.witnesses if w.shortened and w.comparison.authors.matched), None)
    return (
        f"Not found under this title; perhaps it is “{longer.record.title}”, shortened. Check by hand."
        if longer
        else ""
    )


def _common(hearing: Hearing, twins: list[Witness]) -> str:
    """Why other people's papers of this title prove nothing: the title is short, or several papers bear it."""
    first = twins[0].record.authors
    several = any(compare_authors(first, twin.record.authors).foreign for twin in twins[1:])
    if len(title_words(hearing.claimed.title).words) < SHORTEST_TELLING_TITLE - 1 or several:
        return "Not found: other papers bear this title, and this one may exist beside them. Check by hand."
    return ""


def _outside(hearing: Hearing) -> str:
    """Why these sources need not hold the work, or "" for a journal article that they should hold."""
    claimed = hearing.claimed
    names = journal_names(claimed)
    if len(title_words(claimed.title).words) < SHORTEST_TELLING_TITLE:
        return "Not found: a title this short is shared by many papers. Check by hand."
    if any(map(is_preprint_server, names)):
        return "Not found: look at the preprint server itself."
    if claimed.csl_type not in ARTICLE_TYPES:
        return f"Not found. Not a journal article ({claimed.csl_type}): these sources do not hold all of them."
    if is_other_script(claimed.title) or (claimed.languages and "eng" not in claimed.languages):
        return "Not found: a work in a language these sources hold few of. Check by hand in the national index."
    if not names or not (claimed.date.year or claimed.years):
        return "Not found, but the reference gives no journal or no year: check by hand."
    if not _indexed(hearing, names):
        return "Not found: these sources are not known to index this journal. Check by hand at the journal."
    return ""


def _undecided_identifier(hearing: Hearing) -> str:
    """An identifier that exists, or that could not be looked up, forbids any accusation by silence."""
    for scheme, value in hearing.identifiers():
        if hearing.owner_witness(scheme, value) is not None:
            continue
        answers = hearing.answers(scheme, value, (*OWNERS[scheme], HANDLE_SYSTEM))
        registered = any(f.source == HANDLE_SYSTEM and f.outcome is Answered.FOUND for f in answers)
        if registered:
            return f"The {scheme.upper()} is registered, but none of the sources asked holds the paper: open it."
        absent = {f.source for f in answers if f.outcome is Answered.ABSENT}
        if not (absent & {HANDLE_SYSTEM, "pubmed", "arxiv"}):
            return f"Not found, but its {scheme.upper()} could not be looked up where it was issued: check again later."
    return ""


def _searched(hearing: Hearing, source: str) -> bool:
    return any(f.source == source and f.how is Asked.SEARCH and f.outcome in _ANSWERED for f in hearing.evidence)


def _indexed(hearing: Hearing, names: tuple[str, ...]) -> bool:
    """True when the list of journals, or a record seen in these sources, shows that they hold this journal, or when
    nothing about an English name speaks against it."""
    if any(map(hearing.journals.knows, names)):
        return True
    seen = {theirs for witness in hearing.witnesses for theirs in journal_names(witness.record)}
    if any(same_journal(name, theirs) for name in names for theirs in seen):
        return True
    if any(map(_SERIES.match, names)):
        return True
    return not any(map(_national, names)) and not _perhaps_chinese(hearing.claimed)


def _national(name: str) -> bool:
    """True for a name in another language, or that names a country: often indexed at home only. A place in brackets
    ("Los Angeles, Calif.") only tells journals of one name apart."""
    return not name.isascii() or bool(_FOREIGN.search(_IN_BRACKETS.sub("", name)))


LAST_CHINESE_YEAR = 2015
"""Later papers by authors in China are mostly in journals that these sources hold."""


def _perhaps_chinese(claimed: Record) -> bool:
    """True for an older paper most of whose authors bear common Chinese family names: in a journal that nobody knows it
    may be one of a Chinese database."""
    bearing = sum(family_key(person) in _CHINESE for person in claimed.authors)
    year = claimed.date.year or max(claimed.years, default=0)
    return 2 * bearing > len(claimed.authors) > 0 and year <= LAST_CHINESE_YEAR


_IN_BRACKETS = re.compile(r"\([^()]*\)?")
_SERIES = re.compile(
    r"(?:acm|acs|advances in|american journal of|annals of|annual review|archives of|bmc|bmj|british journal of|cell|"
    r"clinical|cochrane|critical care|current opinion|european journal of|expert opinion|expert review|frontiers in|"
    r"ieee|international journal of|jama|jmir|jnci|journal of the american|lancet|nature|npj|plos|proceedings of the|"
    r"scientific reports|science|trends in|the (?:american|annals|british|european|journal|lancet|new))\b",
    re.IGNORECASE,
)
"""Beginnings of names of international series, which these sources hold."""
_FOREIGN = re.compile(
    r"\b(?:d[aeiou]|das|del|della|delle|der|des|die|dos|du|el|för|für|fur|gli|il|la|las|le|les|los|"
    r"och|og|und|van|voor|y|zur|sinica|annales|anales|annali|archiv|archivos|arquivos|bulletin de|cahiers|giornale|"
    r"jornal|minerva medica|nihon|nippon|revista|revue|rivista|tidsskrift|turk|vestnik|zeitschrift|zh\w+|"
    r"(?:afghan|alban|arab|armen|azerbaijan|bangladesh|bosn|brazil|bulgar|burm|chin|colomb|croat|cub|czech|egypt|"
    r"ethiop|georg|greek|hungar|ind(?:ia|ones)|iran|iraq|israel|japan|kazakh|kore|malays|mexic|mongol|moroc|nepal|"
    r"niger|pakistan|philippin|pol(?:and|ish)|portug|roman|russ|saudi|serb|siber|slov|sri lanka|sudan|swed|syri|taiwan|"
    r"thai|tunis|turk|ukrain|uzbek|vietnam|yugoslav)\w*)\b",
    re.IGNORECASE,
)
_CHINESE_NAMES = (
    "bai cai cao chen cheng cui dai deng ding dong du duan fan fang feng fu gao gong gu guo han hao he hou hu huang "
    "jia jiang jin kong lei li lian liang liao lin liu long lu luo lyu ma mao meng mo pan peng qian qiao qin qiu "
    "ren shao shen shi song su sun tan tang tao tian wan wang wei wen wu xia xiang xiao xie xing xiong xu xue yan "
    "yang yao ye yi yin you yu yuan zeng zhai zhan zhang zhao zheng zhong zhou zhu zou "
)
_CHINESE = frozenset(_CHINESE_NAMES.split())
