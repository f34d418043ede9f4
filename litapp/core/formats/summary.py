"""What an evidence summary says, as data: question, search as run, counts, references."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.matrixtable import MatrixTable
from litapp.core.plan import Pico

DISCLAIMERS = (
    "A verified reference exists as described: a source other than the one that returned it, or the source that owns "
    "its identifier, confirmed the fields. It does not mean that the study is sound or supports a statement.",
    "References marked as unverified or suspect could not be confirmed. Check them by hand before you cite them.",
    "Retractions and expressions of concern are those that the sources reported on the day of the check. Later ones "
    "are not shown here.",
    "This summary was put together by fixed rules from what the sources returned. It is no systematic review and no "
    "medical advice.",
)
SYSTEMATIC_DISCLAIMERS = (
    *DISCLAIMERS[:-1],
    "Its authors call this a systematic review and state which steps were done. LitLedger appraised no study and drew "
    "no conclusion. It is no medical advice.",
)


@dataclass(frozen=True, slots=True)
class SearchLine:
    """One query at one source, as run.

    `query` is the exact text sent. `reported` is the total that the source stated (None = it states none; `exact` is
    False where the number is no count). `fetched` are the records taken. `state` is "done", "partial", "failed" or
    "skipped"; `reason` says why it is not "done" or what was capped. `ran_at` is None where nothing was sent or nobody
    said when, a day where only that is known.
    """

    source: str
    query: str
    state: str
    ran_at: datetime | date | None = None
    label: str = ""
    reported: int | None = None
    exact: bool = True
    fetched: int = 0
    reason: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOutReference:
    """A reference that the chosen scope leaves out, by name."""

    key: str
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class FlowTable:
    """The flow of records as it was counted: rows (part, step, number), notes below, and the figure with its
    description; `png` is empty where it could not be drawn."""

    rows: tuple[tuple[str, str, str], ...] = ()
    notes: tuple[str, ...] = ()
    alt: str = ""
    png: bytes = b""


@dataclass(frozen=True, slots=True)
class FindingQuote:
    """Words of a source under a topic: the reference's key, the quote, and where it stands."""

    key: str
    quote: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class FindingTopic:
    """One topic of the findings: quotes, then the person's own text, which cites by `[@key]`. `drafted_by` names the
    language model that drafted the text, "" = a person wrote it."""

    title: str
    quotes: tuple[FindingQuote, ...] = ()
    text: str = ""
    drafted_by: str = ""


@dataclass(frozen=True, slots=True)
class Transparency:
    """How the summary came about: its kind, the steps of a systematic review that were done, and what was automatic."""

    kind: str
    kind_text: str
    steps: tuple[tuple[str, str], ...] = ()
    statements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceSummary:
    """Everything that an evidence summary prints. Nothing in it may come from outside the ledger and the decisions.

    `plan_label` names the plan version ("Version 2, approved 2026-01-02 by …"). `generated_at` is given by the caller.
    """

    project: str
    question: str
    generated_at: datetime
    flow: FlowTable = field(default_factory=FlowTable)
    entries: tuple[ExportEntry, ...] = ()
    searches: tuple[SearchLine, ...] = ()
    pico: Pico = field(default_factory=Pico)
    plan_label: str = ""
    filters: tuple[str, ...] = ()
    left_out: tuple[LeftOutReference, ...] = ()
    disclaimers: tuple[str, ...] = DISCLAIMERS
    sandbox: bool = False
    topics: tuple[FindingTopic, ...] = ()
    guidelines: tuple[str, ...] = ()
    """Keys of the references that their sources call guidelines."""
    matrix: MatrixTable | None = None
    limitations: tuple[str, ...] = ()
    """What the ledger itself tells of the limits of this search."""
    limitations_text: str = ""
    """The person's own text, which cites by `[@key]`."""
    transparency: Transparency | None = None
    overrides: tuple[str, ...] = ()
    """Failures of the checks before this output that a person let pass, and who, when, why: printed at the top."""
