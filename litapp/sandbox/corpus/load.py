"""Loads NLM XML files, MeSH, and OpenAlex or Crossref JSON lines into a corpus file. A later load replaces."""

from __future__ import annotations

import gzip
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from lxml import etree

from litapp.sandbox.corpus.article import COMPRESSION, Article, pack, read_article, unpack
from litapp.sandbox.corpus.index import attributes, days, headings, word_columns
from litapp.sandbox.corpus.mesh_roots import ROOTS
from litapp.sandbox.corpus.store import COLUMNS, CorpusError, check_form, create

Progress = Callable[[int, str], None]
"""Called now and then with the number of records read so far and the file's name."""
_EVERY = 500
_INSERT_WORDS = f"INSERT INTO words (rowid, {', '.join(COLUMNS)}) VALUES (?{', ?' * len(COLUMNS)})"  # noqa: S608 - fixed names


@dataclass(slots=True)
class Loaded:
    """What a load did. `replaced` were there before; `skipped` = entries without an article (books, damaged)."""

    articles: int = 0
    replaced: int = 0
    deleted: int = 0
    skipped: int = 0
    openalex: int = 0
    crossref: int = 0
    headings: int = 0
    files: list[str] = field(default_factory=list)


def load_files(
    corpus: Path,
    files: list[Path],
    *,
    mesh: Path | None = None,
    progress: Progress | None = None,
    mark_loaded: bool = False,
) -> Loaded:
    """Load files into the corpus file, which is made if it does not exist. One transaction per file.

    `mark_loaded` also notes each file's name in the corpus, in the same transaction (table meta, "loaded:NAME").

    Raises CorpusError with the file's name when one cannot be read; files before it stay loaded.
    """
    if not corpus.exists():
        create(corpus)
    loaded = Loaded()
    connection = sqlite3.connect(corpus)
    try:
        check_form(connection, corpus.name)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -64000")
        connection.execute("PRAGMA temp_store = MEMORY")
        if mesh is not None:
            with connection:
                loaded.headings = load_mesh(connection, mesh)
        for path in files:
            with connection:
                _load_file(connection, path, loaded, progress or (lambda _count, _name: None))
                if mark_loaded:
                    mark = (f"loaded:{path.name}", path.name)
                    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", mark)
            loaded.files.append(path.name)
        connection.execute("INSERT INTO words(words) VALUES ('optimize')")
        connection.commit()
        connection.execute("PRAGMA optimize")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()
    return loaded


def open_packed(path: Path) -> IO[bytes]:
    """A file for reading, unpacked if it is gzip."""
    with path.open("rb") as probe:
        packed = probe.read(2) == b"\x1f\x8b"
    return cast(IO[bytes], gzip.open(path)) if packed else path.open("rb")


def load_mesh(connection: sqlite3.Connection, path: Path) -> int:
    """Load MeSH from a table with the columns ui, name, tree_numbers, entry_terms (parted by tab, lists by |)."""
    count = 0
    connection.execute("DELETE FROM mesh_tree")
    connection.execute("DELETE FROM mesh_entry")
    with open_packed(path) as stream:
        for raw in stream:
            parts = raw.decode("utf-8").rstrip("\n").split("\t")
            if len(parts) < 3 or parts[0] == "ui":
                continue
            name = parts[1].casefold()
            connection.executemany(
                "INSERT OR IGNORE INTO mesh_tree VALUES (?, ?)", [(name, n) for n in parts[2].split("|") if n]
            )
            terms = [t for t in (parts[3] if len(parts) > 3 else "").split("|") if t]
            connection.execute("INSERT OR REPLACE INTO mesh_entry VALUES (?, ?)", (name, name))
            connection.executemany(
                "INSERT OR IGNORE INTO mesh_entry VALUES (?, ?)", [(t.casefold(), name) for t in terms]
            )
            count += 1
    if not count:
        raise CorpusError(f"{path.name} holds no MeSH headings.")
    connection.executemany("INSERT OR IGNORE INTO mesh_tree VALUES (?, ?)", ROOTS.items())
    connection.executemany("INSERT OR IGNORE INTO mesh_entry VALUES (?, ?)", [(name, name) for name in ROOTS])
    return count


def _load_file(connection: sqlite3.Connection, path: Path, loaded: Loaded, progress: Progress) -> None:
    try:
        with open_packed(path) as stream:
            first = stream.read(200).lstrip()
        if first.startswith(b"{"):
            _load_json_lines(connection, path, loaded, progress)
        else:
            _load_pubmed(connection, path, loaded, progress)
    except (etree.XMLSyntaxError, EOFError, gzip.BadGzipFile, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path.name} cannot be read: {error}") from error


def _load_pubmed(connection: sqlite3.Connection, path: Path, loaded: Loaded, progress: Progress) -> None:
    count = 0
    with open_packed(path) as stream:
        for element in _elements(stream):
            if element.tag == "DeleteCitation":
                for pmid in element.findall("PMID"):
                    loaded.deleted += _forget(connection, int(pmid.text or 0))
                continue
            article = read_article(element) if element.tag == "PubmedArticle" else None
            if article is None:
                loaded.skipped += 1
                continue
            element.tail = None
            loaded.replaced += _store(connection, article, etree.tostring(element, encoding="utf-8"))
            loaded.articles += 1
            count += 1
            if count % _EVERY == 0:
                progress(count, path.name)
    progress(count, path.name)


def _elements(stream: IO[bytes]) -> Iterator[etree._Element]:
    wanted = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation")
    reader = etree.iterparse(
        stream, events=("end",), tag=wanted, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    for _event, element in reader:
        yield element
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]


