"""Form fields: label, help and errors are tied to their control (WCAG 1.3.1, 3.3.1, 3.3.2)."""

from __future__ import annotations

from typing import Any

import pytest
from django import forms
from lxml import html as lxml_html

from litapp.web.templatetags.fields import error_summary, field, form_fields


class PlanForm(forms.Form):
    question = forms.CharField(label="Question", help_text="One sentence.")
    note = forms.CharField(label="Note", required=False)
    query = forms.CharField(label="Query", widget=forms.Textarea, required=False)
    preprints = forms.ChoiceField(
        label="Preprints", choices=[("in", "Included"), ("out", "Excluded")], widget=forms.RadioSelect
    )
    sources = forms.MultipleChoiceField(
        label="Sources", choices=[("a", "A"), ("b", "B")], widget=forms.CheckboxSelectMultiple
    )
    notify = forms.BooleanField(label="Tell me", required=False)
    token = forms.CharField(widget=forms.HiddenInput, required=False)


def block(form: forms.Form, name: str, **options: Any) -> Any:
    return lxml_html.fragment_fromstring(field(form[name], **options), create_parent="div")


def test_the_label_belongs_to_the_control() -> None:
    found = block(PlanForm(), "question")
    assert found.xpath("//label/@for") == found.xpath("//input/@id") == ["id_question"]


def test_help_is_tied_to_the_control() -> None:
    found = block(PlanForm(), "question")
    assert found.xpath("//input/@aria-describedby") == ["id_question_helptext"]
    assert found.get_element_by_id("id_question_helptext").text_content() == "One sentence."


def test_an_error_is_tied_to_the_control_and_marks_it() -> None:
    found = block(PlanForm({}), "question")
    assert found.xpath("//input/@aria-describedby") == ["id_question_helptext id_question_error"]
    assert found.xpath("//input/@aria-invalid") == ["true"]
    assert found.get_element_by_id("id_question_error").text_content().strip() == "This field is required."


def test_a_group_has_a_legend_and_its_error_is_tied_to_it() -> None:
    found = block(PlanForm({}), "sources")
    assert found.xpath("//legend/text()") == ["Sources"]
    assert found.xpath("//fieldset/@aria-describedby") == ["id_sources_error"]
    assert found.xpath("//label/@for") == ["id_sources_0", "id_sources_1"]


@pytest.mark.parametrize(
    ("name", "options", "said"), [("note", {}, True), ("note", {"plain": True}, False), ("question", {}, False)]
)
def test_what_may_stay_empty_is_called_optional(name: str, options: dict[str, Any], said: bool) -> None:
    assert bool(block(PlanForm(), name, **options).xpath("//*[@class='field-optional']")) is said


def test_a_query_field_is_left_alone_by_spelling_and_capitals() -> None:
    area = block(PlanForm(), "query", query=True, rows=6).xpath("//textarea")[0]
    assert (area.get("spellcheck"), area.get("autocapitalize"), area.get("rows"), area.get("class")) == (
        "false", "off", "6", "query-input",
    )  # fmt: skip


def test_what_was_typed_comes_back_escaped() -> None:
    form = PlanForm({"note": '"><script>alert(1)</script>'})
    assert "<script" not in field(form["note"])
    assert block(form, "note").xpath("//input/@value") == ['"><script>alert(1)</script>']


def test_the_summary_names_every_error_and_leads_to_its_field() -> None:
    form = PlanForm({})
    form.full_clean()
    form.add_error(None, "Two people changed this plan.")
    found = lxml_html.fragment_fromstring(error_summary(form), create_parent="div")
    assert found.xpath("//a/@href") == ["#id_question", "#id_preprints", "#id_sources"]
    assert "Two people changed this plan." in found.text_content()
    assert found.xpath("//div[@role='alert']/@data-focus-on-load") == [""]


def test_the_anchors_of_the_summary_exist() -> None:
    page = lxml_html.fragment_fromstring(form_fields(PlanForm({})), create_parent="div")
    anchors = {address[1:] for address in page.xpath("//div[@class='error-summary']//a/@href")}
    assert anchors - set(page.xpath("//@id")) == set()


def test_a_form_without_errors_has_no_summary() -> None:
    good = {"question": "Q", "preprints": "in", "sources": ["a"]}
    assert (error_summary(PlanForm()), error_summary(PlanForm(good))) == ("", "")


def test_all_fields_are_there_hidden_ones_too() -> None:
    page = lxml_html.fragment_fromstring(form_fields(PlanForm()), create_parent="div")
    assert sorted(set(page.xpath("//@name"))) == sorted(PlanForm.base_fields)
