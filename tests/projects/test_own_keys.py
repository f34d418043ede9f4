"""People's own keys: sealed at rest, used by what they start, and found nowhere else."""

from __future__ import annotations

import gzip
import io
import logging
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from litapp.core.plan import Filters, PlanQuery
from litapp.ledger.services import clients
from litapp.ledger.services.clients import asked_for, client_for, known_secrets, user_client
from litapp.projects.models import OwnKey
from litapp.projects.services.own_keys import (
    BadKey,
    every_own_key,
    own_key_delete,
    own_key_save,
    own_keys_of,
    readable,
)
from litapp.projects.services.projects import project_create
from litapp.projects.services.sealing import CannotOpen, open_sealed, seal
from litapp.providers.base import SourceError
from litapp.providers.registry import search_provider
from searches.models import Mode, PaperSearch
from searches.services import mode_work
from searches.services.mode_asking import FOUND, NOTHING, ask_all, count_question

KEY = "own-k3y-of-Anna-9f27"
PAGE = "/account/keys/"


@pytest.fixture
def anna(db: None) -> User:
    return User.objects.create_user("anna", "anna@example.org", "pw", first_name="Anna Weber")


@given(st.text(max_size=200), st.text(max_size=30))
def test_what_was_sealed_opens_at_its_own_place_only(text: str, place: str) -> None:
    sealed = seal(text, place)
    assert open_sealed(sealed, place) == text
    with pytest.raises(CannotOpen):
        open_sealed(sealed, f"{place}x")


def test_a_seal_shows_nothing_and_is_never_the_same_twice() -> None:
    first, second = seal(KEY, "a"), seal(KEY, "a")
    assert first != second
    assert KEY not in first


@pytest.mark.parametrize("position", [3, 10, 30, 60, -2])
def test_a_changed_seal_does_not_open(position: int) -> None:
    sealed = seal(KEY, "a")
    sign = "A" if sealed[position] != "A" else "B"
    changed = sealed[:position] + sign + sealed[position + 1 :] if position >= 0 else sealed[:-2] + sign + sealed[-1]
    with pytest.raises(CannotOpen):
        open_sealed(changed, "a")


def test_a_seal_opens_only_as_it_was_written_to_its_last_bit() -> None:
    for length in range(1, 7):  # every length of base64's padding
        sealed = seal("k" * length, "a")
        end = len(sealed.rstrip("="))
        for sign in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_":
            changed = sealed[: end - 1] + sign + sealed[end:]
            if changed != sealed:
                with pytest.raises(CannotOpen):
                    open_sealed(changed, "a")
        assert open_sealed(sealed, "a") == "k" * length


@pytest.mark.parametrize("text", ["", "v1.", "v1.AAAA", "v2.AAAA", "plain", "v1.ü"])
def test_what_is_no_seal_does_not_open(text: str) -> None:
    with pytest.raises(CannotOpen):
        open_sealed(text, "a")


def test_another_secret_key_opens_nothing_and_a_former_one_still_does(settings: Any) -> None:
    sealed, before = seal(KEY, "a"), settings.SECRET_KEY
    settings.SECRET_KEY = "another one"
    with pytest.raises(CannotOpen):
        open_sealed(sealed, "a")
    settings.SECRET_KEY_FALLBACKS = [before]
    assert open_sealed(sealed, "a") == KEY


def test_the_database_holds_the_key_in_no_readable_form(anna: User) -> None:
    own_key_save(user=anna, source="openalex", key=f" {KEY} ")
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM projects_ownkey")
        assert KEY not in str(cursor.fetchall())
    assert own_keys_of(anna.pk) == {"openalex": (KEY, "Anna Weber")}
    assert OwnKey.objects.get().last_four == "9f27"


def test_a_key_moved_to_another_person_or_source_does_not_open(anna: User) -> None:
    own_key_save(user=anna, source="openalex", key=KEY)
    other = User.objects.create_user("other")
    OwnKey.objects.update(user=other)
    assert own_keys_of(other.pk) == {}
    OwnKey.objects.update(user=anna, source="pubmed")
    assert own_keys_of(anna.pk) == {}
    assert not readable(OwnKey.objects.get())


