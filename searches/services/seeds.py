"""Seed papers of a plan version: which line finds each, which loses it, what brings it back at what cost in hits."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any
from uuid import UUID

from litapp.core.identifiers import parse_identifier
from litapp.core.plan import Filters, PlanQuery, Preprints
from litapp.core.querylang import QuerySyntaxError, parse
from litapp.core.querylang.ast import Node
from litapp.core.records import Record, Scheme
from litapp.providers.pubmed.members import any_of
from litapp.providers.registry import search_provider
from searches.models import Mode, PaperSearch, SearchPlanVersion
from searches.services.mode_asking import FAILED, NOT_ASKED, Heard, Question, ask_all, count_question, members_question
from searches.services.mode_searches import SearchProblem, search_begin
from searches.services.mode_work import Found, Progress
from searches.services.seeds_asking import Losses, ask_losses
from searches.services.seeds_lines import Line, Role, lines_of, proposed_terms, query_with_term, query_without

MOST_SEEDS = 50
MOST_LINES = 12
"""Lines of one query that are asked about; a longer one says so."""
MOST_TERM_REQUESTS = 120
"""Alternatives of all lines that are asked for one by one."""
MOST_CHANGES = 3
"""Ways to bring seeds back that are counted (up to two requests each)."""


def seeds_begin(
    *, version: SearchPlanVersion, actor: Any, request_id: UUID, text: str, query_index: int = 0, terms: bool = False
) -> PaperSearch:
    """Begin to look for seeds in a Boolean query of the plan. `terms` = every alternative of every line, too.

    Raises SearchProblem for what is no list of PMIDs, and for a query that has no lines.
    """
    pmids, wrong = read_pmids(text)
    if wrong:
        raise SearchProblem(f"These are no PMIDs: {', '.join(wrong[:5])}. Give numbers, one a line or with commas.")
    if not pmids:
        raise SearchProblem("Give the PMIDs of papers that the search must find, one a line or with commas.")
    if len(pmids) > MOST_SEEDS:
        raise SearchProblem(f"These are {len(pmids)} PMIDs. At most {MOST_SEEDS} seeds are looked for at once.")
    content = version.plan_content
    boolean = [index for index, query in enumerate(content.queries) if query.boolean.strip()]
    if query_index not in boolean:
        raise SearchProblem("This plan has no Boolean query there. Seeds are looked for line by line in a Boolean one.")
    tree = _tree(content.queries[query_index].boolean)
    lines = lines_of(tree, content.filters)
    if terms and terms_to_ask(lines) > MOST_TERM_REQUESTS:
        raise SearchProblem(
            f"The lines of this query have {terms_to_ask(lines)} alternatives, and each takes a request. At most "
            f"{MOST_TERM_REQUESTS} are asked for one by one; ask for the lines as a whole."
        )
    if len(lines) > MOST_LINES:
        raise SearchProblem(
            f"This query has more than {MOST_LINES} parts joined by AND. Join what belongs together, then ask again."
        )
    return search_begin(
        project=version.plan.project, actor=actor, request_id=request_id, mode=Mode.SEEDS, version=version,
        title=f"{len(pmids)} seed paper{'' if len(pmids) == 1 else 's'} in {version.plan.title}",
        question={"pmids": pmids, "query": query_index, "terms": terms, "content_hash": version.content_hash,
                  "boolean": content.queries[query_index].boolean, "filters": asdict(content.filters)},
    )  # fmt: skip


def read_pmids(text: str) -> tuple[list[str], list[str]]:
    """PMIDs of a text (numbers, "PMID: …", addresses), each once; and the words that are none."""
    pmids, wrong = [], []
    for word in text.replace("\x00", " ").replace("PMID:", " ").replace("PMID", " ").replace(",", " ").split():
        identifier = parse_identifier(word.strip(";:.[]()"))
        if identifier is not None and identifier.scheme is Scheme.PMID:
            pmids.append(identifier.value)
        else:
            wrong.append(word[:40])
    return list(dict.fromkeys(pmids)), wrong


def _tree(boolean: str) -> Node:
    try:
        return parse(boolean)
    except QuerySyntaxError as error:
        raise SearchProblem(f"The query cannot be read: {error.message} {error.hint}".strip()) from error


def filters_of(question: dict[str, Any]) -> Filters:
    """The limits as they were when the seeds were asked for."""
    data = dict(question["filters"])
    return Filters(
        year_from=data["year_from"],
        year_to=data["year_to"],
        publication_types=tuple(data["publication_types"]),
        languages=tuple(data["languages"]),
        preprints=Preprints(data["preprints"]),
    )


def seeds_find(search: PaperSearch, progress: Progress) -> Found:
    """Name the lines first; then what would bring the lost ones back; then terms, where they were asked for."""
    question = search.question
    boolean, pmids = str(question["boolean"]), list(question["pmids"])
    filters, tree = filters_of(question), _tree(boolean)
    lines = lines_of(tree, filters)
    started = time.monotonic()
    losses = ask_losses(boolean, filters, lines, pmids, progress)
    result = told(losses, lines, pmids, tree) | {"seconds": round(time.monotonic() - started, 2)}
    PaperSearch.objects.filter(pk=search.pk, state="running").update(result=result)
    changes, heard = bring_back(losses, lines, tree, filters, pmids, result["terms"])
    result["changes"] = changes
    if question.get("terms"):
        asked = ask_all(_term_questions(lines, pmids))
        result["alternatives"] = _alternatives(asked)
        heard += asked
    return Found([*losses.heard, *heard], (), result)


def told(losses: Losses, lines: Sequence[Line], pmids: Sequence[str], tree: Node) -> dict[str, Any]:
    """What is known after the first round, as `PaperSearch.result` keeps it."""
    records = [losses.records[pmid] for pmid in pmids if pmid in losses.records]
    seeds = [_seed(losses, lines, pmid) for pmid in pmids]
    return {
        "seeds": seeds,
        "found": sum(seed["state"] == "found" for seed in seeds),
        "lost": sum(seed["state"] == "lost" for seed in seeds),
        "absent": sum(seed["state"] == "absent" for seed in seeds),
        "lines": [
            {
                "number": line.number,
                "role": line.role.value,
                "text": line.text,
                "finds": None if losses.finds.get(line.number) is None else sorted(losses.finds[line.number] or ()),
                "loses": [s["pmid"] for s in seeds if line.number in s["lost_by"]],
            }
            for line in lines
        ],
        "total": losses.total,
        "terms": [
            {"text": term.text, "query": term.query, "where": term.where, "seeds": list(term.seeds)}
            for term in proposed_terms(tree, records)
        ],
        "changes": [],
        "alternatives": [],
    }


def _seed(losses: Losses, lines: Sequence[Line], pmid: str) -> dict[str, Any]:
    """`state`: found, lost, absent (PubMed does not have it), unknown (not answered), or unclear (the lines and the
    whole strategy do not say the same)."""
    record: Record | None = losses.records.get(pmid)
    lost_by = [] if pmid in losses.absent else losses.lost_by(pmid, lines)
    if pmid in losses.absent:
        state = "absent"
    elif losses.whole is None:
        state = "lost" if lost_by else "unknown"
    elif pmid in losses.whole:
        state = "unclear" if lost_by else "found"
    else:
        state = "lost" if lost_by or losses.unknown(lines) else "unclear"
    return {
        "pmid": pmid,
        "title": record.title if record else "",
        "year": record.year if record else None,
        "state": state,
        "lost_by": lost_by,
        "found_by": [line.number for line in lines if pmid in (losses.finds.get(line.number) or ())
                     and line.role is not Role.EXCLUDED],
    }  # fmt: skip


def bring_back(
    losses: Losses,
    lines: Sequence[Line],
    tree: Node,
    filters: Filters,
    pmids: Sequence[str],
    terms: Sequence[dict[str, Any]],
) -> tuple[list[dict[str, Any]], list[Heard]]:
    """Ways to find the lost seeds, those that bring back most first, each counted: its hits and what it costs.

    Without the lines that lose them; and where one line alone loses them, with a term of theirs added to it.
    """
    groups: dict[tuple[int, ...], list[str]] = {}
    for pmid in pmids:
        lost_by = tuple(losses.lost_by(pmid, lines))
        if lost_by and pmid not in losses.absent:
            groups.setdefault(lost_by, []).append(pmid)
    by_number = {line.number: line for line in lines}
    changes: list[dict[str, Any]] = []
    questions: list[Question] = []
    for numbers, lost in sorted(groups.items(), key=lambda one: (-len(one[1]), one[0]))[:MOST_CHANGES]:
        taken = [by_number[number] for number in numbers]
        left = _without_limits(filters, [line for line in taken if line.role is Role.LIMIT])
        query = query_without(tree, [line.number for line in taken if line.role is not Role.LIMIT])
        names = " and ".join(f"line {number}" for number in numbers)
        _offer(changes, questions, f"Without {names}", query, left, lost)
        if len(taken) == 1 and taken[0].role is Role.NEEDED:
            term = next((one for one in terms if set(lost) <= set(one["seeds"])), None) or next(
                (one for one in terms if set(lost) & set(one["seeds"])), None
            )
            if term is not None:
                wider = query_with_term(tree, numbers[0], term["query"])
                said = f"Line {numbers[0]} with OR {term['query']} added"
                _offer(changes, questions, said, wider, filters, sorted(set(lost) & set(term["seeds"]), key=lost.index))
    heard = ask_all(questions)
    answers = {one.question.way: one for one in heard}
    for place, change in enumerate(changes):
        counted, checked = answers.get(f"change {place}"), answers.get(f"proof {place}")
        _fill(change, counted, checked, losses.total)
    return changes, heard


def _without_limits(filters: Filters, lines: Sequence[Line]) -> Filters:
    left = filters
    for line in lines:
        gone = line.limit
        if gone.year_from is not None or gone.year_to is not None:
            left = replace(left, year_from=None, year_to=None)
        if gone.languages:
            left = replace(left, languages=())
        if gone.publication_types:
            left = replace(left, publication_types=())
        if gone.preprints is not Preprints.INCLUDED:
            left = replace(left, preprints=Preprints.INCLUDED)
    return left


def _offer(
    changes: list[dict[str, Any]], questions: list[Question], said: str, query: str, filters: Filters, lost: list[str]
) -> None:
    """A change, with the two questions that prove it: its hits, and that the seeds are among them."""
    place = len(changes)
    changes.append({"what": said, "query": query, "pmids": lost, "total": None, "cost": None, "proved": None})
    if not query:
        changes[-1]["message"] = "Nothing would be left of the query."
        return
    provider = search_provider("pubmed")
    whole = provider.compile(PlanQuery(boolean=query), filters)
    among = provider.compile(PlanQuery(boolean=f"({query}) AND ({any_of(lost)})"), filters)
    questions.append(count_question("pubmed", f"change {place}", f"hits: {said.lower()}", whole))
    questions.append(members_question(f"proof {place}", f"the lost seeds: {said.lower()}", among))


def _fill(change: dict[str, Any], counted: Heard | None, checked: Heard | None, total: int | None) -> None:
    if counted is None or checked is None:
        return
    silent = [one for one in (counted, checked) if one.outcome in (FAILED, NOT_ASKED)]
    if silent:
        change["message"] = f"{silent[0].message} {silent[0].hint}".strip()
    if counted not in silent:
        change["total"] = counted.returned.number
        change["cost"] = None if total is None or counted.returned.number is None else counted.returned.number - total
    if checked not in silent:
        change["proved"] = [pmid for pmid in change["pmids"] if pmid in checked.returned.pmids]


def _term_questions(lines: Sequence[Line], pmids: Sequence[str]) -> list[Question]:
    provider, those = search_provider("pubmed"), any_of(pmids)
    return [
        members_question(
            f"term {line.number} {place}", f"line {line.number}: {term}, among the seeds",
            provider.compile(PlanQuery(boolean=f"({term}) AND ({those})"), Filters()),
        )
        for line in lines
        if line.role is not Role.LIMIT
        for place, term in enumerate(line.terms)
    ]  # fmt: skip


def terms_to_ask(lines: Sequence[Line]) -> int:
    """How many requests it takes to ask for every alternative of every line."""
    return sum(len(line.terms) for line in lines if line.role is not Role.LIMIT)


def _alternatives(heard: Sequence[Heard]) -> list[dict[str, Any]]:
    return [
        {
            "line": int(one.question.way.split()[1]),
            "term": one.question.what.split(": ", 1)[1].removesuffix(", among the seeds"),
            "finds": None if one.outcome in (FAILED, NOT_ASKED) else list(one.returned.pmids),
        }
        for one in heard
    ]
