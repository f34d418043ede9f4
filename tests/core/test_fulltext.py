"""Full texts, pure rules: is it a PDF, is it the paper, what page came instead, what follows, what to read first."""

from __future__ import annotations

import pytest

from litapp.core.fulltext import SENTENCES, Outcome
from litapp.core.fulltext_html import looks_like_a_page, read_page
from litapp.core.fulltext_matching import Wanted, match_file
from litapp.core.fulltext_pdf import bytes_problem, is_the_paper, read_pdf
from litapp.core.fulltext_proposals import Paper, propose
from litapp.core.fulltext_reasons import REASONS, author_message, conclude, library_request
from litapp.core.records import Identifier, Person, Record, Scheme
from litapp.sandbox.pdf_files import damaged_pdf, locked_pdf, pdf_of

TITLE = "Dexamethasone in hospitalised patients with severe pneumonia: a randomised trial"
DOI = "10.1000/dexa.2020.17"
GOOD = (
    "Journal of Trials 2020", "Dexamethasone in hospitalised patients with severe pneu-", "monia: a randomised trial",
    "Anna Weber, Carl Lindqvist", "Background. We studied the drug in 2,104 patients who were treated in hospital.",
    "Methods. Patients were assigned at random to usual care with or without the drug for ten days.",
)  # fmt: skip


def pages(*lines: str) -> tuple[str, ...]:
    return ("\n".join(lines),)


def test_every_outcome_has_its_sentence() -> None:
    assert set(SENTENCES) == set(Outcome)


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("application/pdf", pdf_of(list(GOOD)), None),
        ("application/pdf;charset=binary", pdf_of(list(GOOD)), None),
        ("application/octet-stream", b"\r\n" + pdf_of(list(GOOD)), None),
        ("", pdf_of(list(GOOD)), None),
        ("text/plain", pdf_of(list(GOOD)), Outcome.WRONG_TYPE),
        ("application/pdf", pdf_of(list(GOOD), smallest=0), Outcome.TOO_SMALL),
        ("application/pdf", b"x" * 20_000, Outcome.NOT_A_PDF),
        ("application/msword", b"x" * 20_000, Outcome.WRONG_TYPE),
        ("application/pdf", b"<!DOCTYPE html><p>Log in" + b" " * 20_000, Outcome.WEB_PAGE),
        ("application/pdf", b"", Outcome.NOT_A_PDF),
    ],
)
def test_bytes_that_may_be_a_pdf(kind: str, body: bytes, expected: Outcome | None) -> None:
    assert bytes_problem(kind, body) == expected


def test_size_limit_is_ten_kilobytes_exactly() -> None:
    assert bytes_problem("application/pdf", b"%PDF-1.4\n" + b"0" * (10 * 1024 - 9)) is None
    assert bytes_problem("application/pdf", b"%PDF-1.4\n" + b"0" * (10 * 1024 - 10)) is Outcome.TOO_SMALL


def test_a_pdf_is_opened_and_its_first_pages_read() -> None:
    read = read_pdf(pdf_of([f"Line {n}" for n in range(300)]))
    assert (read.problem, read.whole, len(read.texts)) == (None, True, 3)
    assert read.pages >= 6
    assert read.texts[0].splitlines()[0] == "Line 0"
    assert len(read_pdf(pdf_of([f"Line {n}" for n in range(300)]), most_pages=None).texts) == read.pages


@pytest.mark.parametrize(
    ("body", "problem"),
    [(damaged_pdf(), Outcome.DAMAGED), (locked_pdf(list(GOOD)), Outcome.LOCKED), (b"%PDF-1.7", Outcome.DAMAGED)],
)
def test_a_pdf_that_does_not_open(body: bytes, problem: Outcome) -> None:
    read = read_pdf(body)
    assert (read.problem, read.pages, read.texts) == (problem, 0, ())


