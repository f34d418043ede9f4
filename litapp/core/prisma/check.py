"""Checks a published PRISMA flow: what was read, rules R1 to R11, remarks. Never raises but `NotAFlow`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from litapp.core.prisma.boxes import BY_KEY
from litapp.core.prisma.check_remarks import Remark, remarks_on
from litapp.core.prisma.check_rules import Outcome, RuleFinding, check_rules
from litapp.core.prisma.published import PublishedFlow, given_boxes, read_published


@dataclass(frozen=True, slots=True)
class FlowCheck:
    """Everything the checker says of a flow."""

    flow: PublishedFlow
    rules: tuple[RuleFinding, ...]
    remarks: tuple[Remark, ...]

    @property
    def violated(self) -> tuple[RuleFinding, ...]:
        return tuple(one for one in self.rules if one.outcome is Outcome.VIOLATED)

    @property
    def violated_rules(self) -> tuple[str, ...]:
        """Their numbers, each once, in order."""
        return tuple(dict.fromkeys(one.rule for one in self.violated))

    @property
    def checked(self) -> tuple[RuleFinding, ...]:
        return tuple(one for one in self.rules if one.outcome is not Outcome.NOT_CHECKED)

    @property
    def consistent(self) -> bool | None:
        """False = a rule is violated; None = there was nothing to check."""
        return None if not self.checked else not self.violated

    @property
    def unreadable(self) -> tuple[tuple[str, str], ...]:
        """(what the box is called, what is wrong) of each cell that cannot be read."""
        return tuple((BY_KEY[key].words, problem) for key, problem in self.flow.unreadable.items())

    @property
    def boxes(self) -> tuple[tuple[str, str, str], ...]:
        """(key, words, text) of what was understood."""
        return tuple(given_boxes(self.flow))

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        if not self.checked:
            return "Too few numbers are given: no rule could be checked."
        skipped = len(self.rules) - len(self.checked)
        rest = f" {skipped} could not be checked." if skipped else ""
        if self.violated:
            return f"The numbers do not add up: {_and(self.violated_rules)} violated.{rest}"
        made = len(self.checked)
        told = f"all {made} checks that could be made hold" if made > 1 else "the one check that could be made holds"
        return f"The numbers add up: {told}.{rest}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "title": self.flow.title,
            "consistent": self.consistent,
            "verdict": self.verdict,
            "violated_rules": list(self.violated_rules),
            "checks": [
                {
                    "rule": one.rule,
                    "formula": one.formula,
                    "computed": one.computed,
                    "published": one.published,
                    "diff": one.difference,
                    "ok": {Outcome.HOLDS: True, Outcome.VIOLATED: False}.get(one.outcome),
                    "not_given": list(one.not_given),
                    "text": one.text,
                }
                for one in self.rules
            ],
            "warnings": [f"{remark.code} {remark.text}" for remark in self.remarks],
            "unreadable": [f"{words}: {problem}" for words, problem in self.unreadable],
            "notes": list(self.flow.notes),
        }


def check_flow(flow: PublishedFlow) -> FlowCheck:
    """Check a flow that was read."""
    rules = check_rules(flow)
    return FlowCheck(flow, tuple(rules), tuple(remarks_on(flow, rules)))


def check_file(data: bytes | str, name: str = "") -> FlowCheck:
    """Read and check a file or pasted text. Raises NotAFlow."""
    return check_flow(read_published(data, name))


def _and(words: tuple[str, ...]) -> str:
    return f"{words[0]} is" if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]} are"
