"""Which references passages are looked for in, and about what."""

from __future__ import annotations

from litapp.projects.models import Project
from references.models import CopyState, FullTextCopy, Reference
from searches.models import SearchPlanVersion


def without_full_text(project: Project, reference_id: int | None = None) -> list[Reference]:
    """The references in the list without a full text that is kept, by key; or the one, if it is among them."""
    kept = FullTextCopy.objects.filter(reference__project=project, state=CopyState.ACCEPTED).values("reference")
    rows = Reference.objects.filter(project=project).current().exclude(pk__in=kept)
    if reference_id is not None:
        rows = rows.filter(pk=reference_id)
    return list(rows.order_by("key", "pk"))


def question_of(project: Project) -> str:
    """The question of the plan that was approved last; "" where there is none."""
    approved = SearchPlanVersion.objects.filter(plan__project=project, approved_at__isnull=False)
    version = approved.order_by("-approved_at", "-pk").first()
    return version.plan_content.question if version else ""
