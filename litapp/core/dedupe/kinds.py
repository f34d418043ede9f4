"""What kind of record it is, as far as that forbids merging: notice, comment, protocol, abstract, preprint ..."""

from __future__ import annotations

import re
from enum import StrEnum

from litapp.core.matching.journals import is_preprint_server
from litapp.core.records import Record


class Level(StrEnum):
    """Levels that are never merged with each other. REPORT is an ordinary article, chapter or conference paper."""

    REPORT = "report"
    ABSTRACT = "conference_abstract"
    PREPRINT = "preprint"
    ERRATUM = "erratum"
    RETRACTION = "retraction_notice"
    CONCERN = "expression_of_concern"
    COMMENT = "comment"
    PROTOCOL = "protocol"
    REGISTRATION = "registration"
    THESIS = "thesis"


_TITLE_LEVELS: tuple[tuple[Level, re.Pattern[str]], ...] = tuple(
    (level, re.compile(pattern, re.IGNORECASE))
    for level, pattern in (
        (
            Level.RETRACTION,
            r"\A\W*(?:notice of )?(?:partial )?retraction(?: notice)?(?:\s*[:.]|\s+(?:of|to|for|note)\b|\W*\Z)|"
            r"\A\W*\[?retracted\]? notice\b|\A\W*withdrawal(?: notice)?(?:\s*:|\s+of\b)|\bretraction notice\b|"
            r"\W\s*retraction\W*\Z",
        ),
        (Level.CONCERN, r"\A\W*(?:editorial )?expression of concern\b"),
        (
            Level.ERRATUM,
            r"\A\W*(?:(?:author|publisher)(?:'?s)? )?(?:erratum|errata|corrigendum|corrigenda|corrections?|addendum)"
            r"(?:\s*[:.]|\s+(?:to|for|on|in|of|and)\b|\W*\Z)|\A\W*(?:erratum|corrigendum)\b|"
            r"(?:[\s(\[:.-])(?:erratum|corrigendum|correction)\W*\Z|"
            r"\(vol(?:ume)?\.? ?\d+,? [^()]{0,30}\d+\)?\W*\Z",
        ),
        (
            Level.COMMENT,
            r"\A\W*(?:(?:invited |editorial )?comment(?:s|ary)?(?: (?:on|to|from|by|in response)\b|\s*:\s*|\W*\Z)|"
            r"editorial comments?\b|re\s*:|reply\b|in reply\b|(?:author'?s?'?|the authors?'?|in) (?:reply|response)|"
            r"responses? (?:to|from|by)\b|letters? (?:to (?:the )?editor )?(?:about|on|by|regarding|re)\b|"
            r"(?:letter|correspondence|editorial|response|viewpoint|discussion|rejoinder)\s*:|"
            r"letter to (?:the )?editors?\b|discussion (?:of|on|by)\b|summary of\s*:?|critique of\b|faculty of 1000|"
            r"in response to\b|a reply to\b|a comment on\b|comment on\b|rebuttal\b|reply to comment)|"
            r"(?:[\s:.-])(?:editorial comment|author'?s? repl(?:y|ies)|authors'? response|reply|a reply|a comment|"
            r"comment|a response|a commentary)\W*\Z",
        ),
        (
            Level.PROTOCOL,
            r"\bprotocol\b|\brationale,? (?:and )?(?:study )?design\b|"
            r"\bdesign,? (?:and )?(?:rationale|methods|protocol|methodology)\b|"
            r"\b(?:study|trial) design\b|\bmethods and design\b|\bdesign of (?:the|a|an)\b",
        ),
    )
)
_REGISTRY = re.compile(
    r"clinicaltrials\.gov|\bisrctn\b|\bnct\d{8}\b|who\.int/trialsearch|trialsearch|\bchictr|\beuctr|\bdrks\b|anzctr|"
    r"umin|\bctri\b|trial registr",
    re.IGNORECASE,
)
_SUPPLEMENT = re.compile(r"\bsuppl?(?:ement\w*)?\b|\bs\s*\d{1,2}\b", re.IGNORECASE)
_MEETING = re.compile(r"\bconference\s*:|\bconference publication|\babstracts?\b|\bmeeting abstract", re.IGNORECASE)
_PREPRINT_DOI = re.compile(
    r"10\.(?:1101/|48550/|21203/rs|20944/preprints|26434/|31234/|31219/|31222/|2139/ssrn|36227/|22541/|14293/)"
)
_ABSTRACT_TYPE = re.compile(
    r"conference abstract|meeting abstract|congress|conference proceeding|poster", re.IGNORECASE
)
_POSTER_DOI = re.compile(r"congress|conf\.|\bsuppl|supplement|abst|2\.suppl|meeting", re.IGNORECASE)


def title_level(title: str) -> Level:
    """The level that a title itself tells, else REPORT."""
    lead = (
        title
        if "[" not in title
        else re.sub(r"\[(?:erratum|corrected|comment|see comment|retract)[^\]]*\]?", "", title, flags=re.I)
    )
    for level, pattern in _TITLE_LEVELS:
        if pattern.search(lead):
            return level
    return Level.REPORT


def is_registration(record: Record) -> bool:
    """True for an entry of a trial registry."""
    return any("registration" in kind.lower() for kind in record.publication_types) or bool(
        _REGISTRY.search(record.journal)
    )


def is_preprint(record: Record) -> bool:
    """True for a preprint by its mark, its server or its DOI's prefix."""
    if record.is_preprint:
        return True
    if record.journal:
        return is_preprint_server(record.journal)
    return bool(record.doi) and bool(_PREPRINT_DOI.match(record.doi)) and not record.volume


def looks_like_abstract(record: Record, first_letters: str, length: int | None) -> bool:
    """True for what is printed in a supplement on a page or two: an abstract of a meeting.

    `first_letters` are the letters before the first page, `length` the number of pages where known.
    """
    if any(_ABSTRACT_TYPE.search(kind) for kind in record.publication_types):
        return True
    if _MEETING.search(record.journal):
        return True
    short = length is not None and length <= 2
    supplement = bool(_SUPPLEMENT.search(record.volume) or _SUPPLEMENT.search(record.issue)) or bool(
        re.match(r"\s*\d{1,2}\)", record.volume)
    )
    lettered = first_letters[:1] in ("s", "a", "p") and len(re.sub(r"\D", "", record.pages.split("-")[0])) <= 3
    return short and (supplement or lettered)


def level_of(record: Record, first_letters: str, length: int | None) -> Level:
    """The level of a record; ABSTRACT only where nothing stronger speaks."""
    level = title_level(record.title)
    if record.is_notice and level is Level.REPORT:
        return Level.ERRATUM
    if level not in (Level.REPORT, Level.PROTOCOL):
        return level
    if is_registration(record):
        return Level.REGISTRATION
    if is_preprint(record):
        return Level.PREPRINT
    if any("thesis" in kind.lower() or "dissertation" in kind.lower() for kind in record.publication_types):
        return Level.THESIS
    if level is Level.REPORT and looks_like_abstract(record, first_letters, length):
        return Level.ABSTRACT
    return level
