"""The corpus file: one SQLite database with a full-text index, and the reads that every stand-in source uses."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litapp.sandbox.corpus.article import Article, unpack

FORM = "litledger.sandbox.corpus.3"
"""Rises with every change of the tables, or of what `index` makes of an article (rows are deleted by making them
again)."""
COLUMNS = ("title", "abstract", "keywords", "mesh", "names", "journal", "affiliation", "other")
"""Columns of the full-text index. `mesh` also holds publication types and substances; `other` identifiers, grants."""
GAP = "zqzq"
"""A word between two values of one column, so that no phrase reaches from one value into the next."""

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE article (
  id INTEGER PRIMARY KEY, pmid INTEGER UNIQUE, doi TEXT, year INTEGER NOT NULL DEFAULT 0,
  entered INTEGER NOT NULL DEFAULT 0, facts BLOB, xml BLOB, openalex BLOB, crossref BLOB);
CREATE INDEX article_doi ON article (doi);
CREATE INDEX article_order ON article (entered DESC, pmid DESC);
CREATE VIRTUAL TABLE words USING fts5 (
  title, abstract, keywords, mesh, names, journal, affiliation, other,
  tokenize = "unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
CREATE TABLE attribute (kind TEXT, value TEXT, article INTEGER, PRIMARY KEY (kind, value, article)) WITHOUT ROWID;
CREATE TABLE heading (
  name TEXT, qualifier TEXT, major INTEGER, article INTEGER,
  PRIMARY KEY (name, qualifier, article)) WITHOUT ROWID;
CREATE INDEX heading_qualifier ON heading (qualifier, article);
CREATE TABLE day (kind TEXT, day INTEGER, article INTEGER, PRIMARY KEY (kind, day, article)) WITHOUT ROWID;
CREATE TABLE mesh_tree (name TEXT, number TEXT, PRIMARY KEY (name, number)) WITHOUT ROWID;
CREATE INDEX mesh_number ON mesh_tree (number, name);
CREATE TABLE mesh_entry (term TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
"""


class CorpusError(Exception):
    """The corpus file cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: its number in the file, the article (None for a record that only OpenAlex or Crossref has), and the
    real records of other sources, where one was loaded."""

    id: int
    article: Article | None
    openalex: dict[str, Any] | None
    crossref: dict[str, Any] | None


def create(path: Path) -> None:
    """Make an empty corpus file. Raises CorpusError if the file exists."""
    if path.exists():
        raise CorpusError(f"{path.name} exists already.")
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(SCHEMA)
        connection.execute("INSERT INTO meta VALUES ('form', ?)", (FORM,))
        connection.commit()
    finally:
        connection.close()


def check_form(connection: sqlite3.Connection, name: str) -> None:
    """Raise CorpusError unless the file is a corpus of this version."""
    try:
        form = connection.execute("SELECT value FROM meta WHERE name = 'form'").fetchall()
    except sqlite3.DatabaseError as error:
        raise CorpusError(f"{name} is not a corpus file.") from error
    if form != [(FORM,)]:
        raise CorpusError(f"{name} is a corpus of another version. Delete it and load the files again.")


class Corpus:
    """Reads of one corpus file; safe to use from many threads."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise CorpusError(f"There is no corpus at {path.name}. Make one with: manage.py sandbox_load FILE…")
        self.path = path
        self._idle: list[sqlite3.Connection] = []
        probe = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            check_form(probe, path.name)
        finally:
            probe.close()
        self.has_mesh = bool(self.rows("SELECT 1 FROM mesh_tree LIMIT 1"))
        self.size = int(self.rows("SELECT count(*) FROM article WHERE pmid IS NOT NULL")[0][0])

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._borrowed() as connection:
            return connection.execute(sql, values).fetchall()

    def numbers(self, sql: str, values: Sequence[object] = ()) -> set[int]:
        """The first column of a query as a set."""
        with self._borrowed() as connection:
            return {row[0] for row in connection.execute(sql, values)}

    def close(self) -> None:
        """Close all connections that are not in use."""
        while self._idle:
            self._idle.pop().close()

    def entry(self, number: int) -> Entry | None:
        """The entry with this number."""
        found = self.entries([number])
        return found[0] if found else None

    def entries(self, numbers: Iterable[int]) -> list[Entry]:
        """Entries in the order of `numbers`; those that do not exist are left out."""
        wanted = list(numbers)
        found: dict[int, Entry] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            for row in self.rows(f"SELECT id, facts, openalex, crossref FROM article WHERE id IN ({marks})", part):  # noqa: S608 - only question marks
                found[row[0]] = Entry(row[0], unpack(row[1]) if row[1] else None, _unpacked(row[2]), _unpacked(row[3]))
        return [found[number] for number in wanted if number in found]

    def ids_of_pmids(self, pmids: Iterable[int]) -> dict[int, int]:
        """Number in the file per PMID, for those that are there."""
        found: dict[int, int] = {}
        wanted = list(pmids)
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            found.update(dict(self.rows(f"SELECT pmid, id FROM article WHERE pmid IN ({marks})", part)))  # noqa: S608 - only question marks
        return found

    def id_of_doi(self, doi: str) -> int | None:
        """The number of the record with this DOI (any case), or None."""
        rows = self.rows("SELECT id FROM article WHERE doi = ? ORDER BY id LIMIT 1", (doi.casefold(),))
        return rows[0][0] if rows else None

    def pmids_of_ids(self, numbers: Iterable[int]) -> dict[int, int]:
        """PMID per number, for those that have one."""
        found: dict[int, int] = {}
        wanted = list(numbers)
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            sql = f"SELECT id, pmid FROM article WHERE pmid IS NOT NULL AND id IN ({marks})"  # noqa: S608 - only question marks
            found.update(dict(self.rows(sql, part)))
        return found

    def xml(self, pmid: int) -> bytes | None:
        """NLM's PubmedArticle element as it was loaded."""
        rows = self.rows("SELECT xml FROM article WHERE pmid = ? AND xml IS NOT NULL", (pmid,))
        return zlib.decompress(rows[0][0]) if rows else None

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
        """A connection for one query: an idle one, else a new one. As many stay open as were ever busy at once."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, check_same_thread=False)
            connection.execute("PRAGMA cache_size = -8000")
        try:
            yield connection
        finally:
            self._idle.append(connection)


def _unpacked(data: bytes | None) -> dict[str, Any] | None:
    if not data:
        return None
    value: dict[str, Any] = json.loads(zlib.decompress(data))
    return value
