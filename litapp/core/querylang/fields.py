"""PubMed's field tags: every spelling that PubMed accepts, and the short tag we print.

Source: search field tags of PubMed's help page; einfo's field list for the long names.
"""

from __future__ import annotations

from litapp.core.querylang.ast import Field

SHORT_TAGS: dict[Field, str] = {
    Field.ALL: "all",
    Field.TITLE: "ti",
    Field.TITLE_ABSTRACT: "tiab",
    Field.ABSTRACT: "ab",
    Field.TEXT_WORD: "tw",
    Field.OTHER_TERM: "ot",
    Field.TRANSLITERATED_TITLE: "tt",
    Field.MESH: "mh",
    Field.MESH_MAJOR: "majr",
    Field.SUBHEADING: "sh",
    Field.SUPPLEMENTARY_CONCEPT: "nm",
    Field.PHARMACOLOGICAL_ACTION: "pa",
    Field.REGISTRY_NUMBER: "rn",
    Field.PUBLICATION_TYPE: "pt",
    Field.AUTHOR: "au",
    Field.FIRST_AUTHOR: "1au",
    Field.LAST_AUTHOR: "lastau",
    Field.CORPORATE_AUTHOR: "cn",
    Field.AUTHOR_IDENTIFIER: "auid",
    Field.INVESTIGATOR: "ir",
    Field.EDITOR: "ed",
    Field.PERSONAL_NAME_SUBJECT: "ps",
    Field.AFFILIATION: "ad",
    Field.JOURNAL: "ta",
    Field.NLM_UNIQUE_ID: "jid",
    Field.VOLUME: "vi",
    Field.ISSUE: "ip",
    Field.PAGINATION: "pg",
    Field.LANGUAGE: "la",
    Field.PLACE_OF_PUBLICATION: "pl",
    Field.PUBLISHER: "pubn",
    Field.BOOK: "book",
    Field.ISBN: "isbn",
    Field.PMID: "pmid",
    Field.DOI: "doi",
    Field.ARTICLE_IDENTIFIER: "aid",
    Field.LOCATION_ID: "lid",
    Field.SECONDARY_SOURCE_ID: "si",
    Field.GRANT: "gr",
    Field.CONFLICT_OF_INTEREST: "cois",
    Field.SUBSET: "sb",
    Field.FILTER: "filter",
    Field.DATE_PUBLICATION: "dp",
    Field.DATE_PRINT: "ppdt",
    Field.DATE_ELECTRONIC: "epdt",
    Field.DATE_ENTRY: "edat",
    Field.DATE_CREATE: "crdt",
    Field.DATE_COMPLETION: "dcom",
    Field.DATE_MODIFICATION: "lr",
    Field.DATE_MESH: "mhda",
}

_OTHER_SPELLINGS: dict[Field, tuple[str, ...]] = {
    Field.ALL: ("all field", "af"),
    Field.TITLE: ("titl", "title word"),
    Field.TITLE_ABSTRACT: ("title abstract", "title and abstract", "abstract/title"),
    Field.ABSTRACT: ("abstract text",),
    Field.TEXT_WORD: ("text words", "word"),
    Field.OTHER_TERM: ("other terms", "otrm", "keyword", "keywords"),
    Field.MESH: ("mesh", "mesh term", "mesh heading", "mesh headings"),
    Field.MESH_MAJOR: ("mesh major topics", "mj", "mesh major"),
    Field.SUBHEADING: ("subheading", "subh", "mesh subheadings", "subheadings"),
    Field.SUPPLEMENTARY_CONCEPT: ("substance name", "substance", "subs", "supplementary concepts"),
    Field.PHARMACOLOGICAL_ACTION: ("papx", "pharmacological actions"),
    Field.REGISTRY_NUMBER: ("ecno", "rn number", "ec/rn"),
    Field.PUBLICATION_TYPE: ("ptyp", "publication types"),
    Field.AUTHOR: ("auth", "authors", "author name", "author - full", "full author name", "fau", "full"),
    Field.FIRST_AUTHOR: ("first author", "first author name", "faut"),
    Field.LAST_AUTHOR: ("last author", "last author name", "laut"),
    Field.CORPORATE_AUTHOR: ("corporate author", "coln"),
    Field.AUTHOR_IDENTIFIER: ("author identifier",),
    Field.INVESTIGATOR: ("full investigator name", "fir", "finv"),
    Field.PERSONAL_NAME_SUBJECT: ("personal name as subject", "subject personal name"),
    Field.AFFILIATION: ("affl",),
    Field.JOURNAL: ("jour", "so", "is", "issn", "journal title", "jt"),
    Field.NLM_UNIQUE_ID: ("nlm id",),
    Field.VOLUME: ("vol",),
    Field.ISSUE: ("iss",),
    Field.PAGINATION: ("page",),
    Field.LANGUAGE: ("lang",),
    Field.PLACE_OF_PUBLICATION: ("cnty",),
    Field.PMID: ("pmid",),
    Field.DOI: ("publisher id", "pid"),
    Field.ARTICLE_IDENTIFIER: ("article id",),
    Field.SECONDARY_SOURCE_ID: ("secondary source",),
    Field.GRANT: ("grnt", "grant number", "grants"),
    Field.FILTER: ("filt",),
    Field.DATE_PUBLICATION: ("pdat", "publication date", "date of publication"),
    Field.DATE_ELECTRONIC: ("epdat", "electronic date of publication"),
    Field.DATE_PRINT: ("print date of publication",),
    Field.DATE_ENTRY: ("entrez date", "entry date", "edit"),
    Field.DATE_CREATE: ("create date", "cdat"),
    Field.DATE_COMPLETION: ("completion date", "date completed"),
    Field.DATE_MODIFICATION: ("mdat", "modification date", "date last revised", "date - last revised"),
    Field.DATE_MESH: ("mesh date",),
}


def _spellings() -> dict[str, Field]:
    table: dict[str, Field] = {}
    for known, tag in SHORT_TAGS.items():
        table[known.value.casefold()] = known
        for spelling in (tag, *_OTHER_SPELLINGS.get(known, ())):
            table.setdefault(spelling, known)
    return table


_FIELD_OF_TAG = _spellings()


def field_of_tag(tag: str) -> Field:
    """The field that PubMed understands by `tag` (without brackets and suffix); Field.UNKNOWN if none."""
    return _FIELD_OF_TAG.get(" ".join(tag.casefold().split()), Field.UNKNOWN)