@pytest.mark.parametrize("key", ["", "short", "with a blank in it", "schlüssel-länger", "line\nbreak-in-it", "x" * 401])
def test_what_cannot_be_a_key_is_refused_without_repeating_it(anna: User, key: str) -> None:
    with pytest.raises(BadKey) as caught:
        own_key_save(user=anna, source="pubmed", key=key)
    assert not key or key not in str(caught.value)
    assert not OwnKey.objects.exists()


def test_one_key_a_source_the_last_one_counts_and_it_can_be_removed(anna: User) -> None:
    own_key_save(user=anna, source="pubmed", key="first-key-1234")
    own_key_save(user=anna, source="pubmed", key="second-key-5678")
    assert own_keys_of(anna.pk) == {"pubmed": ("second-key-5678", "Anna Weber")}
    assert (own_key_delete(user=anna, source="pubmed"), own_key_delete(user=anna, source="pubmed")) == (True, False)
    assert every_own_key() == []


def test_a_source_that_gives_no_keys_takes_none(anna: User) -> None:
    with pytest.raises(KeyError):
        own_key_save(user=anna, source="arxiv", key=KEY)


@pytest.fixture
def page(anna: User) -> Client:
    client = Client()
    client.force_login(anna)
    return client


def test_the_page_saves_shows_four_characters_and_removes(page: Client, anna: User) -> None:
    answer = page.post(PAGE, {"source": "openalex", "key": KEY, "save": "yes"}, follow=True)
    shown = answer.content.decode()
    assert "Your key ends in" in shown
    assert ">9f27<" in shown
    assert KEY not in shown
    assert own_keys_of(anna.pk)["openalex"][0] == KEY
    removed = page.post(PAGE, {"source": "openalex", "remove": "yes"}, follow=True).content.decode()
    assert "was removed" in removed
    assert not OwnKey.objects.exists()


@pytest.mark.parametrize(
    "data", [{"source": "openalex", "key": "with blank " + KEY}, {"source": "openalex", "key": ""}]
)
def test_what_was_typed_wrongly_is_said_and_not_sent_back(page: Client, data: dict[str, str]) -> None:
    answer = page.post(PAGE, {**data, "save": "yes"})
    assert answer.status_code == 422
    assert KEY not in answer.content.decode()
    assert "error-summary" in answer.content.decode()


def test_an_unknown_source_is_refused(page: Client) -> None:
    assert page.post(PAGE, {"source": "elsewhere", "key": KEY, "save": "yes"}).status_code == 422
    assert not OwnKey.objects.exists()


def test_a_key_that_can_no_longer_be_read_is_said(page: Client, anna: User) -> None:
    own_key_save(user=anna, source="openalex", key=KEY)
    OwnKey.objects.update(sealed=seal(KEY, "elsewhere"))
    assert "cannot be read any more" in page.get(PAGE).content.decode()
    assert user_client("openalex", anna.pk) is None


def test_each_person_sees_own_keys_only(page: Client) -> None:
    other = User.objects.create_user("other")
    own_key_save(user=other, source="pubmed", key="key-of-other-zz42")
    assert "zz42" not in page.get(PAGE).content.decode()


def test_the_page_is_reached_from_the_account(page: Client) -> None:
    assert reverse("account_keys") == PAGE
    assert f'href="{PAGE}"' in page.get(reverse("account_email")).content.decode()


class Recorder:
    """Stands in for all sources: notes the requests and echoes every secret it is sent, as careless sources do."""

    def __init__(self, status: int = 200) -> None:
        self.status, self.requests = status, list[httpx.Request]()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.requests.append(request)
        echo = f"{dict(request.headers)} {request.content.decode()}"
        if self.status != 200:
            return httpx.Response(self.status, json={"error": "x", "message": echo})
        work = {"id": "https://openalex.org/W1001", "title": f"T {echo}", "doi": "https://doi.org/10.1000/n1"}
        return httpx.Response(200, json={"meta": {"count": 1, "next_cursor": None}, "results": [work]})


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Recorder]:
    """All clients of the installation speak with the recorder."""
    made = Recorder()
    settings.SANDBOX_URL = ""
    settings.SOURCES = {key: {**entry, "key": ""} for key, entry in settings.SOURCES.items()}
    settings.SOURCES["openalex"]["key"] = "installation-key-1"
    settings.SOURCES["pubmed"]["key"] = "installation-key-2"
    monkeypatch.setattr("litapp.providers.http.guarded_transport", lambda guard, proxy="": httpx.MockTransport(made))
    clients._client.cache_clear()
    yield made
    clients._client.cache_clear()


