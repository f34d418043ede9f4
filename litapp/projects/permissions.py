"""The one permission check: what each role may do, and the decorator that every page of a project goes through."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from litapp.projects.curtain import sees_outcomes
from litapp.projects.models import Membership, Project, Role
from litapp.projects.refusals import curtained_page, project_deleted_page, right_missing_page
from litapp.web.numbers import LARGEST
from litapp.web.signed_out import kept_private, sign_in_first

P = ParamSpec("P")


class Right(StrEnum):
    """What can be allowed in a project. The value is the name templates use: `can.plan`."""

    VIEW = "view"
    PLAN = "plan"
    APPROVE = "approve"
    RUN = "run"
    SCREEN = "screen"
    SETTLE = "settle"
    VERIFY = "verify"
    REFERENCES = "references"
    EXPORT = "export"
    TEAM = "team"
    OWN = "own"


DOING = {
    Right.VIEW: "read this project",
    Right.PLAN: "write search plans",
    Right.APPROVE: "approve search plans",
    Right.RUN: "start and stop runs and imports",
    Right.SCREEN: "screen candidates",
    Right.SETTLE: "set up screening, see all votes and settle conflicts",
    Right.VERIFY: "ask for checks and confirm by hand",
    Right.REFERENCES: "change the reference list",
    Right.EXPORT: "export",
    Right.TEAM: "change the team and the project's name",
    Right.OWN: "delete the project and appoint owners",
}
"""Each right as the end of the sentence "you may ..."."""

_READS = frozenset({Right.VIEW, Right.EXPORT})
_SCREENS = _READS | {Right.SCREEN, Right.VERIFY, Right.REFERENCES}
_SEARCHES = _READS | {Right.PLAN, Right.APPROVE, Right.RUN, Right.VERIFY, Right.REFERENCES}
RIGHTS: dict[str, frozenset[Right]] = {
    Role.OWNER: frozenset(Right),
    Role.LEAD: frozenset(Right) - {Right.OWN},
    Role.LIBRARIAN: _SEARCHES,
    Role.SCREENER: _SCREENS,
    Role.READER: _READS,
}
"""Role -> rights. The truth; docs/architecture.md tells it in words."""


class ProjectRequest(HttpRequest):
    """A request that has passed `project_view`: signed in, and a member with the right asked for."""

    user: User
    membership: Membership


ProjectView = Callable[Concatenate[ProjectRequest, Project, P], HttpResponseBase]


def rights_of(membership: Membership) -> frozenset[Right]:
    """The rights of a member; empty for a role that no longer exists."""
    return RIGHTS.get(membership.role, frozenset())


def may(membership: Membership, right: Right) -> bool:
    """Whether the member has the right."""
    return right in rights_of(membership)


def roles_with(right: Right) -> list[str]:
    """Labels of the roles that have the right, highest first."""
    return [role.label for role in Role if right in RIGHTS[role]]


def project_view(
    right: Right, *, shows_outcomes: bool = False
) -> Callable[[ProjectView[P]], Callable[..., HttpResponseBase]]:
    """Let only members with `right` reach the view, which is called as `view(request, project, ...)`.

    Signed out: to the sign-in page and back, what was typed is kept (`web.signed_out`). Not a member: 404, as if the
    project did not exist. Member of a deleted project: 410. Without the right: 403 and a sentence. `shows_outcomes` =
    the page rests on everybody's decisions: while screening is blind it is for leads, others get 403 and a sentence.
    """

    def decorate(view: ProjectView[P]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def checked(request: HttpRequest, project_id: int, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return sign_in_first(request)
            if any(isinstance(number, int) and number > LARGEST for number in (project_id, *kwargs.values())):
                raise Http404("no row has such a number")
            membership = (
                Membership.objects.select_related("project").filter(project_id=project_id, user=request.user).first()
            )
            if membership is None:
                raise Http404("no such project, or not a member")
            if membership.project.deleted_at is not None:
                return project_deleted_page(request, membership.project)
            if not may(membership, right):
                return right_missing_page(request, membership, DOING[right], roles_with(right))
            request.membership = membership  # type: ignore[attr-defined]  # this makes it a ProjectRequest
            if shows_outcomes and not sees_outcomes(membership):
                return curtained_page(request, membership)
            return kept_private(view(request, membership.project, *args, **kwargs))  # type: ignore[arg-type]

        checked.shows_outcomes = shows_outcomes  # type: ignore[attr-defined]  # read by the leak test
        checked.right = right  # type: ignore[attr-defined]  # read by the roles x addresses test
        return checked

    return decorate
