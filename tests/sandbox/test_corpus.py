"""Loading the corpus: what is stored, replaced, deleted, refused."""

from __future__ import annotations

import gzip
import json
import threading
from pathlib import Path

import pytest
from lxml import etree

from litapp.core.querylang import parse
from litapp.sandbox.corpus.article import pack, read_article, unpack
from litapp.sandbox.corpus.evaluate import Evaluator
from litapp.sandbox.corpus.load import load_files
from litapp.sandbox.corpus.store import Corpus, CorpusError
from litapp.sandbox.tiny import ARTICLES

ARTICLE = """<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">{pmid}</PMID>
<Article><Journal><ISSN IssnType="Print">0000-0019</ISSN><JournalIssue><Volume>7</Volume><PubDate>{date}</PubDate>
</JournalIssue><Title>Journal of Tests</Title><ISOAbbreviation>J Test</ISOAbbreviation></Journal>
<ArticleTitle>{title}</ArticleTitle><Pagination><MedlinePgn>637-41</MedlinePgn></Pagination>
<Abstract><AbstractText Label="AIM">Of <i>mice</i> and men.</AbstractText></Abstract>
<AuthorList><Author ValidYN="Y"><LastName>Müller</LastName><ForeName>Anna B</ForeName><Initials>AB</Initials></Author>
<Author ValidYN="N"><LastName>Mueller</LastName><Initials>A</Initials></Author>
<Author><CollectiveName>The Test Group</CollectiveName></Author></AuthorList><Language>eng</Language>
<PublicationTypeList><PublicationType>Journal Article</PublicationType></PublicationTypeList></Article>
</MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="doi">10.1000/ABC</ArticleId></ArticleIdList>
<ReferenceList><Reference><ArticleIdList><ArticleId IdType="pubmed">77</ArticleId></ArticleIdList></Reference>
</ReferenceList></PubmedData></PubmedArticle>"""


def article_xml(
    pmid: int = 1, title: str = "A <sub>2</sub> trial", date: str = "<Year>2001</Year><Month>Mar</Month>"
) -> str:
    return ARTICLE.format(pmid=pmid, title=title, date=date)


def xml_file(folder: Path, *articles: str, name: str = "some.xml") -> Path:
    path = folder / name
    path.write_text(f"<PubmedArticleSet>{''.join(articles)}</PubmedArticleSet>", encoding="utf-8")
    return path


def test_an_article_is_read_with_its_facts_and_survives_packing() -> None:
    article = read_article(etree.fromstring(article_xml()))
    assert article is not None
    assert (article.title, article.abstract) == ("A 2 trial", [("AIM", "Of mice and men.")])
    assert [a.short for a in article.authors] == ["Müller AB", "The Test Group"]
    assert (article.doi, article.printed, article.first_page, article.cites) == (
        "10.1000/abc",
        [2001, 3, 0],
        "637",
        [77],
    )
    assert unpack(pack(article)) == article


@pytest.mark.parametrize(
    ("date", "printed"),
    [
        ("<Year>2001</Year><Month>11</Month><Day>30</Day>", [2001, 11, 30]),
        ("<Year>2001</Year><Season>Summer</Season>", [2001, 7, 0]),
        ("<MedlineDate>1978 Jul-Sep</MedlineDate>", [1978, 7, 0]),
        ("<MedlineDate>1947-1948</MedlineDate>", [1947, 0, 0]),
        ("", [0, 0, 0]),
    ],
)
def test_dates_in_all_of_nlms_forms(date: str, printed: list[int]) -> None:
    article = read_article(etree.fromstring(article_xml(date=date)))
    assert article is not None
    assert article.printed == printed


def test_plain_and_packed_files_load_the_same(tmp_path: Path) -> None:
    plain = xml_file(tmp_path, article_xml(1), article_xml(2))
    packed = tmp_path / "packed.xml.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    for path in (plain, packed):
        corpus = tmp_path / f"{path.name}.db"
        assert load_files(corpus, [path]).articles == 2
        assert Corpus(corpus).size == 2


def test_the_xml_comes_back_as_it_was_loaded(tmp_path: Path) -> None:
    load_files(tmp_path / "c.db", [xml_file(tmp_path, article_xml(5))])
    xml = Corpus(tmp_path / "c.db").xml(5)
    assert xml is not None
    assert xml.decode() == article_xml(5)


def test_a_later_load_replaces_the_article_and_all_of_its_index(tmp_path: Path) -> None:
    corpus = tmp_path / "c.db"
    load_files(corpus, [xml_file(tmp_path, article_xml(1, "About asthma"), article_xml(2, "About asthma"))])
    again = load_files(corpus, [xml_file(tmp_path, article_xml(1, "About diabetes"))])
    assert (again.articles, again.replaced) == (1, 1)
    evaluator = Evaluator(Corpus(corpus))
    counts = {word: evaluator.find(parse(f"{word}[ti]")).count for word in ("asthma", "diabetes")}
    assert counts == {"asthma": 1, "diabetes": 1}


