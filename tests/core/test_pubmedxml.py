"""The PubMed XML parser: the oddities NLM's records have, hostile files, memory and speed."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from litapp.core.formats.pubmeddates import date_in_citation
from litapp.core.formats.pubmedxml import PubmedXmlError, iter_pubmed_records
from litapp.core.records import (
    AbstractSection,
    Identifier,
    MeshHeading,
    Notice,
    NoticeKind,
    PartialDate,
    Person,
    Record,
    Scheme,
)


def article(inner: str = "", *, citation: str = "", data: str = "", pmid: str = "7") -> bytes:
    return (
        f"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article>{inner}</Article>{citation}"
        f"</MedlineCitation><PubmedData>{data}</PubmedData></PubmedArticle></PubmedArticleSet>"
    ).encode()


def one(data: bytes) -> Record:
    (record,) = iter_pubmed_records(data)
    return record


FULL = article(
    """
    <Journal><ISSN>0028-4793</ISSN><JournalIssue><Volume>384</Volume><Issue>8</Issue>
      <PubDate><Year>2021</Year><Month>Feb</Month><Day>25</Day></PubDate></JournalIssue>
      <Title>The New England journal of medicine</Title><ISOAbbreviation>N Engl J Med</ISOAbbreviation></Journal>
    <ArticleTitle>Effect of <i>X</i> on H<sub>2</sub>O: P&lt;0.05 &amp; more.</ArticleTitle>
    <Pagination><StartPage>693</StartPage><EndPage>704</EndPage><MedlinePgn>693-704</MedlinePgn></Pagination>
    <ELocationID EIdType="pii">x</ELocationID><ELocationID EIdType="doi" ValidYN="Y">10.1056/NEJMoa2021436</ELocationID>
    <ELocationID EIdType="doi" ValidYN="N">10.1056/WRONG</ELocationID>
    <Abstract>
      <AbstractText Label="BACKGROUND" NlmCategory="BACKGROUND">Why <b>this</b>.</AbstractText>
      <AbstractText>In <u>between</u>.</AbstractText><AbstractText Label="EMPTY"/>
      <CopyrightInformation>(c)</CopyrightInformation></Abstract>
    <AuthorList CompleteYN="N">
      <Author ValidYN="Y"><LastName>Horby</LastName><ForeName>Peter W</ForeName><Suffix>Jr</Suffix></Author>
      <Author ValidYN="N"><LastName>Hobry</LastName></Author>
      <Author><CollectiveName>RECOVERY Group</CollectiveName></Author>
      <Author><LastName>Lim</LastName><Initials>WS</Initials></Author></AuthorList>
    <Language>eng</Language><Language>fre</Language>
    <PublicationTypeList><PublicationType>Journal Article</PublicationType>
      <PublicationType>Retracted Publication</PublicationType></PublicationTypeList>
    <ArticleDate><Year>2020</Year><Month>07</Month><Day>17</Day></ArticleDate>""",
    citation="""
    <MedlineJournalInfo><MedlineTA>NEJM</MedlineTA><ISSNLinking>0028-4793</ISSNLinking></MedlineJournalInfo>
    <CommentsCorrectionsList>
      <CommentsCorrections RefType="CommentIn"><RefSource>A</RefSource><PMID>1</PMID></CommentsCorrections>
      <CommentsCorrections RefType="RetractionIn">
        <RefSource>Lancet. 2010 Feb 6;375:445. doi: 10.1016/S0140-6736(10)60175-4.</RefSource><PMID>2</PMID>
        <Note>partial retraction</Note></CommentsCorrections></CommentsCorrectionsList>
    <MeshHeadingList>
      <MeshHeading><DescriptorName UI="D000086382" MajorTopicYN="N">COVID-19</DescriptorName>
        <QualifierName MajorTopicYN="Y">drug therapy</QualifierName><QualifierName>mortality</QualifierName>
      </MeshHeading>
      <MeshHeading><DescriptorName UI="D006801">Humans</DescriptorName></MeshHeading></MeshHeadingList>
    <KeywordList><Keyword>steroids</Keyword><Keyword/></KeywordList>""",
    data="""<ArticleIdList><ArticleId IdType="pubmed">7</ArticleId>
      <ArticleId IdType="doi">10.1056/nejmoa2021436</ArticleId><ArticleId IdType="pmc">PMC7383595</ArticleId>
      </ArticleIdList><ReferenceList><Reference><ArticleIdList><ArticleId IdType="doi">10.9999/other</ArticleId>
      </ArticleIdList></Reference></ReferenceList>""",
)


def test_a_whole_record() -> None:
    assert one(FULL) == Record(
        source="pubmed",
        source_id="7",
        title="Effect of <i>X</i> on H<sub>2</sub>O: P<0.05 & more",
        authors=(Person("Horby", "Peter W", "Jr"), Person(literal="RECOVERY Group"), Person("Lim", "WS")),
        authors_complete=False,
        journal="The New England journal of medicine",
        journal_abbreviation="N Engl J Med",
        issns=("0028-4793",),
        volume="384",
        issue="8",
        pages="693-704",
        date=PartialDate(2021, 2, 25),
        years=(2020, 2021),
        publication_types=("Journal Article", "Retracted Publication"),
        abstract=(
            AbstractSection("Why <b>this</b>.", "BACKGROUND", "BACKGROUND"),
            AbstractSection("In between."),
        ),
        mesh=(
            MeshHeading("COVID-19", "D000086382", ("drug therapy", "mortality"), True),
            MeshHeading("Humans", "D006801"),
        ),
        keywords=("steroids",),
        languages=("eng", "fre"),
        identifiers=(
            Identifier(Scheme.PMID, "7"),
            Identifier(Scheme.DOI, "10.1056/nejmoa2021436"),
            Identifier(Scheme.PMCID, "PMC7383595"),
        ),
        url="https://pubmed.ncbi.nlm.nih.gov/7/",
        notices=(
            Notice(
                NoticeKind.PARTIAL_RETRACTION,
                doi="10.1016/s0140-6736(10)60175-4",
                pmid="2",
                date="2010-02-06",
                text="Lancet. 2010 Feb 6;375:445. doi: 10.1016/S0140-6736(10)60175-4. partial retraction",
            ),
        ),
        comments=(Identifier(Scheme.PMID, "1"),),
    )


def linked(kind: str, types: str, *links: tuple[str, str]) -> bytes:
    entries = "".join(
        f'<CommentsCorrections RefType="{kind}"><RefSource>{source}</RefSource><PMID>{pmid}</PMID>'
        "</CommentsCorrections>"
        for source, pmid in links
    )
    return (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article><ArticleTitle>T</ArticleTitle>"
        f"<PublicationTypeList><PublicationType>{types}</PublicationType></PublicationTypeList></Article>"
        f"<CommentsCorrectionsList>{entries}</CommentsCorrectionsList></MedlineCitation></PubmedArticle>"
        "</PubmedArticleSet>"
    ).encode()


def test_comments_are_linked_and_are_no_notices() -> None:
    body = linked(
        "CommentIn", "Journal Article", ("Nature. 2020;1:2. doi: 10.1038/x.", "11"), ("BMJ. 2020", ""), ("", "x")
    )
    (record,) = iter_pubmed_records(body)
    assert record.comments == (Identifier(Scheme.PMID, "11"), Identifier(Scheme.DOI, "10.1038/x"))
    assert (record.notices, record.published_as) == ((), ())


def test_the_published_version_of_a_preprint_is_named() -> None:
    link = ("Lancet. 2021. doi: 10.1016/y.", "12")
    (preprint,) = iter_pubmed_records(linked("UpdateIn", "Preprint", link))
    assert preprint.published_as == (Identifier(Scheme.PMID, "12"), Identifier(Scheme.DOI, "10.1016/y"))
    (article,) = iter_pubmed_records(linked("UpdateIn", "Journal Article", link))
    assert article.published_as == ()


@pytest.mark.parametrize(
    ("inner", "date", "years"),
    [
        ("<Year>1978</Year><Month>11</Month><Day>5</Day>", PartialDate(1978, 11, 5), (1978,)),
        ("<Year>1978</Year><Month>Nov</Month>", PartialDate(1978, 11), (1978,)),
        ("<Year>1978</Year><Day>5</Day>", PartialDate(1978), (1978,)),
        ("<Year>1990</Year><Season>Spring</Season>", PartialDate(1990, text="Spring"), (1990,)),
        ("<MedlineDate>1978 Jul-Sep</MedlineDate>", PartialDate(1978, text="1978 Jul-Sep"), (1978,)),
        ("<MedlineDate>1947-1948</MedlineDate>", PartialDate(1947, text="1947-1948"), (1947, 1948)),
        ("<MedlineDate>Winter</MedlineDate>", PartialDate(text="Winter"), ()),
        ("<Year>soon</Year>", PartialDate(text="soon"), ()),
        ("", PartialDate(), ()),
    ],
)
def test_dates(inner: str, date: PartialDate, years: tuple[int, ...]) -> None:
    record = one(article(f"<Journal><JournalIssue><PubDate>{inner}</PubDate></JournalIssue></Journal>"))
    assert (record.date, record.years) == (date, years)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("J Exp Bot. 2021 Feb 2;72(2):775", "2021-02-02"),
        ("J Infect Dis 1998 Aug;178(2):601", "1998-08"),
        ("Plant Physiol. 2004 May-Jun;21", "2004-05"),
        ("Antivir Ther. 2007;12(5)", "2007"),
        ("in press", ""),
    ],
)
def test_the_date_within_a_short_citation(text: str, date: str) -> None:
    assert date_in_citation(text) == date


@pytest.mark.parametrize(
    ("inner", "title", "original", "warned"),
    [
        ("<ArticleTitle>A.</ArticleTitle>", "A", "", False),
        ("<ArticleTitle>[A].</ArticleTitle><VernacularTitle>Ä.</VernacularTitle>", "[A]", "Ä", False),
        ("<ArticleTitle/><VernacularTitle>Ä.</VernacularTitle>", "Ä", "Ä", True),
        ("<ArticleTitle>[Not Available].</ArticleTitle><VernacularTitle>Ä</VernacularTitle>", "Ä", "Ä", True),
        ("<ArticleTitle>[Not Available].</ArticleTitle>", "[Not Available]", "", True),
        ("<ArticleTitle/>", "", "", False),
        ("", "", "", False),
    ],
)
def test_titles_in_another_language(inner: str, title: str, original: str, warned: bool) -> None:
    record = one(article(inner))
    assert (record.title, record.original_title, bool(record.warnings)) == (title, original, warned)


def test_mathematics_and_nested_markup_become_their_text() -> None:
    title = (
        '<ArticleTitle>CP in <mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:mi>B</mml:mi></mml:math>'
        " and <i>a<sup>b</sup></i> <u>c</u></ArticleTitle>"
    )
    assert one(article(title)).title == "CP in B and <i>a<sup>b</sup></i> c"


@pytest.mark.parametrize(
    ("types", "link", "is_notice", "notices"),
    [
        ("Retracted Publication", "", False, [NoticeKind.RETRACTION]),
        ("Retraction of Publication", "RetractionOf", True, []),
        ("Retraction Notice", "", True, []),
        ("Published Erratum", "ErratumFor", True, []),
        ("Journal Article", "ErratumFor", True, []),
        ("Journal Article", "ExpressionOfConcernIn", False, [NoticeKind.CONCERN]),
        ("Journal Article", "CommentOn", False, []),
        ("Journal Article", "UpdateOf", False, []),
    ],
)
def test_a_notice_is_never_a_retracted_paper(types: str, link: str, is_notice: bool, notices: list[NoticeKind]) -> None:
    citation = (
        f'<CommentsCorrectionsList><CommentsCorrections RefType="{link}"><RefSource>x</RefSource>'
        "</CommentsCorrections></CommentsCorrectionsList>"
    )
    data = article(
        f"<PublicationTypeList><PublicationType>{types}</PublicationType></PublicationTypeList>", citation=citation
    )
    record = one(data)
    assert (record.is_notice, [notice.kind for notice in record.notices]) == (is_notice, notices)


def test_an_abstract_in_another_language_only_is_used_and_said() -> None:
    other = (
        '<OtherAbstract Type="Publisher" Language="spa"><AbstractText Label="OBJETIVO">Uno.</AbstractText>'
        "</OtherAbstract>"
    )
    record = one(article(citation=other))
    assert record.abstract == (AbstractSection("Uno.", "OBJETIVO"),)
    assert record.warnings == ("The abstract is PubMed's additional one (Publisher, language spa).",)
    both = one(article("<Abstract><AbstractText>One.</AbstractText></Abstract>", citation=other))
    assert both.abstract == (AbstractSection("One."),)


def test_two_dois_and_a_wrong_one_are_named() -> None:
    listing = (
        '<ArticleIdList><ArticleId IdType="doi">10.1000/b</ArticleId><ArticleId IdType="doi">nonsense</ArticleId>'
        "</ArticleIdList>"
    )
    record = one(article('<ELocationID EIdType="doi">10.1000/a</ELocationID>', data=listing))
    assert record.doi == "10.1000/a"
    assert record.warnings == (
        "PubMed gives “nonsense” as DOI, which is none.",
        "PubMed gives more than one DOI: 10.1000/a, 10.1000/b.",
    )


def test_a_book_chapter_has_the_book_as_its_container() -> None:
    data = b"""<PubmedArticleSet><PubmedBookArticle><BookDocument><PMID>9</PMID>
      <Book><Publisher><PublisherName>UW</PublisherName></Publisher><BookTitle>GeneReviews<sup>R</sup></BookTitle>
      <PubDate><Year>1993</Year></PubDate>
      <AuthorList Type="editors"><Author><LastName>Ed</LastName></Author></AuthorList><Isbn>9780306406157</Isbn></Book>
      <ArticleTitle>Chapter</ArticleTitle><Language>eng</Language>
      <AuthorList Type="authors"><Author><LastName>Au</LastName></Author></AuthorList>
      <PublicationType>Review</PublicationType><ContributionDate><Year>2006</Year></ContributionDate>
      </BookDocument></PubmedBookArticle></PubmedArticleSet>"""
    assert one(data) == Record(
        source="pubmed",
        source_id="9",
        title="Chapter",
        authors=(Person("Au"),),
        journal="GeneReviewsR",
        publisher="UW",
        date=PartialDate(2006),
        years=(1993, 2006),
        csl_type="chapter",
        publication_types=("Review",),
        languages=("eng",),
        identifiers=(Identifier(Scheme.PMID, "9"), Identifier(Scheme.ISBN, "9780306406157")),
        url="https://pubmed.ncbi.nlm.nih.gov/9/",
    )


def test_a_whole_book_has_its_own_title_and_editors_where_it_has_no_authors() -> None:
    data = b"""<PubmedArticleSet><PubmedBookArticle><BookDocument><PMID>9</PMID><Book><BookTitle>The Book.</BookTitle>
      <AuthorList Type="editors"><Author><LastName>Ed</LastName></Author></AuthorList></Book></BookDocument>
      </PubmedBookArticle></PubmedArticleSet>"""
    record = one(data)
    assert (record.title, record.journal, record.csl_type, record.authors) == ("The Book", "", "book", (Person("Ed"),))


def test_a_record_without_its_parts_is_empty_and_not_an_error() -> None:
    data = b"""<PubmedArticleSet><PubmedArticle/><PubmedArticle><MedlineCitation><PMID>5</PMID></MedlineCitation>
      </PubmedArticle><PubmedBookArticle/></PubmedArticleSet>"""
    assert [(record.source_id, record.title) for record in iter_pubmed_records(data)] == [("", ""), ("5", ""), ("", "")]


def test_an_empty_set_has_no_records() -> None:
    assert list(iter_pubmed_records(b"<PubmedArticleSet></PubmedArticleSet>")) == []


@pytest.mark.parametrize(
    "data",
    [
        b"", b"no xml", b"<html><body>x</body></html>", b"<eFetchResult><ERROR>x</ERROR></eFetchResult>",
        b"<PubmedArticleSet>", b"<PubmedArticleSet><PubmedArticle>\xff</PubmedArticle></PubmedArticleSet>",
    ],
)  # fmt: skip
def test_anything_else_is_an_error(data: bytes) -> None:
    with pytest.raises(PubmedXmlError):
        list(iter_pubmed_records(data))


def test_a_cut_file_gives_its_whole_records_and_then_the_error() -> None:
    cut = article("<ArticleTitle>A</ArticleTitle>")[: -len("</PubmedArticleSet>")] + b"<PubmedArticle><Medl"
    records = iter_pubmed_records(cut)
    assert next(records).title == "A"
    with pytest.raises(PubmedXmlError):
        next(records)


def test_entities_are_not_expanded_and_nothing_is_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("TOP SECRET")
    hostile = (
        f'<!DOCTYPE PubmedArticleSet [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY y "{"lol" * 10}">'
        '<!ENTITY z "&y;&y;&y;&y;&y;&y;&y;&y;">]>'
    ).encode() + article("<ArticleTitle>a &x; b &z; c</ArticleTitle>")
    title = one(hostile).title
    assert "SECRET" not in title
    assert "lol" not in title


@given(st.binary(max_size=80), st.integers(0, len(FULL)))
def test_damage_anywhere_is_an_error_or_a_record_and_nothing_else(junk: bytes, where: int) -> None:
    try:
        records = list(iter_pubmed_records(FULL[:where] + junk + FULL[where:]))
    except PubmedXmlError:
        return
    assert all(isinstance(record, Record) for record in records)


def test_a_stream_is_read_record_by_record() -> None:
    class Counting(io.BytesIO):
        taken = 0

        def read(self, size: int | None = -1) -> bytes:
            data = super().read(size)
            Counting.taken += len(data)
            return data

    many = b"<PubmedArticleSet>" + FULL.removeprefix(b"<PubmedArticleSet>").removesuffix(b"</PubmedArticleSet>") * 400
    stream = Counting(many + b"</PubmedArticleSet>")
    next(iter_pubmed_records(stream, source="import"))
    assert Counting.taken < len(many) / 4


def test_records_that_were_read_are_not_kept_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    iterparse = etree.iterparse

    def remembered(*args: Any, **options: Any) -> Any:
        made.append(iterparse(*args, **options))
        return made[-1]

    monkeypatch.setattr(etree, "iterparse", remembered)
    inner = FULL.removeprefix(b"<PubmedArticleSet>").removesuffix(b"</PubmedArticleSet>")
    assert len(list(iter_pubmed_records(b"<PubmedArticleSet>" + inner * 50 + b"</PubmedArticleSet>"))) == 50
    (root,) = [parser.root for parser in made]
    assert [len(child) for child in root] == [0]


def test_the_source_is_written_into_the_record() -> None:
    assert next(iter_pubmed_records(FULL, source="import")).source == "import"


@pytest.mark.shared
def test_a_real_baseline_file_is_read_whole(shared: Path) -> None:
    data = gzip.decompress((shared / "corpus" / "pubmed" / "pubmed20n0014_even_02.xml.gz").read_bytes())
    records = list(iter_pubmed_records(data))
    assert len(records) == data.count(b"<PubmedArticle>") == 5_000
    assert len({record.source_id for record in records}) == 5_000
    assert not [record.source_id for record in records if not record.title or record.year is None]