def test_a_pdf_without_its_end_is_seen() -> None:
    read = read_pdf(pdf_of(list(GOOD)) + b"9 0 obj" + b"q\n" * 3000)
    assert (read.problem, read.whole) == (None, False)
    assert read_pdf(pdf_of(list(GOOD))[:-3000]).problem is Outcome.DAMAGED


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (pages(*GOOD), Outcome.ACCEPTED),
        (pages("doi: https://doi.org/10.1000/dexa.2020.17", "Ein anderer Titel", *GOOD[3:]), Outcome.ACCEPTED),
        (pages("doi: https://doi.org/10.1000/DEXA.\n2020.17", "Another title", *GOOD[3:]), Outcome.ACCEPTED),
        (pages("doi:10.1000/letter.5", "A letter that cites 10.1000/dexa.2020.17", *GOOD[3:]), Outcome.NEARLY),
        (pages("Correction to:", *GOOD[1:]), Outcome.ABOUT_IT),
        (pages("Reply to “" + TITLE + "”", *GOOD[3:]), Outcome.ABOUT_IT),
        (pages("Hospitalised patients, severe pneumonia and dexamethasone: the randomised RECOVERY-2 trial", *GOOD[3:]),
         Outcome.NEARLY),
        (pages("Potatoes in northern climates", *GOOD[3:]), Outcome.OTHER_PAPER),
        (("", "", ""), Outcome.SCANNED),
        (("12 34 56 78", " "), Outcome.SCANNED),
    ],
)  # fmt: skip
def test_whether_it_is_the_paper(texts: tuple[str, ...], expected: Outcome) -> None:
    assert is_the_paper(texts, title=TITLE, doi=DOI) == expected


def test_title_on_the_fourth_page_does_not_count() -> None:
    filler = "Proceedings of a meeting on potatoes. " * 10
    assert is_the_paper((filler, filler, filler, "\n".join(GOOD)), title=TITLE, doi=DOI) is Outcome.OTHER_PAPER
    assert is_the_paper((filler, filler, "\n".join(GOOD)), title=TITLE, doi=DOI) is Outcome.ACCEPTED


def test_a_cut_file_with_the_right_title_is_asked_about() -> None:
    assert is_the_paper(pages(*GOOD), title=TITLE, doi=DOI, whole=False) is Outcome.CUT_OFF


def test_a_short_title_proves_nothing_by_itself() -> None:
    text = pages("Editorial", "Anna Weber", "Potatoes " * 30)
    assert is_the_paper(text, title="Editorial", doi=DOI) is Outcome.NEARLY
    assert is_the_paper((f"Editorial doi {DOI} " + text[0],), title="Editorial", doi=DOI) is Outcome.ACCEPTED


def test_a_retracted_mark_in_the_record_does_not_hide_the_paper() -> None:
    assert is_the_paper(pages(*GOOD), title=f"RETRACTED: {TITLE}", doi="") is Outcome.ACCEPTED


PAGE = "<html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        (PAGE.format(title="Sign in", head="", body=""), Outcome.LOGIN),
        (PAGE.format(title="x", head="", body="<form><input name=p type=password></form>"), Outcome.LOGIN),
        (PAGE.format(title="Choose", head="", body="OpenAthens / Shibboleth"), Outcome.LOGIN),
        (PAGE.format(title="Just a moment...", head="", body=""), Outcome.CAPTCHA),
        (PAGE.format(title="x", head="", body="<div class=g-recaptcha></div>"), Outcome.CAPTCHA),
        (PAGE.format(title="x", head="", body="Verifying you are human"), Outcome.CAPTCHA),
        (PAGE.format(title="Preparing to download ...", head="", body=""), Outcome.PROOF_OF_WORK),
        (PAGE.format(title="Making sure you're not a bot!", head="", body=""), Outcome.PROOF_OF_WORK),
        (PAGE.format(title="x", head="", body="Purchase PDF for 40 EUR"), Outcome.PAYWALL),
        (PAGE.format(title="x", head="", body="A list of journals"), Outcome.WEB_PAGE),
        ("<html", Outcome.WEB_PAGE),
    ],
)
def test_pages_are_named(page: str, kind: Outcome) -> None:
    assert looks_like_a_page(page.encode())
    assert read_page(page.encode(), address="https://host.test/a").kind is kind


