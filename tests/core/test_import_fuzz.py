"""Whatever bytes come, reading ends with entries or with the typed error: damaged real files, and files made to harm."""

from __future__ import annotations

import io
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litapp.core.formats.importers import Entry, Limits, UnreadableFile, read_file
from litapp.core.records import record_from_dict, record_to_dict

# ruff: noqa: E501 - the seeds are files, one a line
SEEDS = {
    "ris": b"TY  - JOUR\nAU  - King, M.\nTI  - A title\nPY  - 2020/03/04/\nSP  - 1\nEP  - 9\nDO  - 10.5555/a\nKW  - one\ntwo\nER  - \n",
    "medline": b"PMID- 12\nTI  - A title\n      wrapped\nFAU - King, Martin\nDP  - 2020 Mar\nLID - 10.5555/a [doi]\nSO  - J. 2020;1(2):3-4.\n",
    "ovid": b"<1. >\nVN  - Ovid\nTI  - A title.\nAU  - King M.\nSO  - Journal. 12 (3) (pp 1-9), 2020.\n\n<2>\nAuthor\n  King, M. 1\nTitle\n  Other\n",
    "wos": b"FN Clarivate\nVR 1.0\nPT J\nAU King, M\n   Smith, J\nTI A title\nSO JOURNAL\nPY 2020\nER\n\nEF\n",
    "refer": b"%0 Journal Article\n%T A title\n%A King, M.\n%D 2020\n%R 10.5555/a\n",
    "refworks": b"RT Journal Article\nA1 King,Martin\nT1 A title\nYR 2020\n",
    "table": b'Title,Authors,Year,DOI,Source\n"A ""title""","King M., Smith J.",2020,10.5555/a,"J (2020) 1:2 (3-4)"\n',
    "embase_rows": b'"TITLE","A title"\n"AUTHOR NAMES","King M.","Smith J."\n"SOURCE","J (2020) 1:2"\n\n"TITLE","B"\n"SOURCE","K"\n',
    "bibtex": b'@string{j = "Journal"}\n@article{k, author={King, Martin and {Group}}, title="A {T}itle $x^2$ \\\'e", journal=j # " B", year=2020, crossref={p}}\n@book{p, title={P}}\n',
    "endnote_xml": b'<xml><records><record><ref-type name="Journal Article">17</ref-type><titles><title><style face="italic">A</style></title></titles></record></records></xml>',
    "pubmed_xml": b"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>A</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>",
    "rdf": b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:z="z" xmlns:dc="d"><z:A><z:itemType>report</z:itemType><dc:title>A</dc:title></z:A></rdf:RDF>',
    "word_xml": b'<b:Sources xmlns:b="http://schemas.openxmlformats.org/officeDocument/2006/bibliography"><b:Source><b:SourceType>Book</b:SourceType><b:Title>A</b:Title></b:Source></b:Sources>',
    "csl_json": b'[{"type": "article-journal", "title": "A", "author": [{"family": "King"}], "issued": {"date-parts": [[2020, 1]]}}, {"title": "B"}]',
    "ids": b"10.5555/a\nPMID: 123\nPMC45\narXiv:2101.12345\nnothing\n",
    "ledger": b"# LitLedger reference ledger, version 1.\nreferences:\n- ref: 1\n  key: K\n  record:\n    source: pubmed\n    source_id: '1'\n    title: A\n",
}
_PIECES = [
    b"{", b"}", b'"', b"<", b">", b"&", b"%", b"@", b"\n", b"\r", b"\t", b",", b";", b"$", b"\\", b"[", b"]", b"(", b")", b"|", b"=",
    b"\x00", b"\xff\xfe", b"\xe9", b"\xef\xbb\xbf", b"ER  - \n", b"TY  - JOUR\n", b"\n\n", b"@article{x,\n", b"</record>", b"&#1;",
    b"&amp;lt;", b"\xc2\xb2", b"- ref: 1\n", b"<1. >\n", b"{" * 300, b"[" * 3000, b"9" * 400, b"A. " * 200, b"10.1000/" * 30, b" and " * 50,
]  # fmt: skip


class Hang(Exception):
    """Reading took longer than it may."""


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """CPU seconds within which the block must end."""

    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def outcome(data: bytes | io.RawIOBase, limits: Limits = Limits()) -> list[Entry]:  # noqa: B008
    """The entries up to the end or the typed error; everything that an entry promises is looked at."""
    stream = io.BytesIO(data) if isinstance(data, bytes) else data
    entries: list[Entry] = []
    with at_most(5):
        try:
            for number, entry in enumerate(read_file(stream, limits=limits).entries, start=1):  # type: ignore[arg-type]
                assert entry.number == number
                assert entry.first_line <= entry.last_line
                assert (entry.record is None) != (entry.problem is None)
                assert len(entry.text) <= limits.text
                if entry.record is not None:
                    assert record_from_dict(record_to_dict(entry.record)) == entry.record
                entries.append(entry)
        except UnreadableFile as error:
            told = bool(error.message and error.next_step)
        else:
            told = True
    assert told
    return entries


def test_every_seed_is_its_format() -> None:
    assert {name: read_file(io.BytesIO(data)).format for name, data in SEEDS.items()} == {name: name for name in SEEDS}
    assert all(outcome(data) for data in SEEDS.values())


