"""Looks a plan's PubMed query over, as PRESS does, with the MeSH of this installation; gives the repairs it offers."""

from __future__ import annotations

from litapp.core.querylang import Finding, QuerySyntaxError, Severity, parse, print_pubmed
from litapp.core.querylang.dialects import Dialect
from litapp.core.querylang.findings import Effect, Fix, Outcome
from litapp.core.querylang.press import check_read_strategy
from litapp.core.querylang.question import han_findings
from litapp.core.querylang.strategy import Strategy, read_strategy
from litapp.ledger.services.mesh import InstalledMesh


def one_line_end(text: str) -> str:
    """The text with line ends as places are counted here; browsers send them as two characters."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


class RepairGone(Exception):
    """The repair that was asked for is not offered for this text (any more). The message says what to do."""

    def __init__(self) -> None:
        super().__init__(
            "The query has changed since this repair was offered. Nothing was changed; look it over again."
        )


def check_plan_query(text: str) -> list[Finding]:
    """Everything found in a query of a plan, in order of place. An empty text has no findings.

    A plan sends one query, as it stands: what only a list of lines may hold is an error here, with its repair.
    """
    if not text.strip():
        return []
    strategy = read_strategy(text, Dialect.PUBMED)
    found = [_as_sent(finding) for finding in check_read_strategy(strategy, InstalledMesh())]
    found.extend(han_findings(text))
    if strategy.is_list:
        found.append(_list_of_lines(text, strategy))
    elif not any(finding.severity is Severity.ERROR for finding in found):
        try:
            parse(text)
        except QuerySyntaxError as error:
            found.append(
                Finding("syntax", Severity.ERROR, error.message, error.start, error.end, error.hint, Effect.RECALL)
            )
    return sorted(found, key=lambda finding: (finding.start, finding.end, finding.code))


def repair_of(text: str, code: str, start: int, end: int) -> Fix:
    """The repair of the finding `code` at this place of `text`. Raises RepairGone."""
    for finding in check_plan_query(text):
        if (finding.code, finding.start, finding.end) == (code, start, end) and finding.fix is not None:
            return finding.fix
    raise RepairGone


def undone(text: str, start: int, written: str, was: str) -> str:
    """`text` with `was` again in place of what a repair has `written` at `start`. Raises RepairGone."""
    end = start + len(written)
    if start < 0 or text[start:end] != written:
        raise RepairGone
    return text[:start] + was + text[end:]


def _as_sent(finding: Finding) -> Finding:
    """What a database's page prints beside a query would be sent to PubMed as words."""
    if finding.code != "set_outside_the_query":
        return finding
    return Finding(
        finding.code,
        Severity.ERROR,
        "This was set on the database's page. In a plan it would be searched as words.",
        finding.start,
        finding.end,
        "Take it out, and set the limits that you want under “Filters”.",
        Effect.RECALL,
        Fix(finding.start, finding.end, "", Outcome.OTHER),
    )


def _list_of_lines(text: str, strategy: Strategy) -> Finding:
    """A numbered list where one query belongs; joined into one query if every line can be read."""
    fix = None
    if not strategy.faults:
        try:
            fix = Fix(0, len(text), print_pubmed(strategy.tree()), Outcome.SAME)
        except QuerySyntaxError:
            fix = None
    return Finding(
        "list_of_lines",
        Severity.ERROR,
        f"These are {len(strategy.lines)} numbered lines. A plan sends one query.",
        0,
        len(text),
        "Join them: the last line becomes the query, with the lines it points to written out.",
        Effect.NONE,
        fix,
    )
