"""Trains the ranking of a project again, in the background, whenever enough was decided since the last time."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from datetime import timedelta

import numpy as np
from django.db import transaction
from django.utils import timezone

from litapp.core.ranking.model import next_training, settings_from, train
from litapp.core.ranking.why import reasons
from litapp.jobs import services as jobs
from litapp.jobs.lease import kept
from litapp.jobs.models import StepState
from litapp.jobs.services import LeaseLost
from searches.models import Candidate, Ranking, RankingOrder, StoppingSample
from searches.services.ranking import keys_of, label_counts, labels_of
from searches.services.ranking_places import FIRST, compose, needs_whole, write_places
from searches.services.ranking_stopping import sample_close
from searches.services.ranking_texts import features_of, texts_key

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 5
"""Claims of one training after which it is given up until something was decided: its worker died each time."""
PAUSE = timedelta(minutes=1)
"""Between trainings that only new records ask for: a run brings them every second."""
ENDED = (StepState.DONE, StepState.FAILED)


class RankingWork:
    """The kind "ranking" of `settings.STEP_KINDS`; a key is "ranking:person", person 0 = the order for all."""

    def due(self) -> Iterable[str]:
        """Orders that lag behind the decisions, or that a dead worker left."""
        for ranking in Ranking.objects.filter(in_use=True, project__deleted_at=None).select_related("project"):
            sample_close(ranking=ranking)
            orders = {order.person_id: order for order in ranking.orders.all()}
            claimable = set(ranking.orders.all().claimable().values_list("pk", flat=True))
            for key in keys_of(ranking):
                order = orders.get(int(key.partition(":")[2]) or None)
                if order is None or order.pk in claimable or (order.state in ENDED and is_behind(ranking, order)):
                    yield key

    def run(self, key: str) -> None:
        """Train one order once; return quietly where it is up to date, or another worker has it."""
        number, _, person = key.partition(":")
        ranking = Ranking.objects.filter(pk=number, in_use=True, project__deleted_at=None).first()
        if ranking is None or key not in keys_of(ranking):
            return
        order, _ = RankingOrder.objects.get_or_create(ranking=ranking, person_id=int(person) or None)
        if order.state in ENDED:
            if not is_behind(ranking, order):
                return
            again = RankingOrder.objects.filter(pk=order.pk, state__in=ENDED)
            again.update(state=StepState.QUEUED, attempts=0, message="", hint="")
        token = jobs.claim(RankingOrder.objects.all(), order.pk)
        if token is None:
            return
        try:
            with kept(RankingOrder.objects.all(), token):
                _work(ranking, order.pk, token)
        except LeaseLost:
            log.info("The training of order %s went to another worker.", order.pk)


def is_behind(ranking: Ranking, order: RankingOrder) -> bool:
    """Whether the order shall be trained again: enough new labels, labels taken back, records that came or went, or a
    sample that shall stand in front."""
    relevant, irrelevant = label_counts(ranking.project, order.person_id)
    if order.state == StepState.FAILED:
        return (relevant, irrelevant) != (order.relevant, order.irrelevant) or _records(ranking) != order.records
    changed = abs(relevant - order.relevant) + abs(irrelevant - order.irrelevant)
    if changed >= next_training(order.labels) or relevant + irrelevant < order.labels:
        return True
    if _sample_number(ranking) != order.sample:
        return True
    rested = order.trained_at is None or timezone.now() - order.trained_at > PAUSE
    return rested and _records(ranking) != order.records


def _records(ranking: Ranking) -> int:
    return Candidate.objects.listed(ranking.project).count()


def open_sample(ranking: Ranking) -> StoppingSample | None:
    """The sample whose records are being read."""
    return ranking.samples.filter(finished_at=None, void="").last()


def _sample_number(ranking: Ranking) -> int:
    sample = open_sample(ranking)
    return sample.number if sample else 0


def _work(ranking: Ranking, order_id: int, token: str) -> None:
    rows = RankingOrder.objects.all()
    order = rows.get(pk=order_id)
    labels = labels_of(ranking.project, order.person_id)
    relevant = sum(labels.values())
    counts = {"relevant": relevant, "irrelevant": len(labels) - relevant}
    if order.attempts > MOST_ATTEMPTS:
        told = {"message": "The ranking stumbled over this several times.", "hint": "See the worker's log."}
        jobs.finish(rows, order_id, token, state=StepState.FAILED, records=_records(ranking), **counts, **told)
        return
    sample = open_sample(ranking)
    ids, key = texts_key(ranking)
    began = time.monotonic()
    try:
        model = settings_from(ranking.settings)
        features = features_of(ranking, ids, key, model)
    except ValueError as error:  # a model of another version, or nothing to rank on
        told = {"message": str(error), "hint": "The queue has its other orders."}
        jobs.finish(rows, order_id, token, state=StepState.FAILED, records=len(ids), **counts, **told)
        return
    places_of = {pk: place for place, pk in enumerate(ids)}
    known = {places_of[pk]: kind for pk, kind in labels.items() if pk in places_of}
    trained = train(features, known, model, seed=ranking.seed)
    best_first = np.argsort(-trained.scores, kind="stable")
    unread = [ids[place] for place in best_first if int(place) not in known]
    places = compose(ranking, unread, sample)
    whole = needs_whole(order, labels=len(labels), records=len(ids))
    training = order.trainings + 1
    first = [place.candidate_id for place in places[:FIRST]]
    why = dict(zip(first, reasons(features, trained, [places_of[pk] for pk in first]), strict=True))
    jobs.renew(rows, order_id, token)
    write_places(order, places if whole else places[:FIRST], why, training=training)
    with transaction.atomic():
        jobs.finish(
            rows, order_id, token, state=StepState.DONE, trainings=training, trained_at=timezone.now(),
            seconds=time.monotonic() - began, records=len(ids), sample=sample.number if sample else 0,
            attempts=0, **({"whole_at": len(labels)} if whole else {}), **counts,
        )  # fmt: skip
