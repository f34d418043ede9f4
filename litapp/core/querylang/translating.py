"""Translation from any dialect into any other, with proof: the target's text is read back and its tree compared.

Every change is labelled exact, wider, narrower, lost or to check by hand; what is lost goes into a sentence for the
methods section. A published filter is never derived from its version for another database without saying so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from litapp.core.querylang.adapt import adapt_leaf
from litapp.core.querylang.adapt_near import adapt_near
from litapp.core.querylang.adapted import DEFAULT, Adapted, Options
from litapp.core.querylang.ast import And, Field, LineReference, Near, Node, Not, Or, Proximity, Range, Term, leaves
from litapp.core.querylang.compile_europepmc import compile_europepmc
from litapp.core.querylang.dialects import OVID, Dialect, ovid_limits, parse_in, print_in
from litapp.core.querylang.normal import grouped, same_meaning
from litapp.core.querylang.printer import print_leaf
from litapp.core.querylang.strategy import Strategy, print_lines, read_strategy
from litapp.core.querylang.tokens import QuerySyntaxError
from litapp.core.querylang.translation import Change, Meaning

Outline = str | tuple[object, ...]
"""The operators of a tree alone, leaves as dots."""
_BEHIND_NOT = {Meaning.WIDER: Meaning.NARROWER, Meaning.NARROWER: Meaning.WIDER}
_ONE_FIELD_AT_A_TIME = frozenset({Dialect.WEB_OF_SCIENCE, Dialect.SCOPUS, Dialect.CINAHL})
_TRIAL_FILTER = frozenset({"placebo", "randomly", "trial", "groups", "randomized", "randomised"})
_FILTER_WORDS = 4
"""Words of the Cochrane trial filter in one strategy from which it is taken for that filter."""


@dataclass(frozen=True, slots=True)
class ProvedLine:
    """A line of the translation: its number, text, and whether reading it back gave the tree that was meant."""

    number: int
    text: str
    same_tree: bool


@dataclass(frozen=True, slots=True)
class ProvedTranslation:
    """A translation and what is known of it. `text` "" = nothing of the query can be said in the target.

    `same_tree`: every line was read back and has the tree that was meant. `same_outline`: that tree has the operators
    of the original, apart from what is listed as lost.
    """

    source: Dialect
    target: Dialect
    text: str
    changes: tuple[Change, ...]
    lines: tuple[ProvedLine, ...]
    same_outline: bool

    @property
    def same_tree(self) -> bool:
        """True when every line, read back, has the tree that was meant."""
        return all(line.same_tree for line in self.lines)

    @property
    def proved(self) -> bool:
        """True when tree and outline are the same."""
        return self.same_tree and self.same_outline

    @property
    def losses(self) -> tuple[Change, ...]:
        """What could not be said in the target."""
        return tuple(change for change in self.changes if change.meaning is Meaning.LOST)

    @property
    def summary(self) -> str:
        """For example "same tree, 2 wider, 1 lost"."""
        parts = ["same tree" if self.proved else "the tree has changed"]
        for meaning in (Meaning.WIDER, Meaning.NARROWER, Meaning.LOST, Meaning.CHECK):
            number = sum(change.meaning is meaning for change in self.changes)
            if number:
                parts.append(
                    f"{number} to {meaning.value}" if meaning is Meaning.CHECK else f"{number} {meaning.value}"
                )
        return ", ".join(parts)

    @property
    def methods_text(self) -> str:
        """The losses as sentences for the methods section; "" if nothing was lost."""
        named = list(dict.fromkeys(change.original for change in self.losses if change.original))
        if not named:
            return ""
        listed = "; ".join(named)
        return (
            f"The search for {self.target.value} was translated from the one for {self.source.value}. "
            f"These parts have no equivalent there and were left out: {listed}."
        )


def translate_query(text: str, source: Dialect, target: Dialect, options: Options = DEFAULT) -> ProvedTranslation:
    """Translate one query or a numbered list. Raises QuerySyntaxError if a line of it cannot be read."""
    return translate_strategy(read_strategy(text, source), target, options)


def translate_strategy(strategy: Strategy, target: Dialect, options: Options = DEFAULT) -> ProvedTranslation:
    """Translate a strategy line by line. Raises QuerySyntaxError if a line cannot be read, ValueError for ProQuest."""
    if target is Dialect.PROQUEST:
        raise ValueError("Nothing is translated into ProQuest's syntax.")
    if strategy.faults:
        raise strategy.faults[0]
    if target is Dialect.EUROPE_PMC:
        return _to_europe_pmc(strategy, options)
    work = _Work(strategy.dialect, target, options)
    same_outline = True
    done: list[tuple[int, Node]] = []
    new_number: dict[int, int] = {}
    for line in sorted(strategy.lines, key=lambda line: line.number):
        assert line.tree is not None
        adapted, left = work.adapt(line.tree, excluded=False)
        same_outline &= left == _outline(line.tree, work.lost_ids)
        if adapted is None:
            work.lost_lines.add(line.number)
            continue
        renumbered = _renumbered(adapted, new_number)
        if target in OVID:
            renumbered = _without_limits(renumbered, done, work, outermost=True)
        number = (
            len(done) + 1 if target in OVID or len(done) != line.number - 1 or not strategy.is_list else line.number
        )
        done.append((number, renumbered))
        new_number[line.number] = number
    work.note_filter(strategy)
    lines = [_proved_line(number, node, target) for number, node in done]
    text = lines[0].text if len(lines) == 1 else print_lines([(line.number, line.text) for line in lines], target)
    changes = tuple(sorted(work.changes, key=lambda change: change.span))
    return ProvedTranslation(strategy.dialect, target, text if lines else "", changes, tuple(lines), same_outline)


def _proved_line(number: int, node: Node, target: Dialect) -> ProvedLine:
    text = print_in(grouped(node) if target in _ONE_FIELD_AT_A_TIME else node, target)
    try:
        back = parse_in(text, target, references=True)
    except QuerySyntaxError:
        return ProvedLine(number, text, same_tree=False)
    return ProvedLine(number, text, same_meaning(back, node))


@dataclass(slots=True)
class _Work:
    """Adapts trees and collects the changes."""

    source: Dialect
    target: Dialect
    options: Options
    changes: list[Change] = field(default_factory=list)
    lost_ids: set[int] = field(default_factory=set)
    lost_lines: set[int] = field(default_factory=set)

    def adapt(self, node: Node, *, excluded: bool) -> tuple[Node | None, Outline]:
        """The node in the target's terms, or None, and the outline of what became of it ("" if nothing)."""
        if isinstance(node, LineReference):
            return self._reference(node)
        if isinstance(node, Term | Proximity | Range):
            said = adapt_leaf(node, self.source, self.target, self.options, excluded=excluded)
            self._note(said, self._shown(node), node, excluded=excluded)
            if said.node is None:
                self.lost_ids.add(id(node))
                return None, ""
            return said.node, "•"
        if isinstance(node, Near):
            return self._near(node, excluded=excluded)
        if isinstance(node, Not):
            return self._not(node, excluded=excluded)
        found = [self.adapt(child, excluded=excluded) for child in node.children]
        kept = [part for part, _ in found if part is not None]
        outlines = [outline for part, outline in found if part is not None]
        if len(kept) < len(found):
            self._left_out(node, len(found) - len(kept), everything=not kept, excluded=excluded)
        if not kept:
            return None, ""
        if len(kept) == 1:
            return kept[0], outlines[0]
        joined: Node = And(tuple(kept), node.span) if isinstance(node, And) else Or(tuple(kept), node.span)
        return joined, (type(node).__name__, *outlines)

    def _reference(self, node: LineReference) -> tuple[Node | None, Outline]:
        if node.number in self.lost_lines:
            self.lost_ids.add(id(node))
            self.changes.append(
                Change(
                    f"line {node.number}", Meaning.LOST, f"Nothing of line {node.number} can be said here.", node.span
                )
            )
            return None, ""
        return node, "•"

    def _not(self, node: Not, *, excluded: bool) -> tuple[Node | None, Outline]:
        keep, keep_outline = self.adapt(node.keep, excluded=excluded)
        drop, drop_outline = self.adapt(node.drop, excluded=not excluded)
        if keep is None:
            self.changes.append(
                Change(self._shown(node.keep), Meaning.LOST, "Nothing is left to exclude from.", node.span)
            )
            return None, ""
        if drop is None:
            meaning = Meaning.NARROWER if excluded else Meaning.WIDER
            self.changes.append(Change("", meaning, "The exclusion cannot be said here and is left out.", node.span))
            return keep, keep_outline
        return Not(keep, drop, node.span), ("Not", keep_outline, drop_outline)

    def _near(self, node: Near, *, excluded: bool) -> tuple[Node | None, Outline]:
        left, left_outline = self.adapt(node.left, excluded=excluded)
        right, right_outline = self.adapt(node.right, excluded=excluded)
        if left is None or right is None:
            if left is not None or right is not None:
                meaning = Meaning.NARROWER if excluded else Meaning.WIDER
                self.changes.append(Change("", meaning, "One side of a nearness cannot be said here.", node.span))
            return (left, left_outline) if left is not None else (right, right_outline)
        said = adapt_near(Adapted(left), Adapted(right), node, self.target)
        self._note(said, self._shown(node), node, excluded=excluded)
        return said.node, ("Near", left_outline, right_outline)

    def _note(self, said: Adapted, original: str, node: Node, *, excluded: bool) -> None:
        if said.meaning is not Meaning.EXACT:
            meaning = _BEHIND_NOT.get(said.meaning, said.meaning) if excluded else said.meaning
            self.changes.append(Change(original, meaning, said.why, node.span))

    def _left_out(self, node: And | Or, number: int, *, everything: bool, excluded: bool) -> None:
        if everything:
            return
        parts = "One part" if number == 1 else f"{number} parts"
        wider = isinstance(node, And) is not excluded
        name = "an AND" if isinstance(node, And) else "an OR"
        why = f"{parts} of {name} cannot be said here: {'more' if wider else 'less'} is found."
        self.changes.append(Change("", Meaning.WIDER if wider else Meaning.NARROWER, why, node.span))

    def _shown(self, node: Node) -> str:
        try:
            return print_in(node, self.source)
        except ValueError:
            return print_leaf(node) if isinstance(node, Term | Proximity | Range) else ""

    def note_filter(self, strategy: Strategy) -> None:
        """Say that a published trial filter has its own version for each database."""
        words: dict[str, Term] = {}
        for line in strategy.lines:
            for leaf in leaves(line.tree) if line.tree is not None else ():
                if isinstance(leaf, Term) and leaf.text.casefold() in _TRIAL_FILTER:
                    words.setdefault(leaf.text.casefold(), leaf)
        if len(words) < _FILTER_WORDS or self.source is self.target:
            return
        why = f"This looks like a published filter for trials. Use its own version for {self.target.value}."
        if self.target is Dialect.CENTRAL:
            why = "This looks like a filter for trials. CENTRAL holds trials only: leave the filter out there."
        first = min(words.values(), key=lambda term: term.span)
        self.changes.append(Change("", Meaning.CHECK, why, first.span))


