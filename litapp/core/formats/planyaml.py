"""Search plans as YAML text: read strictly, with the line of every problem; written so that people can edit them.

Reading builds the plan from YAML's node tree by the plan's own form and constructs no objects at all: tags, aliases,
anchors, repeated fields and a second document are refused, words such as `no` (Norwegian) stay words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

from litapp.core.plan import SCHEMA, PlanError, Preprints, SearchPlan, plan_from_dict, plan_to_dict

LARGEST_PLAN = 200_000
"""Characters of a plan file. A query of 10,000 characters fits many times."""
DEEPEST = 12
"""Levels of nesting; a plan needs four."""

_HELP = (
    "A query that holds quotation marks or colons needs a block of its own: write “boolean: |” and put the query on "
    "the next line, indented."
)


def plan_from_yaml(text: str) -> SearchPlan:
    """Read one plan. Raises PlanError; `problems` maps each field ("filters.year_from") to a sentence with its line."""
    if len(text) > LARGEST_PLAN:
        raise PlanError({"plan": f"The file has {len(text):,} characters; a plan may have {LARGEST_PLAN:,}."})
    text = text.removeprefix("\ufeff")
    try:
        _refuse_what_no_plan_needs(text)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise PlanError(
            {"plan": f"Line {line}: a character here cannot be in a text file. Save it as UTF-8."}
        ) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"Line {mark.line + 1}" if mark else "The file"
        raise PlanError({"plan": f"{where}: this cannot be read as YAML ({error.problem}). {_HELP}"}) from error
    if root is None:
        raise PlanError({"plan": "The file is empty."})
    problems: dict[str, str] = {}
    data = _mapping(root, "", _PLAN, problems)
    if problems:
        raise PlanError(problems)
    return plan_from_dict(data)


def plan_to_yaml(plan: SearchPlan) -> str:
    """The plan as YAML; reading it back gives an equal plan. Long and many-line texts stand in blocks."""
    body = yaml.dump(
        plan_to_dict(plan),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=1_000_000,
        default_flow_style=False,
    )
    return f"# Search plan ({SCHEMA}). Empty fields may be left out.\n{body}"


class _Dumper(yaml.SafeDumper):
    """SafeDumper that writes texts with line breaks, quotes or colons as blocks."""


def _block_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """A block for texts with line breaks, quotes or colons; quotes with escapes for signs that YAML would change."""
    style = "|" if "\n" in text or (len(text) > 20 and any(sign in text for sign in "\"':#")) else None
    if any(sign in text for sign in "\r\x85\u2028\u2029\ufeff"):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _block_text)


def _refuse_what_no_plan_needs(text: str) -> None:
    """Raises PlanError at the first alias, tag, second document or absurd nesting, before anything is built."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise PlanError({"plan": f"Line {line}: references (& and *) are not used in plans. Write the text out."})
        if getattr(event, "tag", None):
            raise PlanError({"plan": f"Line {line}: tags (!) are not used in plans."})
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise PlanError({"plan": f"Line {line}: a second document starts here; a file holds one plan."})
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                raise PlanError({"plan": f"Line {line}: the nesting is deeper than a plan's. {_HELP}"})
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


_Reader = Callable[[yaml.Node, str, dict[str, str]], Any]


def _tell(problems: dict[str, str], path: str, node: yaml.Node, sentence: str) -> None:
    problems.setdefault(path or "plan", f"Line {node.start_mark.line + 1}: {sentence}")


def _mapping(node: yaml.Node, path: str, form: dict[str, _Reader], problems: dict[str, str]) -> dict[str, Any]:
    if _is_null(node) and path:
        return {}
    if not isinstance(node, yaml.MappingNode):
        _tell(problems, path, node, f"fields with values are expected here, such as “{next(iter(form))}: …”.")
        return {}
    data: dict[str, Any] = {}
    for key, value in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else "?"
        inner = f"{path}.{name}" if path else name
        if name not in form:
            _tell(problems, inner, key, f"“{name[:60]}” is not part of a plan. Known here: {', '.join(form)}.")
        elif name in data:
            _tell(problems, inner, key, f"“{name}” stands here a second time; the first would be lost.")
        else:
            data[name] = form[name](value, inner, problems)
    return data


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _text(node: yaml.Node, path: str, problems: dict[str, str]) -> str:
    if _is_null(node):
        return ""
    if not isinstance(node, yaml.ScalarNode):
        _tell(problems, path, node, f"a text is expected here. {_HELP}")
        return ""
    return str(node.value)


def _number(node: yaml.Node, path: str, problems: dict[str, str]) -> int | None:
    if _is_null(node):
        return None
    value = node.value if isinstance(node, yaml.ScalarNode) else ""
    if not value.isascii() or not value.isdigit() or len(value) > 9:
        _tell(problems, path, node, "a whole number is expected here, such as 2015, or nothing.")
        return None
    return int(value)


def _texts(node: yaml.Node, path: str, problems: dict[str, str]) -> list[str]:
    if _is_null(node):
        return []
    if not isinstance(node, yaml.SequenceNode):
        _tell(problems, path, node, "a list is expected here, each entry on its own line after “- ”.")
        return []
    return [_text(item, path, problems) for item in node.value]


def _queries(node: yaml.Node, path: str, problems: dict[str, str]) -> list[dict[str, Any]]:
    if _is_null(node):
        return []
    if not isinstance(node, yaml.SequenceNode):
        _tell(problems, path, node, "a list of queries is expected here, each starting with “- ”.")
        return []
    return [_mapping(item, f"{path}[{n}]", _QUERY, problems) for n, item in enumerate(node.value, start=1)]


def _preprints(node: yaml.Node, path: str, problems: dict[str, str]) -> str:
    value = _text(node, path, problems) or Preprints.INCLUDED.value
    if value not in set(Preprints):
        _tell(problems, path, node, f"one of {', '.join(Preprints)} is expected here, not “{value[:60]}”.")
        return Preprints.INCLUDED.value
    return value


def _flag(node: yaml.Node, path: str, problems: dict[str, str]) -> bool:
    value = _text(node, path, problems).lower()
    if value not in ("", "true", "yes", "false", "no"):
        _tell(problems, path, node, f"yes or no is expected here, not “{value[:60]}”.")
    return value in ("true", "yes")


def _policy(node: yaml.Node, path: str, problems: dict[str, str]) -> int:
    number = _number(node, path, problems)
    if number is None:
        _tell(problems, path, node, "a whole number is expected here.")
    return number or 0


def _part(form: dict[str, _Reader]) -> _Reader:
    return lambda node, path, problems: _mapping(node, path, form, problems)


_QUERY: dict[str, _Reader] = {"boolean": _text, "plain": _text, "label": _text}
_PICO: dict[str, _Reader] = dict.fromkeys(("population", "intervention", "comparison", "outcome"), _text)
_FILTERS: dict[str, _Reader] = {
    "year_from": _number,
    "year_to": _number,
    "publication_types": _texts,
    "languages": _texts,
    "preprints": _preprints,
    "newest_first": _flag,
}
_CAPS: dict[str, _Reader] = dict.fromkeys(("per_query", "per_source", "per_run"), _number)
_PLAN: dict[str, _Reader] = {
    "question": _text,
    "sources": _texts,
    "queries": _queries,
    "pico": _part(_PICO),
    "filters": _part(_FILTERS),
    "caps": _part(_CAPS),
    "schema": _text,
    "source_policy": _policy,
    "boolean_at": _texts,
}
