"""PubMed XML (efetch answers, baseline and update files) as records: the one parser for source, import and sandbox.

Markup in titles and abstracts is kept as <i>, <b>, <sub>, <sup>; all other markup becomes its text. The full stop that
NLM puts after every title is left out. Sources of the rules: NLM's PubMed DTD of 2019 and later, and recorded answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO, cast

from lxml import etree

from litapp.core.formats.pubmeddates import date_in_citation, pubmed_date, pubmed_years
from litapp.core.identifiers import BadIdentifier, normalise
from litapp.core.records import (
    AbstractSection,
    Identifier,
    MeshHeading,
    Notice,
    NoticeKind,
    Person,
    Record,
    Scheme,
)

_Element = etree._Element

_INLINE = frozenset({"i", "b", "sub", "sup"})
_NOTICES_ON_RECORD = {
    "RetractionIn": NoticeKind.RETRACTION,
    "PartialRetractionIn": NoticeKind.PARTIAL_RETRACTION,
    "ExpressionOfConcernIn": NoticeKind.CONCERN,
    "ErratumIn": NoticeKind.CORRECTION,
    "CorrectedandRepublishedIn": NoticeKind.CORRECTION,
    "RetractedandRepublishedIn": NoticeKind.RETRACTION,
}
_NOTICE_LINKS = frozenset({"RetractionOf", "PartialRetractionOf", "ExpressionOfConcernFor", "ErratumFor"})
_NOTICE_TYPES = frozenset(
    {"Retraction of Publication", "Retraction Notice", "Published Erratum", "Expression of Concern"}
)
_NO_TITLE = "[Not Available]"
_RETRACTED_TYPE = "Retracted Publication"
_DOI_IN_CITATION = re.compile(r"\bdoi:\s*(10\.\S+)", re.IGNORECASE)


class PubmedXmlError(ValueError):
    """The bytes are no PubMed record set, or are cut off. The message is for a clinician."""


def iter_pubmed_records(data: bytes | BinaryIO, *, source: str = "pubmed") -> Iterator[Record]:
    """Records in file order, one at a time; memory stays flat. `source` is written into each record.

    Articles and book chapters come alike. A record without title has title ""; one without PMID has source_id "".
    Raises PubmedXmlError when the XML is broken or is another kind of file, possibly after the first records.
    """
    stream = BytesIO(data) if isinstance(data, bytes) else data
    found = False
    try:
        events = etree.iterparse(
            stream,
            events=("end",),
            tag=("PubmedArticle", "PubmedBookArticle"),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            collect_ids=False,
        )
        for _, element in events:
            found = True
            yield pubmed_record(element, source)
            element.clear()
            parent = element.getparent()
            if parent is not None:
                while element.getprevious() is not None:
                    del parent[0]
        root = cast("_Element | None", getattr(events, "root", None))
    except etree.XMLSyntaxError as error:
        raise PubmedXmlError("The PubMed file is damaged or cut off.") from error
    if not found and (root is None or root.tag != "PubmedArticleSet"):
        raise PubmedXmlError("This is not a file of PubMed records.")


def pubmed_record(element: _Element, source: str) -> Record:
    """The record of one PubmedArticle, PubmedBookArticle or bare MedlineCitation element."""
    return _book(element, source) if element.tag == "PubmedBookArticle" else _article(element, source)


def _article(element: _Element, source: str) -> Record:
    citation = element if element.tag == "MedlineCitation" else element.find("MedlineCitation")
    if citation is None:
        return Record(source=source, source_id="")
    article = citation.find("Article")
    if article is None:
        return Record(source=source, source_id=_text(citation.find("PMID")))
    pmid = _text(citation.find("PMID"))
    journal = article.find("Journal")
    issue = None if journal is None else journal.find("JournalIssue")
    identifiers, warnings = _identifiers(pmid, article, element.find("PubmedData/ArticleIdList"))
    date = pubmed_date(None if issue is None else issue.find("PubDate"))
    types = _texts(article, "PublicationTypeList/PublicationType")
    vernacular = _title(article.find("VernacularTitle"))
    title = _title(article.find("ArticleTitle"))
    if vernacular and (not title or title == _NO_TITLE):
        title = vernacular
        warnings.append("PubMed gives the title in the original language only.")
    elif title == _NO_TITLE:
        warnings.append("PubMed has no title for this record.")
    authors, complete = _authors(article.find("AuthorList"))
    abstract = _abstract(article.find("Abstract"))
    if not abstract:
        abstract, remark = _other_abstract(citation)
        warnings += remark
    notices, is_notice = _notices(citation, types)
    preprint = "Preprint" in types
    return Record(
        source=source,
        source_id=pmid,
        title=title,
        original_title=vernacular,
        authors=authors,
        authors_complete=complete,
        journal=_of(journal, "Title"),
        journal_abbreviation=_of(journal, "ISOAbbreviation") or _of(citation, "MedlineJournalInfo/MedlineTA"),
        issns=_issns(_of(journal, "ISSN"), _of(citation, "MedlineJournalInfo/ISSNLinking")),
        volume=_of(issue, "Volume"),
        issue=_of(issue, "Issue"),
        pages=_pages(article.find("Pagination")) or _article_number(article),
        date=date,
        years=pubmed_years(date, *article.findall("ArticleDate")),
        csl_type="article" if preprint else "article-journal",
        publication_types=types,
        abstract=abstract,
        mesh=tuple(_heading(heading) for heading in citation.iterfind("MeshHeadingList/MeshHeading")),
        keywords=_texts(citation, "KeywordList/Keyword"),
        languages=_texts(article, "Language"),
        identifiers=identifiers,
        url=_url(pmid),
        notices=notices,
        is_notice=is_notice,
        is_preprint=preprint,
        published_as=_linked(citation, "UpdateIn") if preprint else (),
        comments=_linked(citation, "CommentIn"),
        warnings=tuple(warnings),
    )


def _book(element: _Element, source: str) -> Record:
    document = element.find("BookDocument")
    if document is None:
        return Record(source=source, source_id="")
    pmid = _text(document.find("PMID"))
    book = document.find("Book")
    chapter, book_title = (
        _title(document.find("ArticleTitle")),
        _title(None if book is None else book.find("BookTitle")),
    )
    identifiers, warnings = _identifiers(pmid, document, element.find("PubmedBookData/ArticleIdList"))
    published = None if book is None else book.find("PubDate")
    contributed = document.find("ContributionDate")
    date = pubmed_date(contributed if contributed is not None else published)
    lists = document.findall("AuthorList")
    if not chapter and book is not None:
        lists += book.findall("AuthorList")
    wanted = next((one for one in lists if one.get("Type") == "authors"), lists[0] if lists else None)
    authors, complete = _authors(wanted)
    if book is not None:
        isbns = [Identifier(Scheme.ISBN, value) for value in map(_isbn, _texts(book, "Isbn")) if value]
        identifiers += tuple(isbns)
    types = _texts(document, "PublicationType")
    return Record(
        source=source,
        source_id=pmid,
        title=chapter or book_title,
        authors=authors,
        authors_complete=complete,
        journal=_of(book, "BookTitle") if chapter else "",
        publisher=_of(book, "Publisher/PublisherName"),
        volume=_of(book, "Volume"),
        pages=_pages(document.find("Pagination")),
        date=date,
        years=pubmed_years(date, *(one for one in (published, contributed) if one is not None)),
        csl_type="chapter" if chapter else "book",
        publication_types=types,
        abstract=_abstract(document.find("Abstract")),
        keywords=_texts(document, "KeywordList/Keyword"),
        languages=_texts(document, "Language"),
        identifiers=identifiers,
        url=_url(pmid),
        warnings=tuple(warnings),
    )


def _text(element: _Element | None) -> str:
    """All text within, on one line; markup is dropped."""
    if element is None:
        return ""
    if len(element) == 0:
        text = element.text
        return " ".join(text.split()) if text else ""
    return " ".join("".join(cast("Iterator[str]", element.itertext(with_tail=False))).split())


def _of(element: _Element | None, path: str) -> str:
    return "" if element is None else _text(element.find(path))


def _texts(element: _Element, path: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(_text, element.iterfind(path)))))


def _inline(element: _Element) -> str:
    """Text within, with the four tags kept; not yet on one line."""
    if len(element) == 0:
        return element.text or ""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str):
            inner = _inline(child)
            name = child.tag
            parts.append(f"<{name}>{inner}</{name}>" if name in _INLINE and inner.strip() else inner)
        parts.append(child.tail or "")
    return "".join(parts)


def _line(element: _Element | None) -> str:
    return "" if element is None else " ".join(_inline(element).split())


def _title(element: _Element | None) -> str:
    title = _line(element)
    return title[:-1].rstrip() if title.endswith(".") and not title.endswith("..") else title


def _person(author: _Element) -> Person | None:
    group = _line(author.find("CollectiveName"))
    if group:
        return Person(literal=group)
    family = _text(author.find("LastName"))
    if not family:
        return None
    given = _text(author.find("ForeName")) or _text(author.find("Initials"))
    return Person(family=family, given=given, suffix=_text(author.find("Suffix")))


def _authors(listing: _Element | None) -> tuple[tuple[Person, ...], bool]:
    """Authors as printed, without spellings NLM marks as wrong (ValidYN="N"), and whether the list is complete."""
    if listing is None:
        return (), True
    people = (_person(author) for author in listing.iterfind("Author") if author.get("ValidYN") != "N")
    return tuple(person for person in people if person is not None), listing.get("CompleteYN") != "N"


def _abstract(element: _Element | None) -> tuple[AbstractSection, ...]:
    if element is None:
        return ()
    sections = []
    for part in element.iterfind("AbstractText"):
        line = _line(part)
        if line:
            sections.append(AbstractSection(line, part.get("Label") or "", part.get("NlmCategory") or ""))
    return tuple(sections)


def _other_abstract(citation: _Element) -> tuple[tuple[AbstractSection, ...], list[str]]:
    """The first abstract that is not NLM's own: another language, a publisher's plain-language summary."""
    for other in citation.iterfind("OtherAbstract"):
        sections = _abstract(other)
        if sections:
            kind, language = other.get("Type") or "other", other.get("Language") or "eng"
            return sections, [f"The abstract is PubMed's additional one ({kind}, language {language})."]
    return (), []


def _heading(element: _Element) -> MeshHeading:
    descriptor = element.find("DescriptorName")
    qualifiers = element.findall("QualifierName")
    if descriptor is None:
        return MeshHeading("")
    return MeshHeading(
        _text(descriptor),
        descriptor.get("UI") or "",
        tuple(map(_text, qualifiers)),
        any(part.get("MajorTopicYN") == "Y" for part in (descriptor, *qualifiers)),
    )


def _pages(element: _Element | None) -> str:
    if element is None:
        return ""
    pages = _of(element, "MedlinePgn")
    if pages:
        return pages
    return "-".join(filter(None, (_of(element, "StartPage"), _of(element, "EndPage"))))


def _issns(*values: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for value in values:
        try:
            found[normalise(Scheme.ISSN, value)] = None
        except BadIdentifier:
            continue
    return tuple(found)


def _isbn(value: str) -> str:
    try:
        return normalise(Scheme.ISBN, value)
    except BadIdentifier:
        return ""


def _article_number(article: _Element) -> str:
    """The number of an article without pages ("e42692"), which publishers give as its pii; other piis are no
    numbers."""
    numbers = [_text(one) for one in article.iterfind("ELocationID") if one.get("EIdType") == "pii"]
    return next((number for number in numbers if re.fullmatch(r"e\d{3,9}", number)), "")


def _url(pmid: str) -> str:
    return f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid else ""


def _identifiers(pmid: str, article: _Element, listing: _Element | None) -> tuple[tuple[Identifier, ...], list[str]]:
    """PMID, DOI and PMCID of the record itself (its reference list has others), and what could not be read."""
    values: list[tuple[Scheme, str]] = [(Scheme.PMID, pmid)] if pmid else []
    for location in article.iterfind("ELocationID"):
        if location.get("EIdType") == "doi" and location.get("ValidYN") != "N":
            values.append((Scheme.DOI, _text(location)))
    if listing is not None:
        for entry in listing.iterfind("ArticleId"):
            kind = entry.get("IdType")
            if kind in ("doi", "pmc"):
                values.append((Scheme.DOI if kind == "doi" else Scheme.PMCID, _text(entry)))
    found: dict[Identifier, None] = {}
    warnings: list[str] = []
    for scheme, value in values:
        if not value:
            continue
        try:
            found[Identifier(scheme, normalise(scheme, value))] = None
        except BadIdentifier:
            warnings.append(f"PubMed gives “{value[:80]}” as {scheme.value.upper()}, which is none.")
    dois = [identifier.value for identifier in found if identifier.scheme is Scheme.DOI]
    if len(dois) > 1:
        warnings.append(f"PubMed gives more than one DOI: {', '.join(dois)}.")
    return tuple(found), warnings


def _notices(citation: _Element, types: tuple[str, ...]) -> tuple[tuple[Notice, ...], bool]:
    """Notices on this record, and whether it is such a notice itself."""
    notices: list[Notice] = []
    is_notice = not _NOTICE_TYPES.isdisjoint(types)
    for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections"):
        reference_type = link.get("RefType") or ""
        is_notice = is_notice or reference_type in _NOTICE_LINKS
        kind = _NOTICES_ON_RECORD.get(reference_type)
        if kind is None:
            continue
        text = " ".join(filter(None, (_of(link, "RefSource"), _of(link, "Note"))))
        if kind is NoticeKind.RETRACTION and "partial" in text.lower():
            kind = NoticeKind.PARTIAL_RETRACTION
        notices.append(Notice(kind, doi=_doi_in(text), pmid=_of(link, "PMID"), date=date_in_citation(text), text=text))
    retractions = (NoticeKind.RETRACTION, NoticeKind.PARTIAL_RETRACTION)
    if _RETRACTED_TYPE in types and not any(notice.kind in retractions for notice in notices):
        notices.append(Notice(NoticeKind.RETRACTION, text=_RETRACTED_TYPE))
    return tuple(notices), is_notice


def _linked(citation: _Element, reference_type: str) -> tuple[Identifier, ...]:
    """The papers linked in this way, by PMID, and by DOI where the citation names one. For a preprint "UpdateIn" is the
    published article."""
    found: dict[Identifier, None] = {}
    for link in citation.iterfind(f"CommentsCorrectionsList/CommentsCorrections[@RefType='{reference_type}']"):
        pmid, doi = _of(link, "PMID"), _doi_in(_of(link, "RefSource"))
        if pmid.isascii() and pmid.isdigit():
            found[Identifier(Scheme.PMID, pmid)] = None
        if doi:
            found[Identifier(Scheme.DOI, doi)] = None
    return tuple(found)


def _doi_in(citation: str) -> str:
    found = _DOI_IN_CITATION.search(citation)
    if found is None:
        return ""
    try:
        return normalise(Scheme.DOI, found[1])
    except BadIdentifier:
        return ""