def _outline(node: Node, lost: set[int]) -> Outline:
    """The operators of the original without what is lost, made without looking at the translation."""
    if isinstance(node, Term | Proximity | Range | LineReference):
        return "" if id(node) in lost else "•"
    if isinstance(node, Not):
        keep, drop = _outline(node.keep, lost), _outline(node.drop, lost)
        return ("Not", keep, drop) if keep and drop else keep
    if isinstance(node, Near):
        left, right = _outline(node.left, lost), _outline(node.right, lost)
        return ("Near", left, right) if left and right else left or right
    parts = [part for part in (_outline(child, lost) for child in node.children) if part]
    if len(parts) < 2:
        return parts[0] if parts else ""
    return (type(node).__name__, *parts)


def _renumbered(node: Node, numbers: dict[int, int]) -> Node:
    if isinstance(node, LineReference):
        return LineReference(numbers.get(node.number, node.number), node.span)
    if isinstance(node, And):
        return And(tuple(_renumbered(child, numbers) for child in node.children), node.span)
    if isinstance(node, Or):
        return Or(tuple(_renumbered(child, numbers) for child in node.children), node.span)
    if isinstance(node, Not):
        return Not(_renumbered(node.keep, numbers), _renumbered(node.drop, numbers), node.span)
    if isinstance(node, Near):
        left, right = _renumbered(node.left, numbers), _renumbered(node.right, numbers)
        return Near(left, right, node.distance, node.ordered, node.span)
    return node


