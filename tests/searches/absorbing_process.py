"""A process of test_candidates_across_processes: brings every paper of one source, page by page."""

import os

import django

django.setup()

from django.utils import timezone  # noqa: E402

from litapp.ledger.models import SourceAnswer  # noqa: E402
from litapp.providers.base import Hit, Page  # noqa: E402
from searches.models import RetrievalStep  # noqa: E402
from searches.services.candidates import absorb_hits, think_ahead  # noqa: E402
from tests.searches.stand_in import paper  # noqa: E402

SOURCE, PAPERS, PAGE = os.environ["SOURCE"], 120, 20


def main() -> None:
    step = RetrievalStep.objects.select_related("run__version").get(source=SOURCE)
    for start in range(1, PAPERS + 1, PAGE):
        answer = SourceAnswer.objects.create(
            source=SOURCE, method="GET", url="/", request_key="k", status=200, outcome="ok", received_at=timezone.now()
        )
        hits = tuple(Hit(paper(start + n, SOURCE), start + n, answer.pk, n) for n in range(PAGE))
        page = Page(hits, None)
        absorb_hits(step=step, page=page, bench=think_ahead(step=step, page=page))


main()
