"""Full-text search over candidates: SQLite FTS5 and PostgreSQL's full text behind one function.

Every word must occur, each from its beginning ("dexa" finds dexamethasone). Both indexes are kept by the database
itself (triggers; an index over an expression), so that no writer can forget them. Where the index is missing, the text
is gone through word by word: slower, and as right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.db import connections
from django.db.models import BooleanField, F, Func, Q, TextField, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Concat

if TYPE_CHECKING:
    from searches.querysets import CandidateQuerySet

TABLE = "searches_candidate_text"
SOURCE = "searches_candidate"
TRIGGERS = (f"{TABLE}_added", f"{TABLE}_removed", f"{TABLE}_changed")
INDEX = "candidate_text"
_IN = f"INSERT INTO {TABLE}(rowid, search_text) VALUES (new.id, new.search_text);"  # noqa: S608
_OUT = f"INSERT INTO {TABLE}({TABLE}, rowid, search_text) VALUES ('delete', old.id, old.search_text);"  # noqa: S608
_CHANGED = "WHEN old.search_text IS NOT new.search_text"


def _trigger(name: str, when: str, *what: str) -> str:
    return f"CREATE TRIGGER IF NOT EXISTS {name} AFTER {when} BEGIN {' '.join(what)} END"


SQLITE = (
    f"CREATE VIRTUAL TABLE IF NOT EXISTS {TABLE} USING fts5("
    f"search_text, content='{SOURCE}', content_rowid='id', tokenize='ascii', prefix='3 5', detail='none')",
    _trigger(TRIGGERS[0], f"INSERT ON {SOURCE}", _IN),
    _trigger(TRIGGERS[1], f"DELETE ON {SOURCE}", _OUT),
    _trigger(TRIGGERS[2], f"UPDATE OF search_text ON {SOURCE} {_CHANGED}", _OUT, _IN),
    f"INSERT INTO {TABLE}({TABLE}) VALUES ('rebuild')",  # noqa: S608
)
POSTGRESQL = (f"CREATE INDEX IF NOT EXISTS {INDEX} ON {SOURCE} USING gin (to_tsvector('simple', search_text))",)


class TextMatch(Func):
    """PostgreSQL: whether a text holds all that a query names; the index is over the same expression."""

    template = "to_tsvector('simple', %(expressions)s)"
    arg_joiner = ") @@ to_tsquery('simple', "
    output_field = BooleanField()


def install(schema_editor: Any) -> None:
    """Make the index of the database at hand, for what is there already too. Call it again behind every migration
    that changes the candidates' table: SQLite makes the table anew then, and its triggers go with the old one."""
    statements = SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL
    for statement in statements:
        schema_editor.execute(statement, params=None)


def is_ready(using: str = "default") -> bool:
    """Whether SQLite keeps its index (table and triggers are there). True on other databases."""
    connection = connections[using]
    if connection.vendor != "sqlite":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM sqlite_master WHERE name IN (%s, %s, %s, %s)", [TABLE, *TRIGGERS])
        return bool(cursor.fetchone()[0] == 1 + len(TRIGGERS))


def with_words(rows: CandidateQuerySet, words: Sequence[str]) -> CandidateQuerySet:
    """Those of the candidates in whose text every word occurs, from its beginning. Words are in their normal form
    (`core.normalise.title_key`): letters and digits, nothing that a query language could read otherwise."""
    if not words:
        return rows
    vendor = connections[rows.db].vendor
    if vendor == "postgresql":
        query = " & ".join(f"{word}:*" for word in words)
        return rows.filter(TextMatch(F("search_text"), Value(query)))
    if vendor == "sqlite" and is_ready(rows.db):
        match = " AND ".join(f'"{word}"*' for word in words)
        found = RawSQL(f"SELECT rowid FROM {TABLE} WHERE {TABLE} MATCH %s", [match])  # noqa: S608, S611 - no text of a person in the SQL
        return rows.filter(pk__in=found)
    wanted = Q()
    padded = rows.alias(padded_text=Concat(Value(" "), F("search_text"), output_field=TextField()))
    for word in words:
        wanted &= Q(padded_text__contains=f" {word}")
    return padded.filter(wanted)