def test_an_articles_page_with_a_log_in_box_and_recaptcha_is_still_an_articles_page() -> None:
    page = PAGE.format(
        title="T",
        head='<meta name="citation_title" content="T"><meta name="citation_pdf_url" content="/b/c.pdf">'
        '<meta name="citation_doi" content="DOI:10.1/X">',
        body="<input type=password><div class=g-recaptcha></div>",
    )
    read = read_page(page.encode(), address="https://host.test/a/index.html")
    assert (read.kind, read.pdf_url, read.doi) == (Outcome.WEB_PAGE, "https://host.test/b/c.pdf", "10.1/x")


def test_only_web_addresses_are_taken_from_a_page() -> None:
    for address in ("javascript:alert(1)", "file:///etc/passwd", "ftp://host.test/a.pdf", "http://[bad"):
        page = PAGE.format(title="", head=f'<meta name="citation_pdf_url" content="{address}">', body="")
        assert read_page(page.encode(), address="https://host.test/").pdf_url == ""
    page = PAGE.format(title="", head='<meta http-equiv="Refresh" content="2; url=\'/next\'">', body="")
    assert read_page(page.encode(), address="https://host.test/a").refresh_url == "https://host.test/next"


@pytest.mark.shared
def test_pmcs_recorded_proof_of_work_page_is_named(shared: object) -> None:
    body = (shared / "wire/pmc/article_asset_proof_of_work_page.html").read_bytes()  # type: ignore[operator]
    assert looks_like_a_page(body)
    assert read_page(body, address="https://pmc.ncbi.nlm.nih.gov/").kind is Outcome.PROOF_OF_WORK


WANTED = [
    Wanted(1, TITLE, DOI, "Weber_2020_Dexamethasone"),
    Wanted(2, "Tocilizumab in children with arthritis: a cohort study", "10.1000/toci.3", "Lim_2021_Tocilizumab"),
]


def test_files_are_matched_by_title_or_doi() -> None:
    match = match_file(pages(*GOOD), WANTED, name="download (3).pdf")
    assert (match.key, match.outcome) == (1, Outcome.ACCEPTED)
    match = match_file(pages("10.1000/toci.3", "Ein deutscher Titel " * 10), WANTED)
    assert (match.key, match.outcome) == (2, Outcome.ACCEPTED)


def test_doubtful_files_are_asked_about_and_never_decided_by_their_name() -> None:
    match = match_file(("", ""), WANTED, name="folder/Lim_2021_Tocilizumab.pdf")
    assert (match.key, match.outcome, match.suggested) == (2, Outcome.SCANNED, (2,))
    match = match_file(("", ""), WANTED, name="scan.pdf")
    assert (match.key, match.outcome, match.suggested) == (None, Outcome.SCANNED, ())
    both = match_file(pages(*GOOD, WANTED[1].title), WANTED)
    assert (both.key, both.outcome, both.suggested) == (None, Outcome.NEARLY, (1, 2))
    other = match_file(pages("Potatoes in the north. " * 20), WANTED, name="Weber_2020_Dexamethasone.pdf")
    assert (other.key, other.outcome, other.suggested) == (None, Outcome.OTHER_PAPER, (1,))


