"""JATS by sections: every recorded full text of PMC and Europe PMC, and what is no article's text."""

from __future__ import annotations

from pathlib import Path

import pytest

from litapp.core.fulltext_jats import NotJats, Section, read_jats

ARTICLE = """<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving" "JATS.dtd">
<article article-type="research-article" xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:mml="http://www.w3.org/1998/Math/MathML"><front><article-meta>
<article-id pub-id-type="pmcid">PMC77</article-id><article-id pub-id-type="doi">10.1/ABC</article-id>
<title-group><article-title>On <italic>in vitro</italic> work</article-title></title-group>
<permissions><license xlink:href="https://creativecommons.org/licenses/by-nc/4.0/"><license-p>free</license-p></license>
</permissions>
<abstract><sec><title>Background</title><p>Why.</p></sec></abstract>
<abstract abstract-type="graphical"><p>Picture words</p></abstract></article-meta></front>
<body><p>Opening.</p><sec><title>Results</title><p>We saw <bold>3</bold> of 4<xref>1</xref>.</p>
<sec><title>Deaths</title><p>Two<!-- hidden --> died.</p>
<table-wrap><label>Table 1</label><caption><p>Deaths</p></caption><table><tr><th>Arm</th>
<th>n</th></tr><tr><td>A</td><td>2</td></tr></table></table-wrap></sec></sec>
<sec><title>Math</title><p>x <inline-formula><alternatives><mml:math><mml:mi>y</mml:mi></mml:math>
<tex-math>\\\\frac</tex-math></alternatives></inline-formula> z</p></sec>
<sec><title>References</title><ref-list><ref><mixed-citation>Weber 2020</mixed-citation></ref></ref-list></sec></body>
<sub-article article-type="reviewer-report"><front-stub/><body><p>The reviewer objects.</p></body></sub-article>
<response response-type="reply"><front-stub/><body><p>We reply.</p></body></response></article>"""


def test_sections_without_reviews_replies_references_and_comments() -> None:
    article = read_jats(ARTICLE.encode())
    assert (article.pmcid, article.doi, article.title, article.kind) == (
        "PMC77", "10.1/abc", "On in vitro work", "research-article",
    )  # fmt: skip
    assert article.licence == "CC BY-NC 4.0"
    assert article.has_body
    assert article.left_out == ("reviewer-report", "reply")
    assert article.sections == (
        Section(("Background",), "Why.", "abstract"),
        Section((), "Opening."),
        Section(("Results",), "We saw 3 of 41."),
        Section(("Results", "Deaths"), "Two died.\n\nTable 1 Deaths\nArm | n\nA | 2"),
        Section(("Math",), "x y z"),
    )
    assert [part.name for part in article.sections] == [
        "Abstract / Background", "Text", "Results", "Results / Deaths", "Math",
    ]  # fmt: skip
    for word in ("reviewer objects", "We reply", "Weber 2020", "hidden", "frac", "Picture words"):
        assert word not in article.text


def test_an_article_without_body_is_no_full_text() -> None:
    article = read_jats(
        ARTICLE.split("<body>")[0].encode() + b"<body><!-- closed by the publisher --></body></article>"
    )
    assert (article.has_body, [part.kind for part in article.sections]) == (False, ["abstract"])


@pytest.mark.parametrize("body", [b"", b"<html><p>x</p></html>", b"<article>", b"<article/>", b"\x89PNG", b"{}"])
def test_what_is_no_article_is_refused(body: bytes) -> None:
    with pytest.raises(NotJats):
        read_jats(body)


def test_entities_are_not_resolved() -> None:
    body = ARTICLE.replace('PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving" "JATS.dtd"',
                           '[<!ENTITY x SYSTEM "file:///etc/passwd">]').replace("Opening.", "Opening. &x;")  # fmt: skip
    assert "root:" not in read_jats(body.encode()).text