def _without_limits(node: Node, done: list[tuple[int, Node]], work: _Work, *, outermost: bool = False) -> Node:
    """Ovid limits by date in a line of its own: such parts become lines, and references to them stay in their place."""
    if isinstance(node, And):
        limits = [child for child in node.children if _is_limit(child)]
        rest = [_without_limits(child, done, work) for child in node.children if not _is_limit(child)]
        if not limits:
            return And(tuple(rest), node.span)
        if rest:
            base: Node = rest[0] if len(rest) == 1 else And(tuple(rest), node.span)
            if not isinstance(base, LineReference):
                done.append((len(done) + 1, base))
                base = LineReference(len(done))
            limited = And((base, *limits), node.span)
            if outermost:
                return limited
            done.append((len(done) + 1, limited))
            return LineReference(len(done))
    if isinstance(node, Or):
        return Or(tuple(_without_limits(child, done, work) for child in node.children), node.span)
    if isinstance(node, Not):
        return Not(_without_limits(node.keep, done, work), _without_limits(node.drop, done, work), node.span)
    return node


def _is_limit(node: Node) -> bool:
    return ovid_limits.limit_of(node) is not None and not (isinstance(node, Term) and node.field is Field.LANGUAGE)


def _to_europe_pmc(strategy: Strategy, options: Options) -> ProvedTranslation:
    """Europe PMC has no lists: the last line in full, through PubMed's fields, then as Europe PMC takes it."""
    tree = strategy.tree()
    changes: list[Change] = []
    same_outline = True
    if strategy.dialect is not Dialect.PUBMED:
        work = _Work(strategy.dialect, Dialect.PUBMED, options)
        adapted, left = work.adapt(tree, excluded=False)
        same_outline = left == _outline(tree, work.lost_ids)
        changes += work.changes
        if adapted is None:
            return ProvedTranslation(strategy.dialect, Dialect.EUROPE_PMC, "", tuple(changes), (), same_outline)
        tree = adapted
    said = compile_europepmc(tree)
    changes += said.changes
    if not said.text:
        return ProvedTranslation(strategy.dialect, Dialect.EUROPE_PMC, "", tuple(changes), (), same_outline)
    meant = _as_compiled(tree)
    try:
        back: Node | None = parse_in(said.text, Dialect.EUROPE_PMC)
    except QuerySyntaxError:
        back = None
    same = back is not None and meant is not None and same_meaning(back, meant)
    line = ProvedLine(1, said.text, same)
    return ProvedTranslation(strategy.dialect, Dialect.EUROPE_PMC, said.text, tuple(changes), (line,), same_outline)


def _as_compiled(node: Node) -> Node | None:
    """The tree that is meant: every leaf as Europe PMC says it alone, put together by the original's operators."""
    if isinstance(node, Term | Proximity | Range):
        text = compile_europepmc(node).text
        return parse_in(text, Dialect.EUROPE_PMC) if text else None
    if isinstance(node, LineReference):
        return None
    if isinstance(node, Not):
        keep, drop = _as_compiled(node.keep), _as_compiled(node.drop)
        return Not(keep, drop) if keep is not None and drop is not None else keep
    children = (node.left, node.right) if isinstance(node, Near) else node.children
    parts = [part for part in (_as_compiled(child) for child in children) if part is not None]
    if len(parts) < 2:
        return parts[0] if parts else None
    return Or(tuple(parts)) if isinstance(node, Or) else And(tuple(parts))
