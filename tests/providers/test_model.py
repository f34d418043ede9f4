"""The optional model's client and settings, against a stand-in server on this machine."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from litapp.providers.model.client import Model, ModelAnswer, ModelFault
from litapp.providers.model.prompt import PROMPT_VERSION, summary_messages
from litapp.providers.model.settings import BadModelSettings, ModelSettings, model_settings, read_parameters
from tests.references.model_server import GOOD, ModelServer, model_server

SECRET = "sk-very-secret-123"
USAGE = {"prompt_tokens": 100, "completion_tokens": 40, "total_tokens": 140}
MESSAGES = summary_messages("A title", "An abstract.")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


def settings(server: ModelServer, **changes: Any) -> ModelSettings:
    values: dict[str, Any] = {"base_url": server.url, "model": "llama3", "provider": "local", "key": SECRET}
    return ModelSettings(**(values | changes))


def ask(server: ModelServer, **changes: Any) -> ModelAnswer:
    model = Model(settings(server, **changes))
    try:
        return model.ask(MESSAGES)
    finally:
        model.close()


def test_a_good_answer_with_its_tokens(server: ModelServer) -> None:
    assert ask(server) == ModelAnswer(GOOD, "", USAGE)
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["authorization"] == f"Bearer {SECRET}"
    assert server.asked == [{"model": "llama3", "messages": MESSAGES, "max_tokens": 400}]


def test_no_temperature_is_forced_and_parameters_go_as_they_are(server: ModelServer) -> None:
    ask(server, parameters={"top_p": 0.9, "options": {"num_ctx": 8192}})
    assert "temperature" not in server.asked[0]
    assert (server.asked[0]["top_p"], server.asked[0]["options"]) == (0.9, {"num_ctx": 8192})
    ask(server, parameters={"max_completion_tokens": 90, "temperature": 0.2})
    assert "max_tokens" not in server.asked[1]
    assert (server.asked[1]["max_completion_tokens"], server.asked[1]["temperature"]) == (90, 0.2)


def test_the_environment_adds_nothing(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "from-the-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    assert ask(server, key="").text == GOOD
    assert "from-the-environment" not in json.dumps(server.headers)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"content": None, "refusal": "I cannot"}, "the model refused"),
        ({"content": "x", "finish_reason": "content_filter"}, "the model refused"),
        ({"content": "In this trial the", "finish_reason": "length"}, "the answer was cut at the token limit"),
        ("", "the answer was empty"),
        ("  \n ", "the answer was empty"),
        ({"content": None}, "the answer was empty"),
        ("<think>long thoughts</think>", "the answer was empty"),
    ],
)
def test_answers_that_are_none(server: ModelServer, reply: Any, reason: str) -> None:
    server.replies = [reply]
    assert ask(server) == ModelAnswer("", reason, USAGE)


@pytest.mark.parametrize("body", [b'{"choices": []}', b"{}", b'{"choices": null}'])
def test_answers_without_a_choice(server: ModelServer, body: bytes) -> None:
    server.replies = [body]
    assert ask(server) == ModelAnswer("", "the answer was empty", None)


@pytest.mark.parametrize("body", [b"", b"<html>busy</html>", b'{"choices": [', b"[]"])
def test_answers_that_cannot_be_read(server: ModelServer, body: bytes) -> None:
    server.replies = [body]
    answer = ask(server)
    assert answer.text == ""
    assert answer.reason in ("the answer could not be read", "the answer was empty")


def test_thoughts_before_the_answer_are_left_out(server: ModelServer) -> None:
    server.replies = [f"<think>\nhm\n</think>\n\n{GOOD}"]
    assert ask(server).text == GOOD


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_server_in_trouble_is_a_reason(server: ModelServer, status: int) -> None:
    server.replies = [status]
    answer = ask(server)
    assert answer.reason == f"the model did not answer: its server has a problem (status {status})"
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("status", "named"),
    [(400, "LITAPP_MODEL_PARAMETERS"), (401, "LITAPP_MODEL_KEY"), (403, "LITAPP_MODEL_KEY"), (404, "LITAPP_MODEL_NAME"),
     (422, "LITAPP_MODEL_PARAMETERS")],
)  # fmt: skip
def test_our_own_faults_are_seen(server: ModelServer, status: int, named: str) -> None:
    server.replies = [status]
    with pytest.raises(ModelFault, match=named) as fault:
        ask(server)
    assert SECRET not in str(fault.value)
    assert "secret detail" not in str(fault.value)
    assert fault.value.__cause__ is None


def test_a_server_that_is_not_there_or_silent_is_a_reason(server: ModelServer) -> None:
    answer = ask(server, base_url="http://127.0.0.1:1/v1")
    assert answer.reason == "the model did not answer: its server could not be reached"
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        answer = ask(server, base_url=f"http://127.0.0.1:{deaf.getsockname()[1]}/v1", timeout=0.2)
    assert answer.reason == "the model did not answer within 0.2 seconds"


def test_the_model_is_off_unless_it_is_set() -> None:
    assert model_settings(base_url="", model="") is None
    assert model_settings(base_url=" ", model=" ", key="x", parameters="not json") is None


def test_settings_with_their_defaults() -> None:
    chosen = model_settings(base_url="http://127.0.0.1:11434/v1", model="llama3")
    assert chosen == ModelSettings("http://127.0.0.1:11434/v1", "llama3", "127.0.0.1", "", 400, 60.0, {})
    full = model_settings(
        base_url="https://api.example/v1", model="m", provider="Clinic", key="k", max_tokens="90", timeout="5",
        parameters='{"top_p": 0.5}',
    )  # fmt: skip
    assert full == ModelSettings("https://api.example/v1", "m", "Clinic", "k", 90, 5.0, {"top_p": 0.5})
    assert full.told(PROMPT_VERSION) == {
        "provider": "Clinic", "model": "m", "prompt_version": PROMPT_VERSION, "max_tokens": 90, "timeout_seconds": 5.0,
        "parameters": {"top_p": 0.5},
    }  # fmt: skip
    hidden = model_settings(base_url="https://api.example/v1", model="m", key=SECRET)
    assert SECRET not in repr(hidden)
    assert "api.example" not in repr(full).replace("provider='api.example'", "")


@pytest.mark.parametrize(
    "change",
    [{"model": ""}, {"base_url": ""}, {"base_url": "localhost:11434"}, {"base_url": "ftp://a.test"},
     {"base_url": "https://user:pw@a.test/v1"}, {"base_url": "https://a.test/v1?key=1"}, {"key": "a b\n"}, {"key": "é"},
     {"max_tokens": "0"}, {"max_tokens": "many"}, {"max_tokens": "32001"}, {"timeout": "0"}, {"timeout": "901"},
     {"parameters": "{"}, {"parameters": "[1]"}],
)  # fmt: skip
def test_settings_that_cannot_be_used(change: dict[str, str]) -> None:
    values = {"base_url": "https://a.test/v1", "model": "m", "key": SECRET} | change
    with pytest.raises(BadModelSettings) as bad:
        model_settings(**values)
    assert SECRET not in str(bad.value)


@pytest.mark.parametrize(
    "parameters",
    [{"api_key": "x"}, {"Authorization": "x"}, {"extra_headers": {}}, {"base_url": "x"}, {"messages": []},
     {"prompt": "x"}, {"model": "x"}, {"stream": True}, {"tools": []}, {"user": "ada"}, {"options": {"password": "x"}},
     {"a": [{"secret": 1}]},
     {"x": "https://evil.test"}, {"x": "Bearer abc"}, {"access_token": "x"}, {"cookie": "x"}, {"MESSAGES": []}],
)  # fmt: skip
def test_parameters_never_carry_credentials_addresses_or_messages(parameters: dict[str, Any]) -> None:
    found, trouble = read_parameters(json.dumps(parameters))
    assert found == {}
    assert len(trouble) == 1


def test_good_parameters_pass() -> None:
    good = {"temperature": 0, "top_p": 0.9, "max_tokens": 5, "seed": 7, "stop": ["END"], "options": {"num_ctx": 4096}}
    assert read_parameters(json.dumps(good)) == (good, [])
    assert read_parameters("  ") == ({}, [])