EXPECTED = {
    "europepmc/fulltext_PMC12634591_correction.xml": ("PMC12634591", "correction", "CC BY 4.0", True, 1),
    "europepmc/fulltext_PMC12967033_oup_mathml.xml": ("PMC12967033", "research-article", "CC BY 4.0", True, 9),
    "europepmc/fulltext_PMC13239955_brief_report.xml": ("PMC13239955", "brief-report", "CC BY-NC-ND 4.0", True, 15),
    "europepmc/fulltext_PMC13244564_letter.xml": ("PMC13244564", "letter", "CC BY 4.0", True, 10),
    "europepmc/fulltext_PMC13249065_commentary.xml": ("PMC13249065", "article-commentary", "CC BY-NC-ND 4.0", True, 13),
    "europepmc/fulltext_PMC3258128_nar.xml": ("PMC3258128", "research-article", "CC BY-NC 3.0", True, 21),
    "europepmc/fulltext_bmj_jitc_commentary.xml": ("PMC12458764", "article-commentary", "CC BY-NC 4.0", True, 8),
    "europepmc/fulltext_frontiers_editorial.xml": ("PMC12535959", "editorial", "CC BY 4.0", True, 1),
    "europepmc/fulltext_portland_bst_review.xml": ("PMC12599256", "review-article", "CC BY 4.0", True, 9),
    "pmc/efetch_pmc_3040717_author_manuscript.xml": ("PMC3040717", "research-article", None, True, 16),
    "pmc/efetch_pmc_3299399_2024.xml": ("PMC3299399", "review-article", "CC BY-NC 3.0", True, 22),
    "pmc/efetch_pmc_6329583.xml": ("PMC6329583", "research-article", None, True, 15),
    "pmc/efetch_pmc_correction.xml": ("PMC8435807", "correction", "CC BY-NC 4.0", True, 1),
    "pmc/oa_package_bmc_oral_health.nxml": ("PMC2329613", "research-article", "CC BY 2.0", True, 18),
    "pmc/oa_package_ehp_public_domain.nxml": ("PMC2599765", "research-article", "public domain (mark)", True, 23),
    "pmc/oai_pmc_10300000_nature_scirep.xml": ("PMC10300000", "research-article", "CC BY 4.0", True, 11),
    "pmc/oai_pmc_10500000_correction.xml": ("PMC10500000", "correction", "CC BY-NC 4.0", True, 1),
    "pmc/oai_pmc_10653940_asm.xml": ("PMC10653940", "research-article", "CC BY 4.0", True, 23),
    "pmc/oai_pmc_10906259_peerj_mathml.xml": ("PMC10906259", "research-article", "CC BY 4.0", True, 6),
    "pmc/oai_pmc_4500000_jpts.xml": ("PMC4500000", "research-article", "CC BY-NC-ND 3.0", True, 5),
    "pmc/oai_pmc_5000000_scanned_no_body.xml": ("PMC5000000", "research-article", "CC BY-NC 4.0", False, 0),
    "pmc/oai_pmc_6500000_bmc_jitc.xml": ("PMC6500000", "research-article", "CC BY 4.0", True, 19),
    "pmc/oai_pmc_7500000_bmc_case_report.xml": ("PMC7500000", "case-report", "CC BY 4.0", True, 7),
}
"""Number, kind and licence as the files state them; whether there is a body; sections as the reader counts them."""
NO_ARTICLES = {
    "article_asset_proof_of_work_page.html", "aws_pmc_oa_list_PMC9984800.xml", "aws_pmc_oa_meta_PMC9984800.1.json",
    "ctxp_csl_pmc.json", "entrez2pmcciting_some.xml", "esearch_pmc_ecology_usehistory.xml",
    "idconv_new_shape_doi_not_in_pmc_2026.json", "idconv_old_404_idtype_mismatch_2022.json",
    "idconv_old_doi_two_versions_2022.json", "idconv_old_pmid_not_in_pmc_2016.json", "idconv_old_pmid_ok_2016.json",
    "oa_fcgi_not_open_access.xml", "oa_fcgi_open_license_none.xml", "pubtator3_biocjson_20516115.json",
}  # fmt: skip


@pytest.mark.shared
def test_every_recorded_full_text_is_read(shared: Path) -> None:
    for name, (pmcid, kind, licence, has_body, sections) in EXPECTED.items():
        article = read_jats((shared / "wire" / name).read_bytes())
        got = (article.pmcid, article.kind, article.has_body, len(article.sections))
        assert got == (pmcid, kind, has_body, sections), name
        if licence is not None:
            assert article.licence == licence, name
        else:
            assert article.licence.startswith("This file is available for text mining"), name


@pytest.mark.shared
def test_every_recorded_file_is_one_or_the_other(shared: Path) -> None:
    folder = shared / "wire/pmc"
    there = {file.name for file in folder.iterdir() if file.name != "INDEX.tsv"}
    known = {name.partition("/")[2] for name in EXPECTED if name.startswith("pmc/")}
    assert there == known | NO_ARTICLES
    for name in NO_ARTICLES:
        with pytest.raises(NotJats):
            read_jats((folder / name).read_bytes())
    texts = {f"europepmc/{file.name}" for file in (shared / "wire/europepmc").glob("fulltext_*")}
    assert texts == {name for name in EXPECTED if name.startswith("europepmc/")}


@pytest.mark.shared
def test_no_review_or_reference_list_gets_into_a_recorded_text(shared: Path) -> None:
    article = read_jats((shared / "wire/pmc/oai_pmc_10653940_asm.xml").read_bytes())
    headings = [part.heading[0] for part in article.sections if part.heading]
    assert not any("REFERENCE" in heading.upper() for heading in headings)
    assert {"INTRODUCTION", "RESULTS"} <= set(headings)