def _forget(connection: sqlite3.Connection, pmid: int) -> int:
    row = connection.execute("SELECT id FROM article WHERE pmid = ?", (pmid,)).fetchone()
    if row is None:
        return 0
    _clear(connection, row[0])
    connection.execute("DELETE FROM article WHERE id = ?", row)
    return 1


def _clear(connection: sqlite3.Connection, number: int) -> None:
    """Take an article out of the index. Its rows are found by making them again from its stored facts."""
    connection.execute("DELETE FROM words WHERE rowid = ?", (number,))
    (facts,) = connection.execute("SELECT facts FROM article WHERE id = ?", (number,)).fetchone()
    if facts is None:
        return
    old = unpack(facts)
    connection.executemany(
        "DELETE FROM attribute WHERE kind = ? AND value = ? AND article = ?",
        [(*pair, number) for pair in attributes(old)],
    )
    connection.executemany(
        "DELETE FROM heading WHERE name = ? AND qualifier = ? AND article = ?",
        [(name, qualifier, number) for name, qualifier, _ in headings(old)],
    )
    connection.executemany(
        "DELETE FROM day WHERE kind = ? AND day = ? AND article = ?", [(*pair, number) for pair in days(old)]
    )


def _store(connection: sqlite3.Connection, article: Article, xml: bytes) -> int:
    """Insert or replace one article with its index; returns 1 if it replaced one."""
    row = connection.execute("SELECT id FROM article WHERE pmid = ?", (article.pmid,)).fetchone()
    if row is None and article.doi:
        row = connection.execute("SELECT id FROM article WHERE pmid IS NULL AND doi = ?", (article.doi,)).fetchone()
    entered = article.history.get("entrez") or article.history.get("pubmed") or article.completed
    values = (
        article.pmid,
        article.doi or None,
        article.year,
        entered[0] * 10_000 + entered[1] * 100 + entered[2],
        pack(article),
        zlib.compress(xml, COMPRESSION),
    )
    if row is None:
        sql = "INSERT INTO article (pmid, doi, year, entered, facts, xml) VALUES (?, ?, ?, ?, ?, ?)"
        number = connection.execute(sql, values).lastrowid or 0
    else:
        number = row[0]
        _clear(connection, number)
        sql = "UPDATE article SET pmid = ?, doi = ?, year = ?, entered = ?, facts = ?, xml = ? WHERE id = ?"
        connection.execute(sql, (*values, number))
    connection.execute(_INSERT_WORDS, (number, *word_columns(article)))
    connection.executemany(
        "INSERT OR IGNORE INTO attribute VALUES (?, ?, ?)",
        [(kind, value, number) for kind, value in attributes(article)],
    )
    connection.executemany(
        "INSERT OR REPLACE INTO heading VALUES (?, ?, ?, ?)", [(*heading, number) for heading in headings(article)]
    )
    connection.executemany(
        "INSERT OR IGNORE INTO day VALUES (?, ?, ?)", [(kind, day, number) for kind, day in days(article)]
    )
    return int(row is not None)


def _load_json_lines(connection: sqlite3.Connection, path: Path, loaded: Loaded, progress: Progress) -> None:
    """Real records of OpenAlex or Crossref, one JSON object a line: kept whole, joined to an article by PMID or DOI."""
    count = 0
    with open_packed(path) as stream:
        for line in stream:
            if not line.strip():
                continue
            record: dict[str, Any] = json.loads(line)
            if str(record.get("id", "")).startswith("https://openalex.org/W"):
                _store_openalex(connection, record)
                loaded.openalex += 1
            elif record.get("DOI"):
                _store_other(connection, "crossref", record, str(record["DOI"]).casefold(), 0, _crossref_year(record))
                loaded.crossref += 1
            else:
                loaded.skipped += 1
            count += 1
            if count % _EVERY == 0:
                progress(count, path.name)
    progress(count, path.name)


def _store_openalex(connection: sqlite3.Connection, record: dict[str, Any]) -> None:
    doi = str(record.get("doi") or "").removeprefix("https://doi.org/").casefold()
    pmid = str((record.get("ids") or {}).get("pmid") or "").rsplit("/", 1)[-1]
    year = record.get("publication_year") or 0
    number = _store_other(connection, "openalex", record, doi, int(pmid) if pmid.isdigit() else 0, year)
    name = str(record["id"]).rsplit("/", 1)[-1].casefold()
    connection.execute("INSERT OR IGNORE INTO attribute VALUES ('openalex', ?, ?)", (name, number))


def _crossref_year(record: dict[str, Any]) -> int:
    parts = (record.get("issued") or {}).get("date-parts") or [[0]]
    return int(parts[0][0] or 0) if parts and parts[0] else 0


def _store_other(
    connection: sqlite3.Connection, column: str, record: dict[str, Any], doi: str, pmid: int, year: int
) -> int:
    """Keep another source's record beside its article, or alone; returns the number of the row."""
    data = zlib.compress(json.dumps(record, ensure_ascii=False).encode(), COMPRESSION)
    row = None
    if pmid:
        row = connection.execute("SELECT id FROM article WHERE pmid = ?", (pmid,)).fetchone()
    if row is None and doi:
        row = connection.execute("SELECT id FROM article WHERE doi = ?", (doi,)).fetchone()
    if row is not None:
        connection.execute(f"UPDATE article SET {column} = ? WHERE id = ?", (data, row[0]))  # noqa: S608 - one of two names
        return int(row[0])
    sql = f"INSERT INTO article (doi, year, {column}) VALUES (?, ?, ?)"  # noqa: S608 - one of two names
    number = connection.execute(sql, (doi or None, year, data)).lastrowid
    title = record.get("title") or ""
    text = " ".join(title) if isinstance(title, list) else str(title)
    connection.execute("INSERT INTO words (rowid, title) VALUES (?, ?)", (number, text))
    return number or 0