@pytest.mark.parametrize("name", list(SEEDS))
@settings(max_examples=60, deadline=None)
@given(
    changes=st.lists(
        st.tuples(st.integers(0, 400), st.integers(0, 60), st.sampled_from(_PIECES) | st.binary(max_size=8)), max_size=6
    )
)
def test_a_damaged_file_gives_entries_or_the_typed_error(name: str, changes: list[tuple[int, int, bytes]]) -> None:
    data = SEEDS[name]
    for place, length, piece in changes:
        at = place % (len(data) + 1)
        data = data[:at] + piece + data[at + length :]
    outcome(data)


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes_give_entries_or_the_typed_error(data: bytes) -> None:
    outcome(data)


@pytest.mark.shared
def test_damaged_real_files_give_entries_or_the_typed_error(shared: Path) -> None:
    files = [
        path
        for path in sorted([*(shared / "imports").rglob("*"), *(shared / "bugs" / "import").iterdir()])
        if path.is_file()
        and path.stat().st_size < 100_000
        and not path.name.endswith((".expected.json", ".tsv", ".md"))
    ]
    chance = random.Random(20)
    for _ in range(250):
        data = bytearray(chance.choice(files).read_bytes()[: chance.choice([2_000, 20_000])])
        for _ in range(chance.randint(1, 8)):
            at = chance.randrange(len(data) + 1)
            data[at : at + chance.randrange(80)] = chance.choice(_PIECES)
        outcome(bytes(data))


@pytest.mark.parametrize(
    ("name", "place", "piece"),
    [
        ("ids", b"PMC45", b"\t"),
        ("ids", b"PMC45", b"; "),
        ("bibtex", b"k, author", b" "),
        ("bibtex", b"author=", b"\n"),
        ("bibtex", b"@article", b" \n"),
        ("ledger", b"title", b"{"),
        ("ledger", b"title", b"[a, "),
        ("table", b"King M.", b" "),
        ("ris", b"A title", b" "),
        ("ris", b"TY", b"\x80 \n"),
    ],
)
def test_one_sign_thousands_of_times_takes_no_time(name: str, place: bytes, piece: bytes) -> None:
    """Rules with two repeated blanks side by side cost the square of their number; here 20,000 signs."""
    data = SEEDS[name].replace(place, piece * (20_000 // len(piece)) + place, 1)
    assert data != SEEDS[name]
    outcome(data)


class Endless(io.RawIOBase):
    """A head and then one piece again and again, up to a size: a file that no disk holds."""

    def __init__(self, head: bytes, body: bytes, size: int) -> None:
        self._head, self._body, self._size, self._place = head, body, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._place = offset if whence == 0 else self._place + offset
        return self._place

    def read(self, size: int = -1, /) -> bytes:
        size = min(size if size >= 0 else self._size, self._size - self._place, 1 << 20)
        if size <= 0:
            return b""
        if self._place < len(self._head):
            out = self._head[self._place : self._place + size]
        else:
            turn = (self._place - len(self._head)) % len(self._body)
            out = (self._body[turn:] + self._body * (size // len(self._body) + 1))[:size]
        self._place += len(out)
        return out


@pytest.mark.parametrize(
    ("head", "body", "kind"),
    [
        (b"TY  - JOUR\nTI  - ", b"a", "line_too_long"),
        (b"TY  - JOUR\n", b"AU  - Smith, J.\n", "record_too_long"),
        (b"PMID- 1\nTI  - ", b"a b\n      ", "record_too_long"),
        (b"@article{a,title={", b"a b", "line_too_long"),
        (b"<xml><records><record><titles><title>", b"a b", "record_too_long"),
        (b"<xml><records><record><contributors><authors>", b"<author>a</author>", "record_too_long"),
        (b'[{"title": "', b"a b", "record_too_long"),
    ],
)
def test_a_line_or_record_without_end_is_refused(head: bytes, body: bytes, kind: str) -> None:
    """Limits are small here, so that the test is fast; the sizes stand in no relation to them."""
    limits = Limits(line=100_000, record=200_000)
    with at_most(5), pytest.raises(UnreadableFile) as caught:
        list(read_file(Endless(head, body, 60_000_000), limits=limits).entries)  # type: ignore[arg-type]
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf \n", "empty"),
        (b"PK\x03\x04" + b"0" * 50, "archive"),
        (b"\x1f\x8b\x08" + b"0" * 50, "archive"),
        (b"%PDF-1.7\n", "pdf"),
        (b"<!DOCTYPE html><html><body>Sign in</body></html>", "web_page"),
        (b"Only some words without any identifier.\n", "unknown_format"),
        (b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><xml><records><record><titles><title>&b;</title></titles></record></records></xml>', "unsafe_xml"),
        (b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><PubmedArticleSet><PubmedArticle>&a;</PubmedArticle></PubmedArticleSet>', "unsafe_xml"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_references_is_refused_with_its_kind(data: bytes, kind: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        list(read_file(io.BytesIO(data)).entries)
    assert caught.value.kind == kind


def test_too_many_records_are_refused_after_the_limit() -> None:
    reading = read_file(io.BytesIO(b"10.5555/a\n" * 5), limits=Limits(records=3))
    read = []
    with pytest.raises(UnreadableFile) as caught:
        read.extend(entry.number for entry in reading.entries)
    assert (caught.value.kind, caught.value.line) == ("too_many_records", 4)
