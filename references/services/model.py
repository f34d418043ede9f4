"""The optional model as this installation is set: its settings, and one summary of one abstract."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.conf import settings

from litapp.core.briefing import Method
from litapp.core.briefing_summary import ai_label, summary_problem
from litapp.core.formats.briefing import opening_summary
from litapp.core.markup import plain_text
from litapp.core.records import Record
from litapp.providers.model.client import Model, ModelFault
from litapp.providers.model.prompt import FEWEST_WORDS, MOST_WORDS, PROMPT_VERSION, summary_messages
from litapp.providers.model.settings import BadModelSettings, ModelSettings, model_settings

__all__ = ["BadModelSettings", "Model", "ModelFault", "ModelSettings", "has_model", "installed_model", "model_summary"]


def installed_model() -> ModelSettings | None:
    """The model of this installation; None = none is set (the default). Raises BadModelSettings."""
    entry: dict[str, str] = settings.MODEL
    return model_settings(
        base_url=entry["base_url"], model=entry["model"], provider=entry["provider"], key=entry["key"],
        max_tokens=entry["max_tokens"], timeout=entry["timeout"], parameters=entry["parameters"],
    )  # fmt: skip


def has_model() -> bool:
    """Whether a model is set here, whether or not its other settings can be used."""
    return bool(settings.MODEL["base_url"] and settings.MODEL["model"])


def model_summary(model: Model, chosen: ModelSettings, record: Record, *, today: date) -> dict[str, Any]:
    """A summary of 25 to 40 words, or the opening with the reason why there is none. Network; no transaction is open.

    Without an abstract nothing is asked. Raises ModelFault for the installation's own faults.
    """
    abstract = plain_text(record.abstract_text).strip()
    if not abstract:
        return opening_summary(record)
    title = plain_text(record.title)
    answer = model.ask(summary_messages(title, abstract))
    reason = answer.reason or summary_problem(
        answer.text, title=title, abstract=abstract, fewest=FEWEST_WORDS, most=MOST_WORDS
    )
    if reason:
        attempted = {"provider": chosen.provider, "model": chosen.model, "prompt_version": PROMPT_VERSION}
        return {**opening_summary(record, fallback=f"{reason}.", attempted=attempted), "usage": answer.usage}
    return {
        "text": answer.text,
        "label": ai_label(chosen.provider, chosen.model, today.isoformat()),
        "method": Method.MODEL.value,
        "provider": chosen.provider,
        "model": chosen.model,
        "prompt_version": PROMPT_VERSION,
        "usage": answer.usage,
        "fallback_reason": None,
        "attempted": None,
    }
