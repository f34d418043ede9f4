"""Invitations and roles: who may join, once, and that a project never loses its last owner."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.contrib.auth.models import User
from django.utils import timezone

from litapp.projects.models import Event, Invitation, Membership, Project, Role
from litapp.projects.services.projects import NameDoesNotMatch, project_delete, project_rename
from litapp.projects.services.team import (
    InvitationProblem,
    TeamProblem,
    invitation_accept,
    invitation_create,
    invitation_revoke,
    member_remove,
    role_change,
)
from tests.projects.conftest import join, make_person

pytestmark = pytest.mark.django_db


def invite(project: Project, owner: User, role: str = Role.SCREENER) -> tuple[Invitation, str]:
    return invitation_create(project=project, actor=owner, role=role, request_id=uuid4(), note="for Ann")


def verbs(project: Project) -> list[str]:
    return list(Event.objects.filter(project=project).order_by("sequence").values_list("verb", flat=True))


def test_an_accepted_link_gives_the_role_and_is_in_the_log(project: Project, owner: User) -> None:
    invitation, token = invite(project, owner, Role.LIBRARIAN)
    guest = make_person()
    membership = invitation_accept(token=token, user=guest)
    assert (membership.user, membership.role, membership.project) == (guest, Role.LIBRARIAN, project)
    invitation.refresh_from_db()
    assert invitation.accepted_by == guest
    assert verbs(project) == ["project.created", "invitation.created", "invitation.accepted"]


def test_only_a_hash_of_the_token_is_kept(project: Project, owner: User) -> None:
    invitation, token = invite(project, owner)
    assert len(token) >= 40
    assert token not in str(Invitation.objects.filter(pk=invitation.pk).values()[0])


def test_a_double_click_makes_one_invitation_with_one_token(project: Project, owner: User) -> None:
    request_id = uuid4()
    made = [invitation_create(project=project, actor=owner, role=Role.READER, request_id=request_id) for _ in range(2)]
    assert made[0] == made[1]
    assert verbs(project).count("invitation.created") == 1


def test_tokens_differ_between_forms_people_and_projects(project: Project, owner: User) -> None:
    request_id, other = uuid4(), join(project, Role.LEAD)
    tokens = {
        invitation_create(project=project, actor=owner, role=Role.READER, request_id=request_id)[1],
        invitation_create(project=project, actor=other.user, role=Role.READER, request_id=request_id)[1],
        invite(project, owner)[1],
    }
    assert len(tokens) == 3


def test_a_link_works_once(project: Project, owner: User) -> None:
    _, token = invite(project, owner)
    invitation_accept(token=token, user=make_person())
    with pytest.raises(InvitationProblem) as problem:
        invitation_accept(token=token, user=make_person())
    assert (problem.value.message, problem.value.hint) == (
        "This invitation has been used: a link works once.",
        "Ask Olga Owner for a new link.",
    )
    assert Membership.objects.filter(project=project).count() == 2


def test_a_link_lives_fourteen_days(project: Project, owner: User) -> None:
    _, token = invite(project, owner)
    with time_machine.travel(timezone.now() + timedelta(days=13, hours=23), tick=False):
        invitation_accept(token=token, user=make_person())
    _, token = invite(project, owner)
    with (
        time_machine.travel(timezone.now() + timedelta(days=14, seconds=1), tick=False),
        pytest.raises(InvitationProblem, match="has run out"),
    ):
        invitation_accept(token=token, user=make_person())


def test_a_withdrawn_link_does_not_work(project: Project, owner: User) -> None:
    invitation, token = invite(project, owner)
    invitation_revoke(invitation=invitation, actor=owner)
    invitation_revoke(invitation=invitation, actor=owner)
    with pytest.raises(InvitationProblem, match="withdrawn"):
        invitation_accept(token=token, user=make_person())
    assert verbs(project).count("invitation.revoked") == 1


def test_a_used_link_cannot_be_withdrawn(project: Project, owner: User) -> None:
    invitation, token = invite(project, owner)
    invitation_accept(token=token, user=make_person())
    with pytest.raises(TeamProblem, match="was used before"):
        invitation_revoke(invitation=invitation, actor=owner)


def test_a_member_does_not_use_up_a_link(project: Project, owner: User) -> None:
    _, token = invite(project, owner)
    with pytest.raises(InvitationProblem, match="already"):
        invitation_accept(token=token, user=owner)
    assert invitation_accept(token=token, user=make_person()).role == Role.SCREENER


def test_an_unknown_link_and_a_deleted_project_are_refused(project: Project, owner: User) -> None:
    with pytest.raises(InvitationProblem, match="not known"):
        invitation_accept(token="nonsense", user=owner)
    _, token = invite(project, owner)
    project_delete(project=project, actor=owner, typed_name=project.name)
    with pytest.raises(InvitationProblem, match="deleted"):
        invitation_accept(token=token, user=make_person())


def test_a_link_never_makes_an_owner(project: Project, owner: User) -> None:
    with pytest.raises(TeamProblem, match="cannot give this role"):
        invite(project, owner, Role.OWNER)


def test_the_last_owner_stays(project: Project, owner: User) -> None:
    mine = Membership.objects.get(project=project, user=owner)
    with pytest.raises(TeamProblem, match="last one"):
        member_remove(membership=mine, actor=mine)
    with pytest.raises(TeamProblem, match="last one"):
        role_change(membership=mine, actor=mine, role=Role.READER)
    second = role_change(membership=join(project, Role.LEAD), actor=mine, role=Role.OWNER)
    member_remove(membership=mine, actor=mine)
    assert list(project.memberships.values_list("user", "role")) == [(second.user_id, Role.OWNER)]


@pytest.mark.parametrize(
    "act",
    [
        lambda lead, owner: role_change(membership=lead, actor=lead, role=Role.OWNER),
        lambda lead, owner: role_change(membership=owner, actor=lead, role=Role.READER),
        lambda lead, owner: member_remove(membership=owner, actor=lead),
    ],
    ids=["appoint", "demote", "remove"],
)
def test_a_lead_does_not_touch_owners(
    project: Project, owner: User, act: Callable[[Membership, Membership], object]
) -> None:
    lead, mine = join(project, Role.LEAD), Membership.objects.get(project=project, user=owner)
    join(project, Role.OWNER)
    with pytest.raises(TeamProblem, match="Only an owner"):
        act(lead, mine)


def test_a_lead_who_was_demoted_meanwhile_loses_the_power(project: Project, owner: User) -> None:
    second = join(project, Role.OWNER)
    stale = Membership.objects.get(pk=second.pk)
    role_change(membership=second, actor=Membership.objects.get(project=project, user=owner), role=Role.READER)
    with pytest.raises(TeamProblem, match="Only an owner"):
        role_change(membership=join(project, Role.READER), actor=stale, role=Role.OWNER)


def test_a_lead_gives_the_other_roles(project: Project) -> None:
    lead = join(project, Role.LEAD)
    changed = role_change(membership=join(project, Role.READER), actor=lead, role=Role.SCREENER)
    assert changed.role == Role.SCREENER
    assert Event.objects.filter(project=project).latest("sequence").payload == {"before": "reader", "after": "screener"}


def test_deleting_needs_the_name_and_keeps_everything(project: Project, owner: User) -> None:
    with pytest.raises(NameDoesNotMatch):
        project_delete(project=project, actor=owner, typed_name="something")
    project_delete(project=project, actor=owner, typed_name=f" {project.name} ")
    project_delete(project=project, actor=owner, typed_name=project.name)
    project.refresh_from_db()
    assert project.deleted_at is not None
    assert list(Project.objects.visible_to(owner)) == []
    assert verbs(project) == ["project.created", "project.deleted"]


def test_a_rename_that_changes_nothing_is_no_event(project: Project, owner: User) -> None:
    project_rename(project=project, actor=owner, name=project.name, description=project.description)
    renamed = project_rename(project=project, actor=owner, name="New", description="")
    assert (renamed.name, verbs(project)) == ("New", ["project.created", "project.renamed"])
