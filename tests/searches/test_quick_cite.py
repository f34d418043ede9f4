"""Quick cite: what a sentence says, what is asked where, what is offered, and what becomes of it."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from litapp.core.patient_details import patient_details
from litapp.core.ports import Outcome
from litapp.core.records import Identifier, Scheme
from litapp.jobs.models import StepState
from litapp.projects.models import Event, Membership, Project, Role
from litapp.providers.base import SourceError
from litapp.providers.questions import Passage
from searches.imported import identified_by_imports
from searches.models import Candidate, FoundPaper, PaperSearch, RecordImport
from searches.services.mode_searches import SearchProblem
from searches.services.mode_taking import NOT_OFFERED, QUICK_CITE, papers_take
from searches.services.quick_cite import offers_of, quick_cite_begin, silent_sources
from searches.services.quick_cite_bib import bib_entries
from searches.services.quick_cite_reading import read_sentence
from tests.searches.modes_world import abstract, checks, know, library, study, work

__all__ = ["checks", "library"]
pytestmark = pytest.mark.django_db(transaction=True)
SENTENCE = "that 2023 paper by Smith on deep learning in chest X-ray"


@pytest.fixture
def person() -> User:
    return User.objects.create_user("ada", "ada@example.org", "a long pass phrase", first_name="Ada")


@pytest.fixture
def project(person: User) -> Project:
    project = Project.objects.create(name="Reading", created_by=person)
    Membership.objects.create(project=project, user=person, role=Role.OWNER)
    return project


def cite(project: Project, text: str = SENTENCE) -> PaperSearch:
    return work(quick_cite_begin(project=project, actor=project.created_by, request_id=uuid4(), text=text))


@pytest.mark.parametrize(
    ("text", "authors", "years", "journal", "topic"),
    [
        ("that 2023 paper by Smith on AI in chest X-ray", ("Smith",), (2023, 2023), "", ("AI", "chest", "X-ray")),
        ("Smith et al 2021 trial of dexamethasone", ("Smith",), (2021, 2021), "", ("trial", "dexamethasone")),
        ("Smith's 2020 study of telemedicine", ("Smith",), (2020, 2020), "", ("telemedicine",)),
        ("van der Berg and Miller 2019 about sepsis", ("van der Berg", "Miller"), (2019, 2019), "", ("sepsis",)),
        ("vaccination in pregnancy 2015-2018 by Jane Doe", ("Doe",), (2015, 2018), "", ("vaccination", "pregnancy")),
        ("Horby 2021 dexamethasone NEJM", ("Horby",), (2021, 2021), "N Engl J Med", ("dexamethasone",)),
        ("the Lancet paper on remdesivir in China", (), (None, None), "Lancet", ("remdesivir", "China")),
        ("telemedicine for heart failure", (), (None, None), "", ("telemedicine", "heart", "failure")),
    ],
)
def test_what_a_sentence_says(
    text: str, authors: tuple[str, ...], years: tuple[int | None, int | None], journal: str, topic: tuple[str, ...]
) -> None:
    read = read_sentence(text)
    assert (read.authors, (read.year_from, read.year_to), read.journal, read.topic) == (authors, years, journal, topic)


def test_a_whole_citation_is_asked_for_by_its_title_and_an_identifier_by_itself() -> None:
    cited = read_sentence("Smith A, Okafor B. Deep learning for reading of films. J Read. 2023;1(2):3-4.")
    assert cited.title == "Deep learning for reading of films"
    assert read_sentence("it was PMID 123456").identifiers == (Identifier(Scheme.PMID, "123456"),)


def test_at_most_three_verified_papers_each_with_the_passage_word_for_word(
    project: Project, library: Any, checks: Any
) -> None:
    papers = [
        study(n, abstract=abstract("Nothing here.", f"Deep learning read chest X-ray films {n}.")) for n in range(1, 6)
    ]
    library["pubmed"].found[""] = papers
    library["crossref"].found[""] = [study(2, "crossref")]
    know(checks, *papers)
    search = cite(project)
    assert search.state == StepState.DONE
    offers, against = offers_of(search)
    assert [one.record.title for one in offers] == [papers[n - 1].title for n in (2, 1, 3)]
    assert {one.paper.verification.status for one in offers} == {"verified"}
    assert against == []
    assert offers[0].paper.passage == {
        "text": "Deep learning read chest X-ray films 2.",
        "source": "pubmed",
        "section": "Abstract, Results",
        "answer": library["pubmed"].answer_id,
    }
    assert offers[0].paper.records.count() == 2
    assert not Candidate.objects.exists(), "nothing is a candidate before a person takes it"


def test_a_passage_of_the_full_text_counts_only_within_its_paper(project: Project, library: Any, checks: Any) -> None:
    own = (*study(1).identifiers, Identifier(Scheme.S2, "CorpusId:1"))
    library["semanticscholar"].found[""] = [study(1, "semanticscholar", identifiers=own)]
    said = "We used deep learning on every chest X-ray of 2023."
    library["semanticscholar"].said = [
        Passage("deep learning chest X-ray", identifiers=(Identifier(Scheme.S2, "CorpusId:9"),), answer_id=1),
        Passage(said, section="methods", identifiers=(Identifier(Scheme.S2, "CorpusId:1"),), answer_id=7),
    ]
    know(checks, study(1))
    [offer], _ = offers_of(cite(project))
    assert offer.paper.passage == {"text": said, "source": "semanticscholar", "section": "Methods", "answer": 7}


def test_a_record_without_a_live_identifier_or_off_the_topic_is_never_offered(project: Project, library: Any) -> None:
    library["openalex"].found[""] = [
        study(1, "openalex", identifiers=()),
        study(2, "openalex", title="Knee surgery in athletes"),
    ]
    search = cite(project)
    assert (offers_of(search), FoundPaper.objects.count()) == (([], []), 0)


def test_a_paper_whose_check_speaks_against_it_is_told_but_not_offered_and_cannot_be_added(
    project: Project, library: Any, checks: Any
) -> None:
    library["openalex"].found[""] = [study(1, "openalex")]
    know(checks, study(1, title="Something else entirely about kidneys", authors=()))
    search = cite(project)
    offers, against = offers_of(search)
    assert (offers, [one.record.title for one in against]) == ([], [study(1).title])
    [paper] = search.papers.all()
    taken = papers_take(search=search, actor=project.created_by, request_id=uuid4(), paper_ids=[paper.pk], include=True)
    assert (taken.candidates, taken.left_out) == ((), {paper.pk: NOT_OFFERED})


def test_a_silent_source_is_named_and_never_counted_as_nothing(project: Project, library: Any) -> None:
    library["pubmed"].error = SourceError("pubmed", Outcome.RATE_LIMITED, "PubMed is busy.", hint="Try later.")
    library["europepmc"].usable = False
    search = cite(project)
    assert silent_sources(search) == ["PubMed", "Europe PMC"]
    told = {(one["source"], one["outcome"], one["message"]) for one in search.asked}
    assert ("pubmed", "failed", "PubMed is busy.") in told
    assert ("europepmc", "not_asked", "europepmc is switched off here.") in told
    assert ("crossref", "nothing", "") in told


def test_when_the_narrow_questions_find_little_wider_ones_follow(project: Project, library: Any, checks: Any) -> None:
    library["pubmed"].found["2021:2025"] = [study(4)]
    know(checks, study(4))
    search = cite(project)
    assert [one.record.title for one in offers_of(search)[0]] == [study(4).title]
    assert library["pubmed"].asked == [
        'deep AND learning AND chest AND "X-ray" AND Smith[au] 2023:2023',
        "learning AND chest AND Smith[au] 2021:2025",
        'deep AND learning AND chest AND "X-ray" 2021:2025',
    ]


def test_adding_includes_it_as_a_candidate_of_other_methods_and_twice_changes_nothing(
    project: Project, library: Any, checks: Any
) -> None:
    library["pubmed"].found[""] = [study(1)]
    know(checks, study(1))
    search = cite(project)
    [paper] = search.papers.all()
    for number in (request := uuid4(), request, uuid4()):
        papers_take(search=search, actor=project.created_by, request_id=number, paper_ids=[paper.pk], include=True)
    [candidate] = Candidate.objects.all()
    assert (candidate.title, candidate.decision, candidate.decided_by) == (
        study(1).title,
        "include",
        project.created_by,
    )
    [brought] = RecordImport.objects.all()
    assert (brought.database, brought.platform, brought.query) == (QUICK_CITE, "LitLedger", SENTENCE)
    assert brought.entries.get().source_record_id == paper.main_record_id
    assert identified_by_imports(project) == ({QUICK_CITE: 1}, {"pubmed": 1})
    verbs = list(Event.objects.filter(project=project).values_list("verb", flat=True))
    assert verbs.count("paper_search.taken") == 1
    paper.refresh_from_db()
    assert paper.candidate == candidate
    assert candidate.reference.key in bib_entries(search, [paper])[paper.pk]


def test_the_bib_entry_is_the_exporters_with_its_marks(project: Project, library: Any, checks: Any) -> None:
    record = study(1, title="Deep learning & chest X-ray: 50 % better_than radiologists")
    library["pubmed"].found[""] = [record, study(2)]
    know(checks, record)
    search = cite(project)
    verified, silent = search.papers.order_by("place")
    texts = bib_entries(search, [verified, silent])
    assert r"{\&}" in texts[verified.pk] or r"\&" in texts[verified.pk]
    assert r"50 \%" in texts[verified.pk]
    assert "doi = {10.1000/reading.1}" in texts[verified.pk]
    assert "UNVERIFIED" not in texts[verified.pk]
    assert "UNVERIFIED" in texts[silent.pk]


@pytest.mark.parametrize(
    ("text", "said"),
    [("  ", "Write what you remember"), ("the a of", "Nothing in this sentence"), ("x" * 2001, "longer than 2,000")],
)
def test_what_cannot_be_asked_for_is_refused_with_the_next_step(project: Project, text: str, said: str) -> None:
    with pytest.raises(SearchProblem, match=said):
        quick_cite_begin(project=project, actor=project.created_by, request_id=uuid4(), text=text)
    assert not PaperSearch.objects.exists()


def test_a_double_click_searches_once(project: Project, library: Any) -> None:
    number = uuid4()
    one, two = (
        quick_cite_begin(project=project, actor=project.created_by, request_id=number, text=SENTENCE) for _ in "ab"
    )
    assert one == two
    work(one)
    asked = len(library["pubmed"].asked)
    work(two)
    assert len(library["pubmed"].asked) == asked


def test_a_deleted_project_ends_the_search_quietly(project: Project, library: Any) -> None:
    search = quick_cite_begin(project=project, actor=project.created_by, request_id=uuid4(), text=SENTENCE)
    project.deleted_at = project.created_at
    project.save()
    assert work(search).state == StepState.CANCELLED
    assert library["pubmed"].asked == []


def test_from_the_start_page_to_the_reference_list(project: Project, library: Any, checks: Any) -> None:
    library["pubmed"].found[""] = [study(1, abstract=abstract("Deep learning read chest X-ray films."))]
    know(checks, study(1))
    client = Client()
    client.force_login(project.created_by)
    assert b'action="/quick-cite/"' in client.get(reverse("start")).content
    sent = client.post(reverse("quick_cite_start"), {"project": project.pk, "text": SENTENCE})
    box = reverse("searches:quick_cite_new", args=[project.pk])
    assert (sent.status_code, sent["Location"]) == (307, box)  # the browser posts the same form there
    sent = client.post(box, {"project": project.pk, "text": SENTENCE})
    search = PaperSearch.objects.get()
    page = reverse("searches:quick_cite", args=[project.pk, search.pk])
    assert (sent.status_code, sent["Location"]) == (303, page)
    assert b'hx-trigger="every 1s"' in client.get(page).content
    work(search)
    shown = client.get(page).content.decode()
    assert "Deep learning read chest X-ray films." in shown
    assert "hx-trigger" not in shown.split('id="found"')[1].split(">")[0]
    [paper] = search.papers.all()
    add = reverse("searches:quick_cite_add", args=[project.pk, search.pk, paper.pk])
    client.post(add, {"request_id": str(uuid4())})
    after = client.get(page).content.decode()
    assert Candidate.objects.get().reference.key in after
    assert "In the project" in after


def test_a_refused_sentence_stays_in_the_box(project: Project) -> None:
    client = Client()
    client.force_login(project.created_by)
    refused = client.post(reverse("searches:quick_cite_new", args=[project.pk]), {"text": "of the"})
    assert refused.status_code == 422
    assert 'value="of the"' in refused.content.decode()


def test_details_of_a_patient_are_asked_about_before_anything_is_kept_or_sent(project: Project, library: Any) -> None:
    client = Client()
    client.force_login(project.created_by)
    box = reverse("searches:quick_cite_new", args=[project.pk])
    text = "that paper on stroke for Mrs Miller, born 12.03.1954"
    asked = client.post(box, {"text": text})
    shown = asked.content.decode()
    assert asked.status_code == 422
    assert "“Mrs Miller” (a person&#x27;s name)" in shown
    assert "“born 12.03.1954” (a date of birth or of a visit)" in shown
    assert text in shown
    assert (PaperSearch.objects.count(), library["pubmed"].asked) == (0, [])
    assert client.post(box, {"text": text, "details": "meant"}).status_code == 303
    assert PaperSearch.objects.get().title == text


@pytest.mark.parametrize(
    "text",
    [
        "Thomas Smith 2021 on AI in chest X-ray, published 12 March 2021",
        "33651292",
        "PMID 33651292",
        "10.1016/S0140-6736(20)30183-5",
        "the 2020-06-05 retraction of Mandeep Mehra's hydroxychloroquine paper",
    ],
)
def test_a_citation_raises_no_suspicion(text: str) -> None:
    assert patient_details(text, citation=True) == ()
