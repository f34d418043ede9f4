"""Prioritised screening in a project: trained in the background, blind per screener, sample and certificate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.http import QueryDict

from litapp.core.ranking.control import is_control
from litapp.core.ranking.model import MODEL
from litapp.core.records import record_from_dict, record_to_dict
from litapp.jobs.models import StepState
from litapp.projects.models import Event, Membership, Project, Role
from searches.blinding import viewer_of
from searches.models import Candidate, RankedRecord, Ranking, RankingOrder, StoppingSample, Vote
from searches.ranked import ranked
from searches.services import ranking_work
from searches.services.ranking import labels_of, ranking_start, ranking_stop
from searches.services.ranking_places import GENERATION
from searches.services.ranking_stopping import (
    SampleRefused,
    certificate_accept,
    control_estimate,
    progress_of,
    sample_close,
    sample_draw,
    size_needed,
)
from searches.services.ranking_work import RankingWork
from searches.services.screening import decide, decide_many, undo
from searches.services.stages import Settings, stage_set
from searches.views.screening_queue import RELEVANT, read_queue

pytestmark = pytest.mark.django_db
ABOUT = ("Dexamethasone lowers mortality in severe disease", "Surgery of the knee in athletes")


@pytest.fixture(autouse=True)
def data_folder(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def team(project: Project, person: User, colleague: User) -> dict[str, User]:
    for user, role in ((person, Role.OWNER), (colleague, Role.SCREENER)):
        Membership.objects.create(project=project, user=user, role=role)
    return {"ada": person, "bob": colleague}


@pytest.fixture
def papers(candidates: Callable[..., list[Candidate]]) -> list[Candidate]:
    """Forty records: even ones on dexamethasone, odd ones on knees."""
    rows = candidates(40)
    for number, row in enumerate(rows):
        record = record_to_dict(record_from_dict(row.record)) | {"title": f"{ABOUT[number % 2]}, part {number}"}
        row.record, row.title, row.search_text = record, record["title"], record["title"].lower()
    Candidate.objects.bulk_update(rows, ["record", "title", "search_text"])
    return rows


@pytest.fixture
def ranking(project: Project, team: dict[str, User], approved: Callable[..., Any]) -> Ranking:
    """Switched on, with a plan that asks for dexamethasone, and no control stream."""
    approved("pubmed")
    return ranking_start(project=project, actor=team["ada"], control_share=0.0)


def work() -> list[str]:
    keys = list(RankingWork().due())
    for key in keys:
        RankingWork().run(key)
    return keys


def say(project: Project, actor: User, candidate: Candidate, decision: str) -> None:
    own = Vote.objects.filter(candidate=candidate, stage="title", reviewer=actor).first()
    version = Candidate.objects.get(pk=candidate.pk).version + (own.version if own else 0)
    decide(
        project=project, candidate_id=candidate.pk, actor=actor, decision=decision, version=version, request_id=uuid4()
    )


def queue_of(project: Project, person: User, query: str = "") -> list[int]:
    viewer = viewer_of(Membership.objects.get(project=project, user=person))
    queue = read_queue(QueryDict(query), viewer)
    return list(queue.rows(Candidate.objects.listed(project)).values_list("pk", flat=True))


def test_switched_on_it_is_frozen_and_the_log_tells_with_what(project, team, ranking):
    event = Event.objects.get(project=project, verb="ranking.started")
    assert (ranking.settings["model"], ranking.in_use, ranking.control_share) == (MODEL, True, 0.0)
    assert ranking.question == ["Does dexamethasone lower mortality?", "dexamethasone", "mortality"]
    assert event.payload == {
        "seed": ranking.seed, "settings": ranking.settings, "question": ranking.question, "control_share": 0.0,
    }  # fmt: skip
    ranking_stop(project=project, actor=team["ada"])
    again = ranking_start(project=project, actor=team["bob"], control_share=0.1)
    assert (again.pk, again.seed, again.control_share, again.started_by) == (ranking.pk, ranking.seed, 0.0, team["ada"])


def test_a_share_that_is_not_offered_is_refused(project, person):
    with pytest.raises(ValueError, match="offered"):
        ranking_start(project=project, actor=person, control_share=0.4)


def test_before_the_first_label_the_question_orders_the_queue(project, team, ranking, papers):
    assert work() == [f"{ranking.pk}:0"]
    assert set(queue_of(project, team["ada"])[:20]) == {row.pk for row in papers[::2]}
    assert queue_of(project, team["ada"], "order=found") == [row.pk for row in papers]
    viewer = viewer_of(Membership.objects.get(project=project, user=team["ada"]))
    first = ranked(papers[0], read_queue(QueryDict(""), viewer).ranking)
    assert set(first.raised_by) >= {"dexamethasone", "mortality"}
    assert not first.learned


def test_labels_teach_and_the_next_record_follows_them(project, team, ranking, papers):
    work()
    for decision, some in (("include", papers[1:8:2]), ("exclude", papers[0:8:2])):
        ids = [paper.pk for paper in some]
        decide_many(project=project, actor=team["ada"], candidate_ids=ids, decision=decision, request_id=uuid4())
    assert work() == [f"{ranking.pk}:0"]
    assert set(queue_of(project, team["ada"])[:16]) == {row.pk for row in papers[9::2]}
    order = RankingOrder.objects.get(ranking=ranking)
    assert (order.state, order.trainings, order.relevant, order.irrelevant, order.records) == (
        StepState.DONE,
        2,
        4,
        4,
        40,
    )
    queue = read_queue(QueryDict(""), viewer_of(Membership.objects.get(project=project, user=team["ada"])))
    following = queue.following(Candidate.objects.listed(project), papers[0])
    assert following.first().pk in {row.pk for row in papers[9::2]}
    assert following.count() == 32


def test_records_that_came_since_the_training_follow_behind_the_ranked_ones(project, team, ranking, papers, candidates):
    work()
    late = candidates(2)
    ranked_ones = queue_of(project, team["ada"])
    assert len(ranked_ones) == 40
    queue = read_queue(QueryDict(""), viewer_of(Membership.objects.get(project=project, user=team["ada"])))
    rows = Candidate.objects.listed(project)
    last = Candidate.objects.get(pk=ranked_ones[-1])
    assert list(queue.following(rows, last)) == late
    assert list(queue.following(rows, late[0])) == late[1:]
    assert list(queue.preceding(rows, late[1])) == late[:1]
    assert queue.preceding(rows, late[0]).first() == last
    assert [row.pk for row in queue.preceding(rows, last)] == ranked_ones[-2::-1]
    decide_many(project=project, actor=team["ada"], candidate_ids=ranked_ones, decision="maybe", request_id=uuid4())
    assert queue_of(project, team["ada"]) == [row.pk for row in late]


def test_it_is_up_to_date_until_something_is_decided(project, team, ranking, papers):
    work()
    assert work() == []
    say(project, team["ada"], papers[0], "include")
    assert work() == [f"{ranking.pk}:0"]
    undo(project=project, actor=team["ada"])
    assert work() == [f"{ranking.pk}:0"]
    assert RankingOrder.objects.get().labels == 0


def test_a_later_training_stands_in_front_of_all_earlier_ones(project, team, ranking, papers):
    work()
    say(project, team["ada"], papers[0], "include")
    work()
    places = dict(RankedRecord.objects.values_list("candidate", "place"))
    assert places[papers[0].pk] > -2 * GENERATION + 40
    assert sorted(places[row.pk] for row in papers[1:]) == [-2 * GENERATION + n for n in range(1, 40)]


def test_blind_each_is_ranked_by_their_own_labels_alone(project, team, ranking, papers):
    stage_set(project=project, actor=team["ada"], stage="title", wanted=Settings(screeners=2, blind=True))
    for paper in papers[1:8:2]:
        say(project, team["bob"], paper, "include")
    for paper in papers[0:8:2]:
        say(project, team["bob"], paper, "exclude")
    assert work() == [f"{ranking.pk}:{team['ada'].pk}", f"{ranking.pk}:{team['bob'].pk}"]
    assert labels_of(project, team["ada"].pk) == {}
    assert set(queue_of(project, team["ada"])[:20]) == {row.pk for row in papers[::2]}
    assert set(queue_of(project, team["bob"])[:16]) == {row.pk for row in papers[9::2]}
    orders = {order.person_id: order.labels for order in RankingOrder.objects.all()}
    assert orders == {team["ada"].pk: 0, team["bob"].pk: 8}


def test_switched_off_the_queue_has_its_other_orders(project, team, ranking, papers):
    work()
    ranking_stop(project=project, actor=team["ada"])
    queue = read_queue(
        QueryDict("order=relevant"), viewer_of(Membership.objects.get(project=project, user=team["ada"]))
    )
    assert (queue.order, RELEVANT in dict(queue.orders)) == ("fit", False)
    assert work() == []


def test_a_training_whose_worker_died_each_time_is_given_up_and_told(project, team, ranking, papers):
    work()
    say(project, team["ada"], papers[0], "include")
    RankingOrder.objects.update(state=StepState.QUEUED, attempts=ranking_work.MOST_ATTEMPTS)
    work()
    order = RankingOrder.objects.get()
    assert (order.state, order.message) == (StepState.FAILED, "The ranking stumbled over this several times.")
    assert work() == []
    say(project, team["ada"], papers[1], "exclude")
    work()
    assert RankingOrder.objects.get().state == StepState.DONE


def test_a_worker_that_lost_its_lease_writes_nothing_more(project, team, ranking, papers, monkeypatch):
    real = ranking_work.features_of

    def taken_over(*args: Any) -> Any:
        RankingOrder.objects.update(lease_token="somebody else")
        return real(*args)

    monkeypatch.setattr(ranking_work, "features_of", taken_over)
    work()
    assert not RankedRecord.objects.exists()
    assert RankingOrder.objects.get().trainings == 0


def test_features_are_kept_between_trainings_and_made_anew_when_a_text_changes(
    project, team, ranking, papers, settings, monkeypatch
):
    work()
    [kept] = (settings.DATA_DIR / "ranking").iterdir()
    from searches.services import ranking_texts

    monkeypatch.setattr(ranking_texts, "build_features", lambda *a, **k: pytest.fail("made anew"))
    say(project, team["ada"], papers[0], "include")
    work()
    assert RankingOrder.objects.get().trainings == 2
    monkeypatch.undo()
    settings.DATA_DIR = kept.parents[1]
    Candidate.objects.filter(pk=papers[3].pk).update(search_text="something else")
    say(project, team["ada"], papers[1], "exclude")
    work()
    [now] = (settings.DATA_DIR / "ranking").iterdir()
    assert now.name != kept.name
    now.write_bytes(b"cut")
    say(project, team["ada"], papers[3], "exclude")
    work()
    assert RankingOrder.objects.get().trainings == 4


def test_the_control_stream_stands_at_fixed_places_and_gives_an_estimate(project, team, approved, papers):
    ranking = ranking_start(project=project, actor=team["ada"], control_share=0.1)
    last = [paper.pk for paper in papers[1::2]]  # those the question does not ask for
    drawn = {seed: [p.pk for p in papers if is_control(seed, p.pk, 0.1)] for seed in range(1, 5_000)}
    Ranking.objects.update(seed=next(s for s, pks in drawn.items() if len(pks) == 4 and set(pks) <= set(last)))
    work()
    marks = list(RankedRecord.objects.order_by("place").values_list("mark", flat=True))
    control = marks.count("control")
    assert control == 4
    assert [marks[place - 1] for place in (10, 20)] == ["control"] * 2
    ranking.refresh_from_db()
    assert control_estimate(ranking) is None
    for mark in RankedRecord.objects.filter(mark="control"):
        say(project, team["ada"], mark.candidate, "exclude")
    estimate = control_estimate(ranking)
    assert (estimate.records, estimate.sampled, estimate.found, estimate.low) == (40, control, 0, 0)


def draw(project: Project, actor: User, **changes: Any) -> StoppingSample:
    values = {"request_id": uuid4(), "size": 10, "target": 0.8, "confidence": 0.9} | changes
    return sample_draw(project=project, actor=actor, **values)


@pytest.fixture
def screened(project: Project, team: dict[str, User], ranking: Ranking, papers: list[Candidate]) -> list[Candidate]:
    """All records on dexamethasone are included, the twenty others unread: these are returned."""
    ids = [paper.pk for paper in papers[::2]]
    decide_many(project=project, actor=team["ada"], candidate_ids=ids, decision="include", request_id=uuid4())
    return papers[1::2]


def test_a_sample_stands_in_front_of_the_queue_and_is_drawn_once(project, team, ranking, screened):
    request_id = uuid4()
    sample = draw(project, team["ada"], request_id=request_id)
    assert draw(project, team["ada"], request_id=request_id).pk == sample.pk
    assert (sample.records, sample.unread, sample.relevant_before, sample.size) == (40, 20, 20, 10)
    assert len(set(sample.chosen)) == 10
    assert set(sample.chosen) <= {row.pk for row in screened}
    work()
    assert queue_of(project, team["ada"])[:10] == sample.chosen
    with pytest.raises(SampleRefused, match="read already"):
        draw(project, team["ada"])


@pytest.mark.parametrize("changes", [{"size": 0}, {"size": 21}, {"target": 1.0}, {"confidence": 0.0}])
def test_a_sample_that_proves_nothing_is_refused(project, team, screened, changes):
    with pytest.raises(SampleRefused, match="1 to 20 records"):
        draw(project, team["ada"], **changes)
    assert not StoppingSample.objects.exists()


def test_without_a_relevant_record_there_is_no_sample(project, team, ranking, papers):
    with pytest.raises(SampleRefused, match="No relevant record"):
        draw(project, team["ada"])
    assert size_needed(ranking, target=0.95, confidence=0.95) is None


def test_a_sample_without_relevant_records_is_a_certificate_that_a_lead_accepts(project, team, ranking, screened):
    size = size_needed(ranking, target=0.8, confidence=0.9)
    sample = draw(project, team["ada"], size=size)
    for pk in sample.chosen[1:]:
        say(project, team["ada"], Candidate.objects.get(pk=pk), "exclude")
    assert sample_close(ranking=ranking) is None
    say(project, team["ada"], Candidate.objects.get(pk=sample.chosen[0]), "exclude")
    closed = sample_close(ranking=ranking)
    assert (closed.found, closed.passed, closed.accepted_by) == (0, True, None)
    accepted = certificate_accept(sample=closed, actor=team["ada"])
    assert accepted.accepted_by == team["ada"]
    assert "Recall at this stage was therefore at least 80% with 90% confidence" in accepted.text
    assert "Ada accepted stopping on" in accepted.text
    event = Event.objects.get(project=project, verb="ranking.stopping_accepted")
    assert (event.actor, event.payload["text"]) == (team["ada"], accepted.text)
    again = certificate_accept(sample=closed, actor=team["bob"])
    assert again.accepted_by == team["ada"]
    assert Event.objects.filter(verb="ranking.stopping_accepted").count() == 1


def test_a_sample_with_relevant_records_proves_nothing_and_the_next_is_stricter(project, team, ranking, screened):
    sample = draw(project, team["ada"], size=5)
    for pk in sample.chosen:
        say(project, team["ada"], Candidate.objects.get(pk=pk), "maybe")
    closed = sample_close(ranking=ranking)
    assert (closed.found, closed.passed) == (5, False)
    assert "was therefore not shown" in closed.text
    with pytest.raises(SampleRefused, match="did not show"):
        certificate_accept(sample=closed, actor=team["ada"])
    with pytest.raises(IntegrityError), transaction.atomic():
        StoppingSample.objects.filter(pk=closed.pk).update(accepted_by=team["ada"], accepted_at=closed.finished_at)
    following = draw(project, team["ada"], size=15)
    assert (following.number, following.relevant_before, following.unread) == (2, 25, 15)


def test_a_sample_of_which_a_record_left_is_void_and_told(project, team, ranking, screened):
    sample = draw(project, team["ada"], size=5)
    other = next(row for row in screened if row.pk != sample.chosen[0])
    Candidate.objects.filter(pk=sample.chosen[0]).update(merged_into=other)
    assert sample_close(ranking=ranking) is None
    sample.refresh_from_db()
    assert (sample.is_open, sample.void) == (False, "1 of its records left the project or were joined with others.")
    assert draw(project, team["ada"], size=5).number == 2


def test_progress_counts_what_has_an_outcome(project, team, screened):
    progress = progress_of(project)
    assert (progress.records, progress.read, progress.relevant, progress.unread) == (40, 20, 20, 20)
