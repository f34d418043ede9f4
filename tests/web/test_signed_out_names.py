"""Fields of a form that is given back are named in words."""

from __future__ import annotations

from litapp.web.signed_out import readable_fields


def test_fields_are_named_in_words_and_counted_from_one() -> None:
    fields = [
        ("queries-0-boolean", "asthma[tiab]"),
        ("queries-11-plain", "asthma"),
        ("year_from", "2020"),
        ("note", " "),
    ]
    assert readable_fields(fields) == [
        ("Query 1 boolean", "asthma[tiab]"),
        ("Query 12 plain", "asthma"),
        ("Year from", "2020"),
    ]
