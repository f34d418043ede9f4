"""Reads the tokens of any dialect into a tree: parentheses, operators by the dialect's precedence, fields of groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from litapp.core.querylang.ast import And, Field, LineReference, Near, Node, Not, Or, Span, Term
from litapp.core.querylang.dialects.scope import Scope, put_into
from litapp.core.querylang.parser import MAX_DEPTH
from litapp.core.querylang.tokens import QuerySyntaxError


class Kind(Enum):
    """What a token is. PREFIX and SUFFIX are fields in front of or behind what they apply to."""

    OPEN = auto()
    CLOSE = auto()
    OPERATOR = auto()
    NEAR = auto()
    WORD = auto()
    PHRASE = auto()
    LEAF = auto()
    PREFIX = auto()
    SUFFIX = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `text` is the word, the phrase without quotes or the operator in capitals."""

    kind: Kind
    span: Span
    text: str = ""
    node: Node | None = None
    scope: Scope | None = None
    distance: int = 0
    ordered: bool = False


def _as_it_is(term: Term) -> Node:
    return term


@dataclass(frozen=True, slots=True)
class Grammar:
    """How a dialect joins operands.

    `tiers`: the operators that bind alike, tightest first. `implicit`: the operator between operands that stand side
    by side ("" = that is a fault). `run_is_phrase`: unquoted words side by side are one phrase. `finish`: reads what a
    term's text means once its field is known.
    """

    tiers: tuple[frozenset[str], ...]
    implicit: str = ""
    run_is_phrase: bool = False
    finish: Callable[[Term], Node] = _as_it_is


AND_BEFORE_OR = (frozenset({"NEAR"}), frozenset({"AND", "NOT"}), frozenset({"OR"}))
LEFT_TO_RIGHT = (frozenset({"NEAR"}), frozenset({"AND", "NOT", "OR"}))
NOT_AND_OR = (frozenset({"NEAR"}), frozenset({"NOT"}), frozenset({"AND"}), frozenset({"OR"}))


def read(tokens: Sequence[Token], grammar: Grammar, length: int) -> Node:
    """The tree of the tokens of a text of `length` characters. Raises QuerySyntaxError with a place."""
    if not tokens:
        raise QuerySyntaxError("The query is empty.", 0, length, "Write at least one word to search for.")
    reader = _Reader(tokens, grammar)
    node = reader.group(None, 0)
    if reader.position < len(tokens):
        raise QuerySyntaxError(
            "This closing parenthesis has no opening one.",
            *tokens[reader.position].span,
            "Delete it or add an opening parenthesis where the group begins.",
        )
    return node


@dataclass(slots=True)
class _Reader:
    tokens: Sequence[Token]
    grammar: Grammar
    position: int = 0
    _nothing: list[Token] = field(default_factory=list)

    def _peek(self) -> Token | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def group(self, opened: Token | None, depth: int) -> Node:
        """What stands between `opened` and its closing parenthesis, or all of it."""
        if depth > MAX_DEPTH:
            span = opened.span if opened else Span(0, 1)
            raise QuerySyntaxError(f"The query is nested more than {MAX_DEPTH} levels deep here.", *span)
        operands: list[Node] = []
        operators: list[Token] = []
        waiting: Token | None = None
        while (token := self._peek()) is not None and token.kind is not Kind.CLOSE:
            if token.kind in (Kind.OPERATOR, Kind.NEAR):
                _require_place_for(token, waiting, operands)
                waiting = token
                self.position += 1
                continue
            if operands:
                operators.append(waiting or self._implied(token))
            operands.append(self._operand(depth))
            waiting = None
        if opened is not None and self._peek() is None:
            raise QuerySyntaxError(
                "This parenthesis is never closed.", *opened.span, "Add a closing parenthesis or delete this one."
            )
        if waiting is not None:
            raise QuerySyntaxError(
                f"{waiting.text} has nothing behind it.", *waiting.span, "Put a term behind it or delete it."
            )
        if not operands:
            closing = self._peek()
            start = opened.span.start if opened else 0
            raise QuerySyntaxError(
                "There is nothing between these parentheses."
                if opened
                else "This closing parenthesis has no opening one.",
                start if opened or closing is None else closing.span.start,
                closing.span.end if closing else start + 1,
            )
        return _joined(operands, operators, self.grammar)

    def _implied(self, token: Token) -> Token:
        if self.grammar.implicit:
            return Token(Kind.OPERATOR, Span(token.span.start, token.span.start), self.grammar.implicit)
        raise QuerySyntaxError(
            "There is no operator in front of this.", *token.span, "Put AND, OR or NOT between the two parts."
        )

    def _operand(self, depth: int) -> Node:
        token = self.tokens[self.position]
        if token.kind is Kind.PREFIX:
            self.position += 1
            following = self._peek()
            if following is None or following.kind in (Kind.CLOSE, Kind.OPERATOR, Kind.NEAR, Kind.SUFFIX):
                raise QuerySyntaxError(
                    "This field has nothing to search for behind it.", *token.span, "Put a word behind it."
                )
            node = self._operand(depth)
            assert token.scope is not None
            return _spread(put_into(node, token.scope, self.grammar.finish), token.span)
        if token.kind is Kind.SUFFIX:
            raise QuerySyntaxError(
                "This field has nothing in front of it to search for.", *token.span, "Put a word in front of it."
            )
        self.position += 1
        if token.kind is Kind.OPEN:
            inner = self.group(token, depth + 1)
            closing = self.tokens[self.position]
            self.position += 1
            node = _spanning(inner, Span(token.span.start, closing.span.end))
        elif token.kind is Kind.LEAF:
            assert token.node is not None
            node = token.node
        elif token.kind is Kind.PHRASE:
            node = Term(token.text, phrase=True, span=token.span)
        else:
            node = self._run(token)
        while (suffix := self._peek()) is not None and suffix.kind is Kind.SUFFIX:
            assert suffix.scope is not None
            node = _spread(put_into(node, suffix.scope, self.grammar.finish), suffix.span)
            self.position += 1
        return node

    def _run(self, first: Token) -> Node:
        words = [first]
        while (token := self._peek()) is not None and token.kind is Kind.WORD:
            words.append(token)
            self.position += 1
        phrase = self.grammar.run_is_phrase and len(words) > 1
        text = " ".join(word.text for word in words)
        return Term(text, phrase=phrase, span=Span(first.span.start, words[-1].span.end))


