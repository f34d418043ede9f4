"""Identifiers: what is read, what is refused, and that normal forms stay."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.identifiers import (
    BadIdentifier,
    Identifier,
    Scheme,
    doi_candidates,
    find_identifiers,
    identifier_url,
    normalise,
    normalise_arxiv,
    normalise_doi,
    normalise_isbn,
    normalise_issn,
    normalise_pmcid,
    normalise_pmid,
    parse_identifier,
    same_doi,
)

SICI = "10.1002/(sici)1096-9861(19960129)365:1<113::aid-cne9>3.0.co;2-6"


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1056/NEJMoa2021436", "10.1056/nejmoa2021436"),
        ("doi:10.1056/NEJMoa2021436", "10.1056/nejmoa2021436"),
        ("DOI: 10.1056/NEJMoa2021436.", "10.1056/nejmoa2021436"),
        ("https://doi.org/10.5555%2Fbug.1103", "10.5555/bug.1103"),
        ("http://dx.doi.org/10.5555/bug.1105", "10.5555/bug.1105"),
        ("doi/10.2307/1441067", "10.2307/1441067"),
        ("info:doi/10.2307/1441067", "10.2307/1441067"),
        ("https://doi-org.proxy.example.edu/10.1056/NEJMoa2001017", "10.1056/nejmoa2001017"),
        ("https://www.nejm.org/doi/full/10.1056/NEJMoa2001017?x=1#abstract", "10.1056/nejmoa2001017"),
        ("https://onlinelibrary.wiley.com/doi/10.1111/jgs.13702/full", "10.1111/jgs.13702"),
        ("(10.1000/xyz123).", "10.1000/xyz123"),
        ("doi = {10.1000/abc},", "10.1000/abc"),
        (r"10.1000/a\_b", "10.1000/a_b"),
        (r"10.1000/a{\_}b", "10.1000/a_b"),
        ("10.1016/S0140-6736(97)11096-0", "10.1016/s0140-6736(97)11096-0"),
        ("(see 10.1016/0009-2614(84)85645-6)", None),
        ("(10.1016/0009-2614(84)85645-6)", "10.1016/0009-2614(84)85645-6"),
        ("10.1002/(SICI)1096-9861(19960129)365:1&lt;113::AID-CNE9&gt;3.0.CO;2-6", SICI),
        ("https://doi.org/10.1002/(SICI)1096-9861(19960129)365:1%3C113::AID-CNE9%3E3.0.CO;2-6", SICI),
        (
            "https://doi.org/10.1002/1097-0142(2000)89:9%3C1::aid%3E3.0.co;2-%23",
            "10.1002/1097-0142(2000)89:9<1::aid>3.0.co;2-#",
        ),
        ("10.1892/0891-6640(2007)21[1117:rmdaws]2.0.co;2", "10.1892/0891-6640(2007)21[1117:rmdaws]2.0.co;2"),
        ("10.1016/j.a [doi]", "10.1016/j.a"),
        ("10.48550/arXiv.1706.03762v5", "10.48550/arxiv.1706.03762"),
        ("10.1000/abc\u200b\u00ad", "10.1000/abc"),
    ],
)
def test_a_copied_doi_gets_its_normal_form(text: str, doi: str | None) -> None:
    if doi is None:
        with pytest.raises(BadIdentifier, match="holds more than a DOI"):
            normalise_doi(text)
    else:
        assert normalise_doi(text) == doi


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            "“” is not a DOI. A DOI starts with 10., four or more digits and a slash, for example 10.1056/nejmoa",
        ),
        ("https://doi.org/10/gg5fft", "“https://doi.org/10/gg5fft” is a short DOI."),
        ("11.1000/abc", "“11.1000/abc” is not a DOI."),
        ("10.1000/", "“10.1000/” is not a whole DOI."),
        ("10.1000/).", "“10.1000/).” is not a whole DOI."),
        ("10.1000/a b", "“10.1000/a b” holds a blank."),
        ("Available at 10.1000/abc", "“Available at 10.1000/abc” holds more than a DOI. Give the DOI alone."),
        ("10.1000/" + "a" * 5000, "is too long for a DOI. Give the DOI alone."),
    ],
)
def test_what_is_no_doi_is_refused_with_a_sentence(text: str, message: str) -> None:
    with pytest.raises(BadIdentifier) as refused:
        normalise_doi(text)
    assert message in str(refused.value)


DOI_TEXT = st.builds(
    "{}10.{}/{}".format,
    st.sampled_from(["", "doi:", "https://doi.org/", "https://dx.doi.org/", "(", "https://example.org/doi/full/"]),
    st.integers(1000, 999999),
    st.text(st.sampled_from("abcXYZ019().,;:<>[]{}_-/%\\&#?$ É–\u00ad") | st.characters(codec="utf-8"), max_size=40),
)


@given(DOI_TEXT)
def test_the_normal_form_of_a_doi_is_its_own_normal_form(text: str) -> None:
    try:
        doi = normalise_doi(text)
    except BadIdentifier:
        return
    assert normalise_doi(doi) == doi


@given(DOI_TEXT)
def test_a_doi_survives_its_own_address(text: str) -> None:
    try:
        doi = normalise_doi(text)
    except BadIdentifier:
        return
    assert normalise_doi(identifier_url(Identifier(Scheme.DOI, doi))) == doi


@given(st.text(max_size=80))
def test_no_text_breaks_the_readers(text: str) -> None:
    for identifier in (parse_identifier(text), *find_identifiers(text)):
        if identifier is not None:
            assert normalise(identifier.scheme, identifier.value) == identifier.value


@pytest.mark.parametrize(
    "text", ["https://" * 400 + "10.1000/abc word", "10.1000/" + ")" * 100_000, "<" * 50_000 + "10.1000/a"]
)
def test_hostile_lengths_are_read_or_refused_at_once(text: str) -> None:
    find_identifiers(text)
    with pytest.raises(BadIdentifier):
        normalise_doi(text)


def test_candidates_name_the_forms_worth_asking_for() -> None:
    assert doi_candidates("10.1016/j.jad.2009–06") == ("10.1016/j.jad.2009–06", "10.1016/j.jad.2009-06")
    assert doi_candidates("10.1080/0964.2010.545518#.Us5z4LsSxk0") == (
        "10.1080/0964.2010.545518#.us5z4lssxk0",
        "10.1080/0964.2010.545518",
    )
    assert doi_candidates(SICI) == (SICI,)


def test_same_doi_ignores_form_but_never_joins_two_texts_that_are_none() -> None:
    assert same_doi("https://doi.org/10.1000/ABC", "doi:10.1000/abc.")
    assert not same_doi("10.1000/abc", "10.1000/abd")
    assert not same_doi("", "")


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("32887982", Identifier(Scheme.PMID, "32887982")),
        ("0032887982", Identifier(Scheme.PMID, "32887982")),
        ("PMID: 32887982", Identifier(Scheme.PMID, "32887982")),
        ("32887982 [pmid]", Identifier(Scheme.PMID, "32887982")),
        ("https://pubmed.ncbi.nlm.nih.gov/32887982/?from=x", Identifier(Scheme.PMID, "32887982")),
        ("http://www.ncbi.nlm.nih.gov/pubmed/32887982", Identifier(Scheme.PMID, "32887982")),
        ("123456789", None),
        ("0", None),
        ("PMC7095418.2", Identifier(Scheme.PMCID, "PMC7095418")),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC7095418/", Identifier(Scheme.PMCID, "PMC7095418")),
        ("arXiv:2101.12345v2 [cs.LG]", Identifier(Scheme.ARXIV, "2101.12345")),
        ("https://arxiv.org/pdf/2101.12345v2.pdf", Identifier(Scheme.ARXIV, "2101.12345")),
        ("math.GT/0309136v1", Identifier(Scheme.ARXIV, "math/0309136")),
        ("https://doi.org/10.48550/arXiv.2101.12345", Identifier(Scheme.ARXIV, "2101.12345")),
        ("https://openalex.org/W2741809807", Identifier(Scheme.OPENALEX, "W2741809807")),
        ("CorpusID: 123", Identifier(Scheme.S2, "CorpusId:123")),
        ("https://www.semanticscholar.org/paper/Some-title/" + "0a" * 20, Identifier(Scheme.S2, "0a" * 20)),
        ("0028-4793", Identifier(Scheme.ISSN, "0028-4793")),
        ("eISSN: 1533-4406", Identifier(Scheme.ISSN, "1533-4406")),
        ("0-306-40615-2", Identifier(Scheme.ISBN, "9780306406157")),
        ("ISBN 978-0-306-40615-7", Identifier(Scheme.ISBN, "9780306406157")),
        ("10.1000/ABC", Identifier(Scheme.DOI, "10.1000/abc")),
        ("A title about PMID 12345 and more", None),
        ("", None),
    ],
)
def test_one_identifier_is_told_by_its_form(text: str, identifier: Identifier | None) -> None:
    assert parse_identifier(text) == identifier


def test_check_digits_are_checked() -> None:
    assert normalise_issn("2434561x") == "2434-561X"
    for bad in ("0028-4794", "1234-5678"):
        with pytest.raises(BadIdentifier, match="its check digit does not fit"):
            normalise_issn(bad)
    assert normalise_isbn("080442957X") == "9780804429573"
    with pytest.raises(BadIdentifier, match="its check digit does not fit"):
        normalise_isbn("9780306406158")


def test_functions_of_one_scheme_take_bare_numbers() -> None:
    assert (normalise_pmid(" 12 "), normalise_pmcid("7095418"), normalise_arxiv("HEP-TH/9901001")) == (
        "12",
        "PMC7095418",
        "hep-th/9901001",
    )


def test_running_text_gives_each_identifier_once_in_order() -> None:
    text = (
        'See <a href="https://doi.org/10.1000/abc">10.1000/abc</a>; PMID 12345 (PMC99) and '
        "[here](https://doi.org/10.1000/(x)y). arXiv:2101.12345v3. 10.1000/a;10.1000/b, “10.1000/q”. "
        "Earlier work [10.1016/0009-2614(84)85645-6]. Since 2019 12345678 people; 10.5 mg."
    )
    assert [f"{i.scheme}:{i.value}" for i in find_identifiers(text)] == [
        "doi:10.1000/abc",
        "pmid:12345",
        "pmcid:PMC99",
        "doi:10.1000/(x)y",
        "arxiv:2101.12345",
        "doi:10.1000/a",
        "doi:10.1000/b",
        "doi:10.1000/q",
        "doi:10.1016/0009-2614(84)85645-6",
    ]


def test_a_doi_cut_by_a_line_break_is_joined_only_when_the_rest_looks_like_one() -> None:
    assert find_identifiers("10.1007/s10803-008-\n0667-2.") == (Identifier(Scheme.DOI, "10.1007/s10803-008-0667-2"),)
    assert find_identifiers("10.1000/abc-\nand then") == (Identifier(Scheme.DOI, "10.1000/abc-"),)


def test_addresses_keep_the_slash_and_encode_the_rest() -> None:
    assert identifier_url(Identifier(Scheme.DOI, SICI)) == (
        "https://doi.org/10.1002/%28sici%291096-9861%2819960129%29365%3A1%3C113%3A%3Aaid-cne9%3E3.0.co%3B2-6"
    )
    assert identifier_url(Identifier(Scheme.PMID, "12")) == "https://pubmed.ncbi.nlm.nih.gov/12/"
    assert identifier_url(Identifier(Scheme.PMCID, "PMC12")) == "https://pmc.ncbi.nlm.nih.gov/articles/PMC12/"
    assert identifier_url(Identifier(Scheme.ARXIV, "hep-th/9901001")) == "https://arxiv.org/abs/hep-th/9901001"


@pytest.mark.shared
def test_reported_brackets_bug_is_read_right(shared: Path) -> None:
    lines = (shared / "bugs/import/56-doi-parentheses-and-angle-brackets.txt").read_text().splitlines()
    assert [[i.value for i in find_identifiers(line)] for line in lines] == [
        ["10.1016/0009-2614(84)85645-6"],
        [SICI],
        ["10.1002/(sici)1096-9861(19971020)387:2<167::aid-cne1>3.0.co;2-z"],
        ["10.1000/xyz123"],
        ["10.1002/(sici)1520-6777(1996)15:5<529::aid-nau9>3.0.co;2-h"],
        ["10.5555/bug.5506", "90005506", "PMC9905506"],
    ]


@pytest.mark.shared
def test_sound_dois_of_the_corpus_are_their_own_normal_form(shared: Path) -> None:
    with gzip.open(shared / "corpus/ids/synergy_ids.tsv.gz", "rt") as lines:
        dois = {line.split("\t")[2].strip() for line in lines}
    sound = sorted(doi for doi in dois if re.fullmatch(r"10\.\d{4,5}/[^\s\\%]*[a-z0-9)]", doi))
    assert len(sound) > 80_000
    assert [doi for doi in sound if normalise_doi(doi) != doi] == []