def test_a_replaced_article_leaves_no_row_behind(tmp_path: Path) -> None:
    """Loading B over A gives the tables that loading B alone gives."""

    def tables(corpus: Path) -> dict[str, list[tuple[object, ...]]]:
        opened = Corpus(corpus)
        return {name: opened.rows(f"SELECT * FROM {name} ORDER BY 1, 2, 3") for name in ("attribute", "heading", "day")}

    other = xml_file(tmp_path, article_xml(1, "Another", "<Year>1999</Year>").replace("Müller", "Smith"), name="b.xml")
    load_files(tmp_path / "both.db", [ARTICLES])
    tiny = tables(tmp_path / "both.db")
    load_files(tmp_path / "both.db", [xml_file(tmp_path, article_xml(1)), other, ARTICLES])
    load_files(tmp_path / "alone.db", [ARTICLES, other])
    assert tables(tmp_path / "both.db") == tables(tmp_path / "alone.db") != tiny


def test_deleted_citations_of_an_update_file_disappear(tmp_path: Path) -> None:
    corpus = tmp_path / "c.db"
    load_files(corpus, [xml_file(tmp_path, article_xml(1), article_xml(2))])
    update = xml_file(tmp_path, "<DeleteCitation><PMID>1</PMID><PMID>99</PMID></DeleteCitation>", name="update.xml")
    assert load_files(corpus, [update]).deleted == 1
    opened = Corpus(corpus)
    assert (opened.size, opened.xml(1)) == (1, None)
    assert Evaluator(opened).find(parse("journal article[pt]")).count == 1


def test_books_and_damaged_entries_are_counted_and_not_stored(tmp_path: Path) -> None:
    book = "<PubmedBookArticle><BookDocument><PMID>3</PMID></BookDocument></PubmedBookArticle>"
    loaded = load_files(tmp_path / "c.db", [xml_file(tmp_path, book, "<PubmedArticle/>", article_xml(1))])
    assert (loaded.articles, loaded.skipped) == (1, 2)


def test_real_records_of_other_sources_join_their_article_by_pmid_or_doi(tmp_path: Path) -> None:
    lines = tmp_path / "others.jsonl"
    records = [
        {
            "id": "https://openalex.org/W1",
            "doi": "https://doi.org/10.1/x",
            "ids": {"pmid": "https://pubmed/1"},
            "title": "T",
        },
        {"id": "https://openalex.org/W2", "doi": None, "ids": {}, "title": "Only there", "publication_year": 1999},
        {"DOI": "10.1000/abc", "title": ["A"], "issued": {"date-parts": [[2001]]}},
    ]
    lines.write_text("\n".join(json.dumps(r) for r in records), encoding="utf-8")
    loaded = load_files(tmp_path / "c.db", [xml_file(tmp_path, article_xml(1)), lines])
    assert (loaded.articles, loaded.openalex, loaded.crossref) == (1, 2, 1)
    corpus = Corpus(tmp_path / "c.db")
    entry = corpus.entry(corpus.ids_of_pmids([1])[1])
    assert entry is not None
    assert (entry.openalex or {}).get("id") == "https://openalex.org/W1"
    assert (entry.crossref or {}).get("DOI") == "10.1000/abc"
    assert Evaluator(corpus).find(parse("only there[ti]")).count == 0, "PubMed knows articles with a PMID only"


@pytest.mark.parametrize("content", [b"<PubmedArticleSet><PubmedArticle>", b"\x1f\x8b\x08\x00broken", b'{"id": '])
def test_a_file_that_cannot_be_read_is_named_and_changes_nothing(tmp_path: Path, content: bytes) -> None:
    corpus = tmp_path / "c.db"
    load_files(corpus, [xml_file(tmp_path, article_xml(1))])
    bad = tmp_path / "bad.xml"
    bad.write_bytes(content)
    with pytest.raises(CorpusError, match=r"bad\.xml cannot be read"):
        load_files(corpus, [bad])
    assert Corpus(corpus).size == 1


def test_a_file_that_is_no_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="There is no corpus"):
        Corpus(tmp_path / "missing.db")
    other = tmp_path / "other.db"
    other.write_bytes(b"not a database at all, but long enough to be looked at" * 20)
    with pytest.raises(CorpusError, match="is not a corpus file"):
        Corpus(other)
    with pytest.raises(CorpusError, match="is not a corpus file"):
        load_files(other, [])
    assert other.read_bytes().startswith(b"not a database"), "it was not touched"


def test_connections_are_shared_between_threads_that_come_and_go(tiny_corpus: Path) -> None:
    corpus = Corpus(tiny_corpus)
    for _ in range(30):
        thread = threading.Thread(target=corpus.rows, args=("SELECT 1",))
        thread.start()
        thread.join()
    assert len(corpus._idle) == 1
    corpus.close()
    assert corpus._idle == []
