"""Every address of a project, asked with what nobody types by accident: told what is wrong, never an error of ours; and
every page as strict as the others about what it may load."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from litapp.projects.models import Event
from tests.architecture.test_permissions import OBJECTS, OF_PROJECTS, TABLE, Open, Place, _route, make_place, visitor

pytestmark = pytest.mark.django_db

HOSTILE = {
    "nothing": "",
    "a NUL": "a\x00b",
    "half a character": "a\ud800b",
    "a number no database holds": "9" * 30,
    "a negative number": "-1",
    "digits that are not ASCII": "٣²",
    "markup": "<script>alert(1)</script>",
    "a path": "../../../../etc/passwd",
    "a quote": "' OR 1=1 --",
    "a very long text": "x" * 30_000,
    "a pattern": "%_\\(?:[*",
}
FIELDS = (
    "q", "sort", "decision", "verdict", "source", "fit", "year_from", "year_to", "page", "record", "ids", "direction",
    "count", "format", "scope", "style", "from", "seen", "then", "what", "person", "told", "check", "note", "version",
    "reason", "request_id", "content_hash", "revision", "role", "name", "typed_name", "title", "question", "raw",
    "queries-0-boolean", "queries-0-plain", "queries-0-label", "queries-TOTAL_FORMS", "queries-INITIAL_FORMS",
    "per_query", "sources", "population", "other_types", "anchor", "chosen", "all", "first_name", "upto", "discard",
)  # fmt: skip
"""Names of what the pages read from an address or a form."""


@pytest.fixture
def place() -> Place:
    return make_place("mine")


def faults(place: Place, text: str, *, send: bool) -> dict[str, str]:
    """Address -> what came, where it was an error of ours."""
    client = visitor(place.world.owner)
    client.raise_request_exception = False
    found = {}
    for name in OF_PROJECTS:
        if name in {"projects:delete", "searches:plan_counts"}:  # ends the place; asks the sources
            continue
        given = dict.fromkeys(FIELDS, text)
        address = place.address(name)
        response = client.post(address, given) if send else client.get(address, given)
        if response.status_code >= 500:
            found[name] = f"{response.status_code}: {getattr(response, 'exc_info', ('',))[:2]}"
    return found


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("send", [False, True], ids=["address", "form"])
def test_hostile_texts_in_every_field_are_never_an_error_of_ours(place: Place, text: str, send: bool) -> None:
    if "\ud800" in text and not send:
        pytest.skip("an address cannot hold half a character")
    assert (
        faults(place, text.encode("utf-8", "surrogatepass").decode("latin-1") if "\ud800" in text else text, send=send)
        == {}
    )


@pytest.mark.parametrize("number", [0, 2**31, 2**63, 10**40])
def test_numbers_of_nothing_are_not_found(place: Place, number: int) -> None:
    client = visitor(place.world.owner)
    client.raise_request_exception = False
    crossings = [(name, key) for name in OF_PROJECTS for key in OBJECTS if f"<int:{key}>" in _route(name)]
    for given in [
        *((name, {key: number}) for name, key in crossings),
        *((n, {"project_id": number}) for n in OF_PROJECTS),
    ]:
        address = place.address(given[0], **given[1])
        told = {client.get(address).status_code, client.post(address, {"role": "reader"}).status_code} - {405}
        assert told == {404}, address


def _strict(response: HttpResponse) -> dict[str, str]:
    names = (
        "Content-Security-Policy",
        "X-Content-Type-Options",
        "X-Frame-Options",
        "Referrer-Policy",
        "Cross-Origin-Opener-Policy",
    )
    return {name: response.headers.get(name, "") for name in names}


def test_every_page_is_strict_about_what_it_may_load(place: Place) -> None:
    client, expected = (
        visitor(place.world.owner),
        {
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
        },
    )
    names = [*OF_PROJECTS, *(name for name, access in TABLE.items() if isinstance(access, Open))]
    for name in names:
        page = client.get(place.address(name))
        if page.status_code == 200 and not isinstance(TABLE[name], Open):
            assert "private" in page["Cache-Control"], name
        headers = _strict(page)
        policy = headers.pop("Content-Security-Policy")
        assert headers == expected, name
        assert "unsafe" not in policy, name
        for directive in (
            "default-src 'self'",
            "script-src 'self'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ):
            assert directive in policy, (name, directive)
    assert "unsafe" not in _strict(client.get("/nothing/here/"))["Content-Security-Policy"]
    assert _strict(client.get(reverse("admin:login")))["Content-Security-Policy"]


@pytest.mark.parametrize(
    "foreign",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
        "\thttps://evil.example",
        "http:evil.example",
    ],
)
@pytest.mark.parametrize("name", ["account_login", "account_signup", "account_logout"])
def test_nobody_is_led_away_after_signing_in_or_out(place: Place, foreign: str, name: str) -> None:
    owner = place.world.owner
    owner.set_password("a long pass phrase")
    owner.save()
    client = visitor(owner if name == "account_logout" else None)
    sent = {
        "login": owner.email, "password": "a long pass phrase", "email": "new@example.org", "first_name": "New",
        "password1": "another long phrase", "password2": "another long phrase", "next": foreign,
    }  # fmt: skip
    answer = client.post(f"{reverse(name)}?{urlencode({'next': foreign})}", sent)
    assert answer.status_code == 302
    assert re.fullmatch(r"/[a-z/]*", answer["Location"])


def test_no_form_of_a_project_is_taken_from_another_site(place: Place) -> None:
    """Every address that takes a form refuses one without this site's token, and changes nothing."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(place.world.owner)
    before = Event.objects.count()
    told = {
        name: client.post(place.address(name), {"name": "x"}, headers={"Origin": "https://evil.example"}).status_code
        for name in OF_PROJECTS
    }
    assert set(told.values()) <= {403, 405}, told
    assert Event.objects.count() == before
