"""A process of test_claims_across_processes: claims pieces until none is left, and does each with one written row."""

import os
import time

import django

django.setup()

from django.db import transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from litapp.jobs import services as jobs  # noqa: E402
from litapp.jobs.models import StepState  # noqa: E402
from litapp.ledger.models import SourceAnswer  # noqa: E402
from litapp.verification.models import Verification  # noqa: E402


def write_result(pk: int) -> None:
    SourceAnswer.objects.create(
        source="test", method="GET", url=str(pk), request_key=str(pk), status=200, outcome="ok",
        error=os.environ["LITAPP_WORKER_NAME"], received_at=timezone.now(),
    )  # fmt: skip


def main() -> None:
    rows = Verification.objects.all()
    while True:
        pks = list(rows.open().order_by("pk").values_list("pk", flat=True))
        if not pks:
            return
        for pk in pks:
            token = jobs.claim(rows, pk)
            if token is None:
                continue
            time.sleep(0.004)
            with transaction.atomic():
                write_result(pk)
                time.sleep(0.002)
                jobs.finish(rows, pk, token, state=StepState.DONE)
        time.sleep(0.01)


main()
