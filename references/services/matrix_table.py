"""The project's literature matrix as it goes into documents and tables."""

from __future__ import annotations

from collections.abc import Sequence

from litapp.core.formats.entry import ExportEntry
from litapp.core.formats.matrixtable import MatrixTable, TableCell, TableLine
from litapp.projects.models import Project
from litapp.projects.people import name_of
from litapp.verification.presentation import source_label
from references.models import FilledBy, MatrixCell, Reference
from references.services.matrix_reading import basis_counts, basis_of, cells_of, columns_of


def matrix_table(project: Project, entries: Sequence[ExportEntry]) -> MatrixTable:
    """The rows of these entries, in their order. Four queries, whatever their number."""
    heads = columns_of(project)
    current = Reference.objects.filter(project=project).current().for_list()
    references = {reference.key: reference for reference in current}
    cells, basis = cells_of(references.values()), basis_of(references.values())
    lines = tuple(
        TableLine(
            entry,
            basis[references[entry.key].pk].value,
            tuple(table_cell(cells.get((references[entry.key].pk, head.key))) for head in heads),
        )
        for entry in entries
    )
    counted = {references[entry.key].pk: basis[references[entry.key].pk] for entry in entries}
    return MatrixTable(
        tuple(head.label for head in heads), lines, tuple((one.value, n) for one, n in basis_counts(counted))
    )


def table_cell(cell: MatrixCell | None) -> TableCell:
    """A cell in words."""
    if cell is None or not cell.state:
        return TableCell()
    checked = ""
    if cell.checked_at:
        checked = f"{name_of(cell.checked_by)}, {cell.checked_at:%Y-%m-%d}"
    return TableCell(cell.state, cell.value, cell.quote, where_of(cell), _filled_by(cell), checked)


def where_of(cell: MatrixCell) -> str:
    """Where the quote stands: "abstract, METHODS, PubMed"."""
    source = source_label(cell.source_record.source) if cell.source_record else ""
    if cell.place == "abstract":
        return ", ".join(part for part in ("abstract", cell.section_label, source) if part)
    if cell.place == "publication_types":
        return f"publication types, {source}"
    if cell.place == "mesh":
        return f"MeSH headings, {source}"
    if cell.place == "full_text":
        kept = source_label(cell.full_text.source) if cell.full_text else ""
        page = f"page {cell.page}" if cell.page else ""
        return ", ".join(part for part in ("full text", cell.section_label, page, kept) if part)
    if cell.place == "passage":
        kept = source_label(cell.passage.source) if cell.passage else ""
        return ", ".join(part for part in ("passage", cell.section_label, kept) if part)
    return f"page {cell.page} of the document" if cell.place == "page" else ""


def _filled_by(cell: MatrixCell) -> str:
    if cell.filled_by == FilledBy.RULE:
        return f"rule “{cell.rule}”, version {cell.rule_version}"
    if cell.filled_by == FilledBy.MODEL:
        day = f", {cell.filled_at:%Y-%m-%d}" if cell.filled_at else ""
        return f"AI draft: {cell.model}{day}"
    return f"written by {name_of(cell.person)}" if cell.person else ""
