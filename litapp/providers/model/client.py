"""Asks the optional model, at any address that speaks OpenAI's protocol. The only module that imports `openai`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, cast

from litapp.providers.model.settings import ModelSettings

NO_ANSWER = "the model did not answer"
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL | re.IGNORECASE)


class ModelFault(Exception):
    """The installation's own fault: the model, its key or its parameters are not as the server wants them. It must be
    seen, not papered over. The message holds no key, no address and no text of the server."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What came of one question. `text` "" = none that can be used, and `reason` says why (refused, cut, empty …).

    `usage` holds the tokens that the server states (None = it states none).
    """

    text: str
    reason: str = ""
    usage: dict[str, int | None] | None = None


class Model:
    """One model; may be shared between threads; close it at the end."""

    def __init__(self, settings: ModelSettings) -> None:
        import openai  # takes long to load, and most installations have no model

        self._settings = settings
        self._client = openai.OpenAI(
            api_key=settings.key or "none",
            base_url=settings.base_url,
            organization="",
            project="",
            timeout=settings.timeout,
            max_retries=0,
            http_client=openai.DefaultHttpx2Client(trust_env=False, follow_redirects=False),
        )

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def ask(self, messages: list[dict[str, str]]) -> ModelAnswer:
        """Ask once. What the model or its server does wrong is a reason; our own faults raise ModelFault."""
        import openai

        parameters = dict(self._settings.parameters)
        if "max_completion_tokens" not in parameters and "max_tokens" not in parameters:
            parameters["max_tokens"] = self._settings.max_tokens
        try:
            got = self._client.chat.completions.create(
                model=self._settings.model, messages=cast("Any", messages), extra_body=parameters
            )
        except openai.APITimeoutError:
            return ModelAnswer("", f"{NO_ANSWER} within {self._settings.timeout:g} seconds")
        except openai.APIConnectionError:
            return ModelAnswer("", f"{NO_ANSWER}: its server could not be reached")
        except (openai.RateLimitError, openai.InternalServerError) as error:
            return ModelAnswer("", f"{NO_ANSWER}: its server has a problem (status {error.status_code})")
        except openai.APIStatusError as error:
            raise ModelFault(_fault(error.status_code)) from None
        except (openai.APIError, ValueError):
            return ModelAnswer("", "the answer could not be read")
        return _read(got)


def _fault(status: int) -> str:
    if status in (401, 403):
        return "The model's server does not accept the key of this installation (LITAPP_MODEL_KEY)."
    if status == 404:
        return "The model's server does not know the model or the address (LITAPP_MODEL_NAME, LITAPP_MODEL_URL)."
    return (
        f"The model's server does not accept the request (status {status}). Check LITAPP_MODEL_PARAMETERS, "
        "LITAPP_MODEL_TOKENS and LITAPP_MODEL_NAME."
    )


def _read(got: Any) -> ModelAnswer:
    """The text of an answer, or why there is none. Servers differ; nothing is taken for granted."""
    usage = _usage(getattr(got, "usage", None))
    choices = getattr(got, "choices", None) or []
    if not choices:
        return ModelAnswer("", "the answer was empty", usage)
    choice = choices[0]
    message, ended = getattr(choice, "message", None), getattr(choice, "finish_reason", None)
    if getattr(message, "refusal", None) or ended == "content_filter":
        return ModelAnswer("", "the model refused", usage)
    if ended == "length":
        return ModelAnswer("", "the answer was cut at the token limit", usage)
    content = getattr(message, "content", None)
    text = " ".join(_THOUGHT.sub("", content).split()) if isinstance(content, str) else ""
    return ModelAnswer(text, "" if text else "the answer was empty", usage)


def _usage(value: Any) -> dict[str, int | None] | None:
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    found = {name: getattr(value, name, None) for name in names}
    whole = {name: number if isinstance(number, int) and number >= 0 else None for name, number in found.items()}
    return whole if any(number is not None for number in whole.values()) else None
