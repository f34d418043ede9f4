"""A sandbox corpus of invented papers: as many as a test needs, all plainly made up."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

from litapp.sandbox.corpus.load import load_files
from tests.searches.stand_in import paper


def make_invented_corpus(folder: Path, count: int) -> Path:
    """Build a corpus of `count` papers in `folder` and return its file."""
    articles = "\n".join(_article(number) for number in range(1, count + 1))
    source, corpus = folder / "invented.xml", folder / "corpus.db"
    source.write_text(f'<?xml version="1.0"?>\n<PubmedArticleSet>\n{articles}\n</PubmedArticleSet>', encoding="utf-8")
    load_files(corpus, [source])
    return corpus


def _article(number: int) -> str:
    record = paper(number)
    authors = "".join(
        f'<Author ValidYN="Y"><LastName>{p.family}</LastName><ForeName>{p.given}</ForeName>'
        f"<Initials>{''.join(word[0] for word in p.given.split())}</Initials></Author>"
        for p in record.authors
    )
    abstract = f"{escape(record.abstract_text)} Patients of this trial were followed for {number} days."
    return f"""<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">{record.pmid}</PMID>
<Article PubModel="Print"><Journal><ISSN IssnType="Print">1234-5679</ISSN><JournalIssue CitedMedium="Print">
<Volume>{record.volume}</Volume><PubDate><Year>{record.year}</Year></PubDate></JournalIssue>
<Title>{record.journal}</Title><ISOAbbreviation>J Trials</ISOAbbreviation></Journal>
<ArticleTitle>{escape(record.title)}.</ArticleTitle><Pagination><MedlinePgn>{record.pages}</MedlinePgn></Pagination>
<ELocationID EIdType="doi" ValidYN="Y">{record.doi}</ELocationID>
<Abstract><AbstractText>{abstract}</AbstractText></Abstract>
<AuthorList CompleteYN="Y">{authors}</AuthorList><Language>eng</Language><PublicationTypeList>
<PublicationType UI="D016428">Journal Article</PublicationType></PublicationTypeList></Article>
<MedlineJournalInfo><MedlineTA>J Trials</MedlineTA></MedlineJournalInfo></MedlineCitation>
<PubmedData><PublicationStatus>ppublish</PublicationStatus><ArticleIdList>
<ArticleId IdType="pubmed">{record.pmid}</ArticleId><ArticleId IdType="doi">{record.doi}</ArticleId>
</ArticleIdList></PubmedData></PubmedArticle>"""