def sent_keys(made: Recorder) -> list[str]:
    return [request.headers.get("api-key", "") for request in made.requests]


def test_a_client_of_a_user_sends_the_own_key_and_the_installations_its_own(
    transactional_db: None, recorder: Recorder, anna: User
) -> None:
    own_key_save(user=anna, source="openalex", key=KEY)
    other = User.objects.create_user("other")
    search = search_provider("openalex")
    query = search.compile(PlanQuery(plain="masks"), Filters())
    assert user_client("openalex", other.pk) is None
    assert user_client("openalex", None) is None
    assert user_client("pubmed", anna.pk) is None
    own = user_client("openalex", anna.pk)
    assert own is not None
    search.count(own, query)
    search.count(client_for("openalex"), query)
    assert sent_keys(recorder) == [KEY, "installation-key-1"]
    assert user_client("openalex", anna.pk) is own
    own_key_save(user=anna, source="openalex", key="another-own-key-1")
    assert user_client("openalex", anna.pk) is not own


def test_what_a_person_started_is_asked_with_that_persons_key_in_every_thread(
    transactional_db: None, recorder: Recorder, anna: User
) -> None:
    own_key_save(user=anna, source="openalex", key=KEY)
    other = User.objects.create_user("other")
    query = search_provider("openalex").compile(PlanQuery(plain="masks"), Filters())
    questions = [count_question("openalex", "count", str(number), query) for number in range(3)]
    with asked_for(anna.pk):
        heard = ask_all(questions)
    with asked_for(other.pk):
        ask_all(questions[:1])
    ask_all(questions[:1])
    assert {one.outcome for one in heard} <= {FOUND, NOTHING}
    assert sent_keys(recorder) == [KEY, KEY, KEY, "installation-key-1", "installation-key-1"]


@pytest.mark.parametrize("mode", [Mode.QUICK_CITE, Mode.RELATED])
def test_a_short_search_is_asked_for_whoever_began_it(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, anna: User, mode: Mode
) -> None:
    project = project_create(actor=anna, name="Masks")
    row = PaperSearch.objects.create(project=project, mode=mode, requested_by=anna, request_id=uuid4(), question={})
    asked: list[int | None] = []
    monkeypatch.setattr(mode_work, "_work", lambda row, token: asked.append(clients._ASKED_FOR.get()))
    mode_work.PaperSearchWork().run(str(row.pk))
    assert (asked, clients._ASKED_FOR.get()) == ([anna.pk], None)


def test_known_secrets_are_those_of_the_installation_and_of_people(recorder: Recorder, anna: User) -> None:
    own_key_save(user=anna, source="crossref", key=KEY)
    assert set(known_secrets()) == {"installation-key-1", "installation-key-2", KEY}


@pytest.mark.parametrize("status", [200, 401, 403, 500])
def test_an_own_key_stands_in_no_table_file_log_or_error(
    transactional_db: None,
    recorder: Recorder,
    anna: User,
    status: int,
    caplog: pytest.LogCaptureFixture,
    settings: Any,
) -> None:
    """The source echoes it in its answer; of all that is kept and said, nothing holds it."""
    caplog.set_level(logging.DEBUG)
    own_key_save(user=anna, source="openalex", key=KEY)
    recorder.status = status
    own, search = user_client("openalex", anna.pk), search_provider("openalex")
    assert own is not None
    query = search.compile(PlanQuery(plain="masks"), Filters())
    if status == 200:
        told = repr(search.fetch_page(own, query, {}, 10))
    else:
        with pytest.raises(SourceError) as caught:
            search.fetch_page(own, query, {}, 10)
        told = f"{caught.value!r} {vars(caught.value)}"
        assert ("the own key of Anna Weber" in told) is (status == 401)
    assert KEY in sent_keys(recorder)
    assert KEY not in told
    assert KEY not in caplog.text
    assert KEY not in repr(own)
    whole = io.StringIO()
    call_command("dumpdata", stdout=whole, exclude=["contenttypes", "auth.permission"])
    assert KEY not in whole.getvalue()
    assert "openalex" in whole.getvalue()
    for file in settings.DATA_DIR.rglob("*"):
        if file.is_file() and file.suffix == ".gz":
            assert KEY.encode() not in gzip.decompress(file.read_bytes())
