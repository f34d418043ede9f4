"""The literature matrix: quotes lead to stored records, nobody overwrites anybody, every change can be undone."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from litapp.core.matrix import Column
from litapp.core.records import AbstractSection
from litapp.ledger.models import SourceRecord
from litapp.projects.models import Event, Role
from litapp.projects.services.events import verify_chain
from references.models import FullTextCopy, MatrixCell, OwnColumn, Reference
from references.services.matrix import (
    MatrixProblem,
    StaleCell,
    cell_accept,
    cell_check,
    cell_clear,
    cell_draft,
    cell_not_reported,
    cell_save,
    cell_undo,
    column_add,
    column_remove,
    column_rename,
)
from references.services.matrix_reading import (
    Basis,
    ColumnHead,
    basis_counts,
    basis_of,
    cell_quote_stands,
    column_named,
    rows_of,
)
from references.services.summary_reading import broken_quotes
from tests.references.test_archive import full_text
from tests.references.world import World, make_world

pytestmark = pytest.mark.django_db
METHODS = "In this randomized controlled trial, we assigned 412 patients with severe pneumonia to dexamethasone."
RESULT = "Mortality was lower with dexamethasone (odds ratio, 0.70; 95% CI, 0.52 to 0.94)."
ABSTRACT = (
    AbstractSection("Steroids may help.", "BACKGROUND", "BACKGROUND"),
    AbstractSection(METHODS, "METHODS", "METHODS"),
    AbstractSection(f"{RESULT} Harms were rare.", "RESULTS", "RESULTS"),
)


@pytest.fixture
def world() -> World:
    made = make_world()
    for number in (1, 2):
        candidate = made.candidate(number, abstract=ABSTRACT, publication_types=("Randomized Controlled Trial",))
        made.verify(candidate)
        made.decide(candidate, "include")
    return made


def reference(number: int = 1) -> Reference:
    return Reference.objects.get(key=f"Weber_200{number}_Paper")


def head(world: World, key: str) -> ColumnHead:
    found = column_named(world.project, key)
    assert found is not None
    return found


def at(world: World, key: str, version: int = 0) -> dict[str, Any]:
    return {"reference": reference(), "head": head(world, key), "actor": world.owner, "version": version}


def offers(world: World, key: str) -> list[Any]:
    [row] = rows_of(world.project, [reference()], [head(world, key)])
    return [offer.suggestion for offer in row.cells[0].offers]


def accept(world: World, key: str, which: int = 0, version: int = 0, value: str = "") -> MatrixCell:
    return cell_accept(**at(world, key, version), offer=offers(world, key)[which].name, value=value)


def test_an_accepted_quote_points_to_the_words_of_the_stored_record(world: World) -> None:
    cell = accept(world, "size")
    assert (cell.state, cell.value, cell.quote) == ("filled", "412 patients", METHODS)
    assert cell.source_record == SourceRecord.objects.get(candidates__candidate=reference().candidate)
    assert (cell.section, cell.section_label, cell.place) == (1, "METHODS", "abstract")
    assert cell.source_record.record.abstract[1].text[cell.start : cell.end] == cell.quote
    assert (cell.filled_by, cell.rule, cell.rule_version) == ("rule", "sample size", 1)
    assert (cell.checked_by, cell.person) == (world.owner, None)
    assert cell_quote_stands(cell)


def test_an_edited_value_is_the_persons_on_the_quote_of_the_rule(world: World) -> None:
    cell = accept(world, "size", value="412")
    assert (cell.value, cell.filled_by, cell.person, cell.rule, cell.quote) == (
        "412", "person", world.owner, "sample size", METHODS,
    )  # fmt: skip


def test_publication_types_are_quoted_as_such(world: World) -> None:
    cell = accept(world, "design")
    assert (cell.value, cell.place) == ("Randomized Controlled Trial", "publication_types")
    assert cell_quote_stands(cell)


def test_an_offer_that_the_record_does_not_make_is_refused(world: World) -> None:
    with pytest.raises(MatrixProblem, match="do not offer that quote"):
        cell_accept(**at(world, "size"), offer="0123456789abcdef")
    assert not MatrixCell.objects.exists()


def test_words_that_were_typed_are_found_in_the_abstract_or_need_their_page(world: World) -> None:
    cell = cell_save(**at(world, "finding"), value="fewer deaths", quote="odds ratio,\n0.70;  95% CI", page="")
    assert (cell.quote, cell.place, cell.section) == ("odds ratio, 0.70; 95% CI", "abstract", 2)
    with pytest.raises(MatrixProblem, match="No stored abstract of this paper holds these words"):
        cell_save(**at(world, "finding", 1), value="fewer deaths", quote="odds ratio, 0.71", page="")
    cell = cell_save(**at(world, "finding", 1), value="fewer deaths", quote="odds ratio, 0.71", page="4")
    assert (cell.place, cell.page, cell.source_record) == ("page", "4", None)


def test_words_of_a_kept_full_text_name_their_part_and_stand_while_the_copy_does(world: World) -> None:
    body = (
        b"<article><front><article-meta><title-group><article-title>Paper 1</article-title></title-group>"
        b"</article-meta></front><body><sec><title>Results</title><sec><title>Mortality</title>"
        b"<p>Eleven of 206 patients died.</p></sec></sec></body></article>"
    )
    copy = full_text(reference(), body, kind=FullTextCopy.Kind.XML, outcome="text")
    cell = cell_save(**at(world, "finding"), value="11 died", quote="Eleven of  206 patients died", page="")
    assert (cell.place, cell.quote, cell.section_label) == (
        "full_text", "Eleven of 206 patients died", "Results / Mortality",
    )  # fmt: skip
    assert cell_quote_stands(cell)
    assert broken_quotes(world.project, ["Weber_2001_Paper"]) == []
    FullTextCopy.objects.filter(pk=copy.pk).update(state="declined")
    assert broken_quotes(world.project, ["Weber_2001_Paper"]) == [("Weber_2001_Paper", "Eleven of 206 patients died")]
    with pytest.raises(MatrixProblem, match="No stored abstract of this paper holds"):
        cell_save(**at(world, "finding", 1), value="11 died", quote="Eleven of 206 patients died", page="")


def test_a_value_without_words_of_the_source_is_refused_but_for_relevance_and_own_columns(world: World) -> None:
    with pytest.raises(MatrixProblem, match="Add the words of the source"):
        cell_save(**at(world, "methods"), value="a trial", quote="", page="")
    own = column_add(project=world.project, actor=world.owner, name="Country")
    for key in ("relevance", f"own-{own.pk}"):
        assert cell_save(**at(world, key), value="high", quote="", page="").filled_by == "person"
    with pytest.raises(MatrixProblem, match="Write a value"):
        cell_save(**at(world, "relevance", 1), value="  ", quote="", page="")


def test_not_reported_and_not_looked_at_differ(world: World) -> None:
    assert cell_not_reported(**at(world, "limitation")).state == "not_reported"
    [row] = rows_of(world.project, [reference()], [head(world, "limitation"), head(world, "methods")])
    assert [view.state for view in row.cells] == ["not_reported", ""]
    assert cell_clear(**at(world, "limitation", 1)).state == ""


def test_two_tabs_never_overwrite_each_other_and_a_double_click_is_one_change(world: World) -> None:
    first = accept(world, "size")
    assert accept(world, "size").version == first.version == 1
    with pytest.raises(StaleCell) as stale:
        cell_not_reported(**at(world, "size"))
    assert stale.value.current.value == "412 patients"
    assert Event.objects.filter(verb="matrix.filled").count() == 1


def test_undo_brings_back_what_was_there_and_can_be_undone(world: World) -> None:
    accept(world, "size")
    cell_not_reported(**at(world, "size", 1))
    back = cell_undo(**at(world, "size", 2))
    assert (back.state, back.value, back.quote, back.filled_by, back.checked_by) == (
        "filled", "412 patients", METHODS, "rule", world.owner,
    )  # fmt: skip
    assert cell_quote_stands(back)
    assert cell_undo(**at(world, "size", 3)).state == "not_reported"
    with pytest.raises(StaleCell):
        cell_undo(**at(world, "size", 2))
    with pytest.raises(MatrixProblem, match="Nothing was changed"):
        cell_undo(**at(world, "methods", 0))
    assert verify_chain(world.project).intact


def test_a_draft_of_a_model_waits_for_a_check_and_never_replaces_a_person(world: World) -> None:
    given = {"reference": reference(), "value": "lower mortality", "quote": RESULT, "model": "local llama"}
    draft = cell_draft(head=head(world, "finding"), **given)
    assert draft is not None
    assert (draft.filled_by, draft.model, draft.checked_at) == ("model", "local llama", None)
    checked = cell_check(**at(world, "finding", 1))
    assert (checked.filled_by, checked.checked_by, checked.value) == ("model", world.owner, "lower mortality")
    cell_not_reported(**at(world, "methods"))
    assert cell_draft(head=head(world, "methods"), **given) is None
    with pytest.raises(MatrixProblem):
        cell_draft(head=head(world, "limitation"), **{**given, "quote": "Nobody said this."})


def test_a_quote_whose_record_says_something_else_is_found_out(world: World) -> None:
    cell = accept(world, "size")
    MatrixCell.objects.filter(pk=cell.pk).update(quote=METHODS.replace("412", "812"))
    cell.refresh_from_db()
    assert not cell_quote_stands(cell)


def test_own_columns_are_named_once_and_come_back_with_their_cells(world: World) -> None:
    own = column_add(project=world.project, actor=world.owner, name="  Country ")
    for name in ("country", "Key finding", "", "x" * 81):
        with pytest.raises(MatrixProblem):
            column_add(project=world.project, actor=world.owner, name=name)
    cell_save(**at(world, f"own-{own.pk}"), value="Peru", quote="", page="")
    column_rename(column=own, actor=world.owner, name="Place")
    column_remove(column=own, actor=world.owner)
    assert column_named(world.project, f"own-{own.pk}") is None
    again = column_add(project=world.project, actor=world.owner, name="Place")
    assert again.pk == own.pk
    [row] = rows_of(world.project, [reference()], [head(world, f"own-{own.pk}")])
    assert row.cells[0].cell is not None
    assert row.cells[0].cell.value == "Peru"


def test_the_basis_of_every_reference_is_counted(world: World) -> None:
    bare = world.candidate(3, abstract=())
    world.verify(bare)
    world.decide(bare, "include")
    references = list(Reference.objects.for_list())
    assert basis_counts(basis_of(references)) == [
        (Basis.FULL_TEXT, 0), (Basis.PASSAGES, 0), (Basis.ABSTRACT, 2), (Basis.NONE, 1),
    ]  # fmt: skip


# The pages


def text_of(content: bytes) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", content.decode())).split())


def test_the_table_shows_offers_values_and_what_nobody_looked_at(world: World) -> None:
    accept(world, "size")
    cell_not_reported(**at(world, "limitation"))
    page = world.client().get(f"/projects/{world.project.pk}/matrix/")
    text = text_of(page.content)
    assert "2 references: 2 abstract only" in text
    assert "N of Weber_2001_Paper: 412 patients quote" in text
    assert "Limitation of Weber_2001_Paper: Not reported" in text
    assert "N of Weber_2002_Paper: 1 quote" in text
    assert "Relevance of Weber_2002_Paper: not looked at" in text


def test_accepting_by_htmx_puts_the_cell_in_its_place_and_closes_the_dialog(world: World) -> None:
    client, base = world.client(), f"/projects/{world.project.pk}/matrix/{reference().pk}/size/"
    shown = client.get(base, HTTP_HX_REQUEST="true").content.decode()
    assert "data-dialog-auto" in shown
    assert "<mark>412 patients</mark>" in shown
    offer = re.search(r'name="offer" value="([0-9a-f]+)"', shown)
    assert offer
    sent = {"do": "accept", "version": "0", "offer": offer[1]}
    changed = client.post(f"{base}change/", sent, HTTP_HX_REQUEST="true").content.decode()
    assert f'id="cell-{reference().pk}-size"' in changed
    assert "hx-swap-oob" in changed
    assert "<dialog" not in changed
    assert MatrixCell.objects.get().value == "412 patients"


def test_a_stale_form_gets_both_texts_and_a_wrong_quote_keeps_what_was_typed(world: World) -> None:
    accept(world, "size")
    client, base = world.client(), f"/projects/{world.project.pk}/matrix/{reference().pk}/size/"
    stale = client.post(f"{base}change/", {"do": "save", "version": "0", "value": "mine", "quote": METHODS[:20]})
    assert stale.status_code == 409
    assert "Somebody changed this cell in the meantime." in text_of(stale.content)
    assert ">mine</textarea>" in stale.content.decode()
    wrong = client.post(f"{base}change/", {"do": "save", "version": "1", "value": "mine", "quote": "no such words"})
    assert wrong.status_code == 422
    assert ">no such words</textarea>" in wrong.content.decode()
    assert MatrixCell.objects.get().value == "412 patients"


def test_without_script_the_forms_work_and_readers_only_read(world: World) -> None:
    client, base = world.client(), f"/projects/{world.project.pk}/matrix/{reference().pk}/relevance/"
    sent = {"do": "save", "version": "0", "value": "central", "quote": "", "page": ""}
    assert client.post(f"{base}change/", sent)["Location"] == base
    assert "central" in text_of(client.get(base).content)
    world.person("rita", Role.READER)
    reader = world.client("rita")
    assert "<textarea" not in reader.get(base).content.decode()
    assert reader.post(f"{base}change/", {**sent, "version": "1"}).status_code == 403


def test_columns_are_added_renamed_and_taken_out_on_the_page(world: World) -> None:
    client, base = world.client(), f"/projects/{world.project.pk}/matrix/"
    client.post(f"{base}columns/", {"name": "Country"})
    own = OwnColumn.objects.get()
    client.post(f"{base}columns/", {"own": own.pk, "name": "Place"})
    assert "Place" in text_of(client.get(base).content)
    client.post(f"{base}columns/", {"own": own.pk, "name": "Place", "do": "remove"})
    assert "Place of" not in text_of(client.get(base).content)
    assert client.post(f"{base}columns/", {"own": "9" * 30, "name": "x"}).status_code == 404


def test_cells_of_other_projects_columns_and_references_are_not_found(world: World) -> None:
    client, base = world.client(), f"/projects/{world.project.pk}/matrix/{reference().pk}"
    for tail in ("/nothing/", "/own-99/", "/own-/"):
        assert client.get(f"{base}{tail}").status_code == 404
    assert client.get(f"/projects/{world.project.pk}/matrix/99999/size/").status_code == 404


def test_the_number_of_queries_does_not_grow_with_the_rows(world: World, django_assert_max_num_queries: Any) -> None:
    for number in range(3, 12):
        candidate = world.candidate(number, abstract=ABSTRACT)
        world.decide(candidate, "include")
    with django_assert_max_num_queries(6):
        rows_of(world.project, list(Reference.objects.for_list()), _heads())


def _heads() -> list[ColumnHead]:
    return [ColumnHead(str(key), str(key)) for key in Column]