def _require_place_for(token: Token, waiting: Token | None, operands: Sequence[Node]) -> None:
    if waiting is not None:
        raise QuerySyntaxError(
            f"Two operators follow each other: {waiting.text} {token.text}.",
            waiting.span.start,
            token.span.end,
            "Keep one of them.",
        )
    if not operands:
        raise QuerySyntaxError(
            f"{token.text} has nothing in front of it.", *token.span, "Put a term in front of it or delete it."
        )


def _joined(operands: list[Node], operators: list[Token], grammar: Grammar) -> Node:
    """Fold the operators tier by tier, each from left to right; equal neighbours become one node of many children."""
    for tier in grammar.tiers:
        if not operators:
            break
        kept_operands: list[Node] = []
        kept_operators: list[Token] = []
        chain = _Chain(operands[0])
        for operator, operand in zip(operators, operands[1:], strict=True):
            if ("NEAR" if operator.kind is Kind.NEAR else operator.text) in tier:
                chain.add(operator, operand)
            else:
                kept_operands.append(chain.node())
                kept_operators.append(operator)
                chain = _Chain(operand)
        kept_operands.append(chain.node())
        operands, operators = kept_operands, kept_operators
    return operands[0]


class _Chain:
    """Operands joined one after the other from left to right."""

    def __init__(self, first: Node) -> None:
        self._items = [first]
        self._kind = ""

    def add(self, operator: Token, operand: Node) -> None:
        if operator.kind is Kind.NEAR:
            left = self.node()
            span = Span(left.span.start, operand.span.end)
            self._items = [Near(left, operand, operator.distance, operator.ordered, span)]
            self._kind = ""
            return
        if self._kind and (self._kind != operator.text or operator.text == "NOT"):
            self._items = [self.node()]
        self._kind = operator.text
        self._items.append(operand)

    def node(self) -> Node:
        if len(self._items) == 1:
            return self._items[0]
        span = Span(self._items[0].span.start, self._items[-1].span.end)
        if self._kind == "NOT":
            return Not(self._items[0], self._items[1], span)
        return And(tuple(self._items), span) if self._kind == "AND" else Or(tuple(self._items), span)


def _spread(node: Node, more: Span) -> Node:
    """`node` with `more` (its field's place) taken into its span."""
    return _spanning(node, Span(min(node.span.start, more.start), max(node.span.end, more.end)))


def _spanning(node: Node, span: Span) -> Node:
    return replace(node, span=span)


def references(numbers: Sequence[int], operator: str, span: Span) -> Node:
    """`or/1-3` as a node: the lines joined by `operator`."""
    nodes = tuple(LineReference(number, span) for number in numbers)
    if len(nodes) == 1:
        return nodes[0]
    return And(nodes, span) if operator.upper() == "AND" else Or(nodes, span)


def is_untagged(node: Node) -> bool:
    """True for a term without a field."""
    return isinstance(node, Term) and node.field is Field.UNTAGGED
