"""Which column of a table holds what: the column names of databases and screening tools, by meaning."""

from __future__ import annotations

import re
import unicodedata

_NAMES = {
    "title": "title; article title; titles; title primary; primary title; ti; document title; display name; "
    "publication title article; "
    "item title; study title; paper title; reference title; source title article; "
    "titel; titre; titulo; titolo; 标题; 题名; 篇名",
    "original_title": "original title; original foreign title; vernacular title; foreign title; "
    "translated title original",
    "authors_full": "author full names; author full name; authors full names; af",
    "authors": "authors; author; author s; author names; author name; authors primary; first authors; au; "
    "creators; creator; "
    "inventors; authorships author display name; authorships raw author name; list of authors; author string; "
    "autor; autoren; autor en; verfasser; auteur; auteurs; autores; autor es; autore; autori; 作者",
    "journal": "journal; source title; publication title; journal title; journal name; periodical full; journal book; "
    "container title; publication; periodical; secondary title; title secondary; book title; booktitle; so; jt; jf; "
    "primary location source display name; journal full title; venue; published in; publication name; host title; "
    "pubtitle; zeitschrift; revue; revista; rivista; tijdschrift; 期刊; 刊名; 来源",
    "abbreviation": "journal abbreviation; abbreviated source title; journal abbreviation title; periodical abbrev; "
    "iso abbreviation; container title short; ja; alternate title1; alternate title2; short journal",
    "year": "year; publication year; pub year; py; yr; year of publication; year published; published year; "
    "jahr; erscheinungsjahr; annee; ano; anno; jaar; 年; 年份; 出版年",
    "date": "date; publication date; date of publication; pub date; date published; published; issued; issue date; "
    "pub date free from; cover date; da; journal date; online date; pubdate; "
    "published print; published online; datum; fecha; data",
    "month": "month; published month; publication month",
    "day": "day; pub month day",
    "volume": "volume; vol; vl; journal volume; band; jahrgang; jaargang; volumen; 卷",
    "issue": "issue; number; issue number; no; is; journal issue; heft; ausgabe; numero; nummer; 期",
    "pages": "pages; page; page range; pagination; pg; page s; page info; seiten; seite; paginas; pagina; pagine; "
    "pagina s; 页; 页码",
    "first_page": "start page; first page; page start; begin page; sp; beginning page; startpage",
    "last_page": "end page; last page; page end; ep; ending page; other pages; endpage",
    "article_number": "art no; article number; article no; artnum",
    "doi": "doi; doi link; do; digital object identifier; di; doi url; article doi; external ids doi",
    "pmid": "pmid; pubmed id; pubmedid; pubmed; medline pmid; pm; pubmed identifier; pubmed pmid; ids pmid; "
    "accession number pubmed; pubmed ids; external ids pub med",
    "pmcid": "pmcid; pmc id; pmc; ids pmcid; pubmed central id",
    "arxiv": "arxiv; ar xiv; arxiv id; ar xiv id; arxivid; eprint",
    "openalex": "openalex id; openalex; ids openalex",
    "abstract": "abstract; abstract note; ab; notes abstract; abstracts; summary; "
    "zusammenfassung; resume; resumen; resumo; riassunto; samenvatting; 摘要",
    "original_abstract": "original abstract",
    "keywords": "schlagworter; mots cles; palabras clave; palavras chave; parole chiave; trefwoorden; 关键词; "
    "keywords; author keywords; keyword; manual tags; de; kw; key words; subjects; index terms; "
    "ieee terms; mesh terms; "
    "descriptors; index keywords; automatic tags; emtree medical index terms; emtree medical index terms major focus; "
    "emtree drug index terms; emtree drug index terms major focus; subject headings; tags",
    "url": "url; link; links; urls; pdf link; source urls; external urls; open url link; full text link; "
    "permalink; embase link; plink; article url; fulltext link; record url; article link; document url",
    "issn": "journal issn; issn; issns; issn isbn; sn; eissn; e issn; print issn; electronic issn; "
    "primary location source issn l; issn l",
    "isbn": "isbn; isbns",
    "publisher": "publisher; book publisher; pb; pu; publisher name",
    "language": "language; languages; language of original document; la; article language",
    "type": "document type; publication type; item type; type; type of reference; reference type; doc type; "
    "document types; "
    "article type; itemtype; pub type; type of work; dt; pt",
    "source": "source; citation; so source",
    "accession": "accession number; eid; pui; central id; lens id; ut; ut unique wos id; key; reference id; "
    "accession no; an; id; "
    "record id; rayyan id; covidence; covidence number; unique identifier; article id",
    "database": "database; database name; library catalog; db; data source; source database; dataset",
    "notes": "notes; note; extra; user notes; personal notes",
    "verified": "verified",
    "verified_by": "verified by",
    "verified_on": "verified on",
}  # fmt: skip
_MEANING = {name.strip(): field for field, names in _NAMES.items() for name in names.split(";")}
_TELLING = frozenset(("title", "doi", "pmid", "authors", "journal", "abstract", "year", "pmcid"))


def column_key(name: str) -> str:
    """A column name in lower case, words only, without accents: "Author(s) ID" is "author s id"."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", name.strip().strip('="')) if " " not in name else name
    if not name.isascii():
        name = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    return " ".join(re.findall(r"[^\W_]+", name.lower()))


def meanings(header: list[str]) -> list[str]:
    """For each column its meaning, "" for one that a record does not carry."""
    return [_MEANING.get(column_key(name), "") for name in header]


def is_header(cells: list[str]) -> bool:
    """Whether a row names columns: two or more telling ones, and no cell that is a text."""
    if any(len(cell) > 80 for cell in cells):
        return False
    found = [meaning for meaning in meanings(cells) if meaning]
    telling = _TELLING.intersection(found)
    return ("title" in telling and len(found) >= 2) or len(telling) >= 2