def test_what_follows_from_what_the_places_said() -> None:
    a, b = "Unpaywall", "The publisher's page"
    assert conclude([(a, Outcome.NOTHING), (b, Outcome.PAYWALL)]).reason == "paywall"
    assert conclude([(a, Outcome.NOTHING), (b, Outcome.LOGIN)]).because == f"{b} has it for subscribers only."
    assert conclude([(a, Outcome.NOTHING), (b, Outcome.ABSENT)]).reason == "no_copy"
    assert conclude([(a, Outcome.NOTHING)], withdrawn=True).reason == "withdrawn"
    for silent in (Outcome.BUSY, Outcome.NO_ANSWER, Outcome.NOT_ASKED):
        ending = conclude([(a, silent), (b, Outcome.PAYWALL)])
        assert (ending.reason, ending.because) == ("", f"{a} could not be asked. Search again later.")
    for closed in (Outcome.CAPTCHA, Outcome.PROOF_OF_WORK, Outcome.REFUSED, Outcome.NOT_TRIED):
        assert conclude([(a, Outcome.NOTHING), (b, closed)]).reason == ""
    assert conclude([(b, Outcome.SCANNED), (b, Outcome.PAYWALL)]).reason == ""
    assert conclude([]).reason == ""
    off = conclude([(a, Outcome.SWITCHED_OFF), (b, Outcome.ABSENT)])
    assert (off.reason, off.because) == (
        "no_copy", "One place was asked; it has no open copy. Not asked here: Unpaywall."
    )  # fmt: skip
    assert set(REASONS) == {"paywall", "no_copy", "language", "withdrawn"}


RECORD = Record(
    source="pubmed", source_id="1", title=TITLE + ".", authors=(Person("Weber", "Anna B"), Person("Lim", "W")),
    journal="Journal of Trials", volume="3", issue="2", pages="11-19",
    identifiers=(Identifier(Scheme.DOI, DOI), Identifier(Scheme.PMID, "123")),
)  # fmt: skip


def test_the_two_letters_state_what_the_record_states() -> None:
    line = f"Weber Anna B, Lim W. {TITLE}. Journal of Trials;3(2):11-19. DOI: {DOI}. PMID: 123."
    assert line in library_request(RECORD)
    letter = author_message(RECORD, asked_by="Ada Owner")
    assert letter.startswith("Dear Anna B Weber,")
    assert line in letter
    assert letter.endswith("With kind regards\n\nAda Owner")
    nobody = Record(source="x", source_id="1", title="A")
    assert author_message(nobody).startswith("Dear author,")
    assert "A." in library_request(nobody)


def paper(key: int, conclusion: str, *, types: tuple[str, ...] = (), background: str = "", fit: int = 2) -> Paper:
    return Paper(key, f"Paper {key}", types, (("METHODS", background), ("CONCLUSIONS", conclusion)), fit)


SAYS_YES = "The drug significantly reduced mortality (RR 0.8, n = 200)."
SAYS_NO = "There was no significant difference in mortality (RR 1.0, n = 300)."


def test_the_paper_that_contradicts_the_others_is_proposed_with_its_reason() -> None:
    found = propose([*(paper(n, SAYS_YES) for n in range(1, 8)), paper(8, SAYS_NO)])
    assert found[0].key == 8
    assert found[0].reasons[0] == "It reports no effect, and 7 of the other papers say otherwise."
    assert 5 <= len(found) <= 10


def test_reviews_with_subgroups_and_unclear_abstracts_are_proposed() -> None:
    review = paper(1, SAYS_YES, types=("Meta-Analysis",), background="Subgroups by age were planned.")
    unclear = paper(2, "Outcomes were better.", background="A randomised trial in one hospital.")
    found = {one.key: one.reasons for one in propose([review, unclear])}
    assert "A review with subgroups." in found[1]
    assert found[2] == (
        "The abstract does not say how many took part.", "The abstract gives no figure for the effect."
    )  # fmt: skip


def test_five_to_ten_are_proposed_and_no_retracted_one() -> None:
    assert propose([]) == []
    assert len(propose([paper(n, "Nothing of note.") for n in range(3)])) == 3
    assert len(propose([paper(n, "Nothing of note.") for n in range(50)])) == 5
    many = [paper(n, SAYS_YES if n % 2 else SAYS_NO) for n in range(50)]
    assert len(propose(many)) == 10
    gone = Paper(1, "T", (), (("", SAYS_NO),), 3, retracted=True)
    assert [one.key for one in propose([gone, paper(2, SAYS_YES)])] == [2]
