"""The methods paragraph on the searches, and PRISMA-S as Markdown, from the same facts. Nothing that the log lacks."""

from __future__ import annotations

from datetime import date

from litapp.core.markup import escape_markdown as literal
from litapp.core.prisma.events import Method
from litapp.core.prisma.prisma_s import Item, Search, SearchFacts, Status, prisma_s


def methods_paragraph(facts: SearchFacts) -> str:
    """What a paper's methods section can say of the searches; "" = nothing was searched yet."""
    databases = [one for one in facts.searches if one.method is Method.DATABASE]
    said: list[str] = []
    if databases:
        said.append(f"We searched {_sources(databases)}{_when(databases)}.")
    if registers := [one for one in facts.searches if one.method is Method.REGISTER]:
        said.append(f"Study registers searched: {_sources(registers)}{_when(registers)}.")
    if any(one.method is Method.CITATIONS for one in facts.searches):
        said.append("Further records were sought by citation searching.")
    if websites := [one for one in facts.searches if one.method in (Method.WEBSITE, Method.ORGANISATION)]:
        said.append(f"Other sources: {_sources(websites)}.")
    if not said:
        return ""
    said.append("The strategies, as run, are given in full in the appendix.")
    limits = [limit.rstrip(".") for limit in facts.limits]
    said.append(f"Limits: {'; '.join(limits)}." if limits else "")
    said.append(f"Published search filters used: {'; '.join(facts.filters)}." if facts.filters else "")
    total = sum(records for _, records in facts.identified)
    if facts.identified:
        said.append(
            f"The searches identified {total:,} {'record' if total == 1 else 'records'}; LitLedger grouped them by "
            f"rule and removed {facts.duplicates:,} {'duplicate' if facts.duplicates == 1 else 'duplicates'}"
            + (", with doubtful pairs decided by people." if facts.same or facts.apart else ".")
        )
    failed = [f"{one.source} ({one.failed})" for one in facts.searches if one.failed]
    said.append(f"Searches that were not made or not finished: {'; '.join(dict.fromkeys(failed))}." if failed else "")
    simple = list(dict.fromkeys(one.source for one in facts.searches if one.simple))
    said.append(
        f"Searches of {', '.join(simple)} rank plain words by likeness and are not systematic." if simple else ""
    )
    said += [f"{one.text.rstrip('.')}." for one in facts.statements]
    said.append("The search is reported by PRISMA-S.")
    return " ".join(part for part in said if part)


def _sources(searches: list[Search]) -> str:
    named = {f"{one.source} ({one.platform})" if one.platform else one.source: None for one in searches}
    words = list(named)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _when(searches: list[Search]) -> str:
    days = sorted({one.on for one in searches if one.on})
    if not days:
        return ""
    return f" on {_day(days[0])}" if len(days) == 1 else f" between {_day(days[0])} and {_day(days[-1])}"


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


MARKS = {Status.FILLED: "answered", Status.PARTLY: "in part", Status.GAP: "gap"}


def as_markdown(facts: SearchFacts, *, title: str = "") -> str:
    """PRISMA-S as a Markdown appendix: the paragraph, then the 16 items with their gaps; strategies as code."""
    paragraph = methods_paragraph(facts)
    lines = [f"# Search report (PRISMA-S){f': {literal(title)}' if title else ''}", ""]
    lines += ["## Methods paragraph", "", literal(paragraph), ""] if paragraph else []
    for item in prisma_s(facts):
        lines += [*_item(item), ""]
    return "\n".join(lines).rstrip() + "\n"


def _item(item: Item) -> list[str]:
    lines = [f"## Item {item.number}: {item.name} ({MARKS[item.status]})", "", f"*{item.asks}*", ""]
    if item.number == 8:
        for told in item.told:
            where, _, query = told.partition(": ")
            fence = "`" * max(3, _longest_run(query) + 1)
            lines += [literal(f"{where}:"), "", fence, query, fence, ""]
    else:
        lines += [f"- {literal(told)}" for told in item.told]
    lines += [f"- {literal(one.text)} (stated by {literal(one.by)}, {one.on})" for one in item.statements]
    if not item.statements:
        lines += [f"- **Gap:** {literal(gap)}" for gap in item.gaps]
    return lines


def _longest_run(text: str) -> int:
    longest = run = 0
    for sign in text:
        run = run + 1 if sign == "`" else 0
        longest = max(longest, run)
    return longest
