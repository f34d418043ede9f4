"""The project's log: append-only entries, each hashing the one before it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from litapp.projects.models import Event, Project

VERBS = {
    "project.created": "created the project",
    "project.renamed": "renamed the project",
    "project.deleted": "deleted the project",
    "invitation.created": "made an invitation link",
    "invitation.accepted": "accepted an invitation",
    "invitation.revoked": "withdrew an invitation",
    "member.role_changed": "changed a role",
    "member.removed": "removed a member",
    "plan.created": "began a search plan",
    "plan.saved": "saved a search plan",
    "plan.version_created": "began a new version of a search plan",
    "plan.approved": "approved a search plan",
    "plan.counted": "counted hits of a search plan",
    "plan.imported": "imported a search plan",
    "run.started": "started a run",
    "run.imported": "imported a run",
    "run.cancelled": "cancelled a run",
    "run.resumed": "resumed a run",
    "run.stood_in": "asked Europe PMC in place of PubMed in a run",
    "run.finished": "finished a run",
    "run.replayed": "replayed a run from its archived answers",
    "abstracts.asked": "asked for missing abstracts",
    "abstracts.filled": "finished a search for missing abstracts",
    "passages.asked": "asked for passages of papers",
    "passages.cancelled": "cancelled a search for passages",
    "passages.resumed": "resumed a search for passages",
    "passages.finished": "finished a search for passages",
    "records.brought": "brought records",
    "import.started": "imported records",
    "import.repeated": "imported a file that was imported before: nothing was added",
    "import.described": "changed what is told of an imported search",
    "import.cancelled": "cancelled an import",
    "import.resumed": "resumed an import",
    "import.finished": "finished an import",
    "import.undo_asked": "began to undo an import",
    "import.undone": "undid an import",
    "import.method_set": "said how an import's records were identified",
    "search_report.stated": "stated something for the search report",
    "record.added": "added a record by hand",
    "candidates.merged": "merged candidates",
    "candidates.parted": "parted candidates that had been merged",
    "duplicates.joined": "answered that two candidates are one paper",
    "duplicates.kept_apart": "answered that two candidates are not duplicates",
    "duplicates.parted": "took records out of a candidate",
    "duplicates.answer_undone": "took back an answer on duplicates",
    "study.joined": "put reports into one study",
    "study.left": "took a report out of a study",
    "screening.decided": "decided on a candidate",
    "screening.decided_many": "decided on several candidates",
    "screening.undone": "took a decision back",
    "screening.resolved": "settled a conflict",
    "screening.set_up": "set how a stage is screened",
    "screening.unblinded": "lifted the blinding of a stage",
    "screening.closed": "closed a stage of screening",
    "screening.reopened": "opened a stage of screening again",
    "screening.pilot_started": "started a calibration round",
    "screening.pilot_locked": "locked a calibration round",
    "screening.assigned": "gave records to screeners",
    "ranking.started": "switched prioritised screening on",
    "ranking.stopped": "switched prioritised screening off",
    "ranking.sample_drawn": "drew a random sample of the unread records for the stopping test",
    "ranking.sample_read": "read the sample for the stopping test completely",
    "ranking.sample_void": "the sample for the stopping test proves nothing any more",
    "ranking.stopping_accepted": "accepted that screening stops (certificate)",
    "screening.not_retrieved": "said whether a full text could be had",
    "criteria.saved": "changed the list of criteria",
    "note.added": "wrote a note on a record",
    "note.removed": "took a note back",
    "label.added": "put a label on a record",
    "label.removed": "took a label off a record",
    "verification.rechecked": "asked for a new check",
    "verification.corrected": "put the right value into a reference",
    "status_notice.seen": "saw the notice about a reference",
    "verification.manual": "confirmed a record by hand",
    "reference.added": "added a reference",
    "reference.removed": "removed a reference",
    "reference.restored": "put a reference back",
    "reference.note_saved": "changed the note of a reference",
    "matrix.filled": "filled a cell of the literature matrix",
    "matrix.checked": "checked a cell of the literature matrix",
    "matrix.cleared": "cleared a cell of the literature matrix",
    "matrix.undone": "took back a change of the literature matrix",
    "matrix.column_added": "added a column to the literature matrix",
    "matrix.column_renamed": "renamed a column of the literature matrix",
    "matrix.column_removed": "took a column out of the literature matrix",
    "fulltext.sought": "asked for full texts",
    "fulltext.searched": "looked for the full text of a reference",
    "fulltext.cancelled": "stopped the search for full texts",
    "fulltext.resumed": "resumed the search for full texts",
    "fulltext.brought": "brought files of full texts",
    "fulltext.matched": "matched brought files with references",
    "fulltext.answered": "said which paper a file is",
    "fulltext.not_retrieved": "decided that a full text cannot be had",
    "fulltext.reopened": "put a full text back among those that are sought",
    "draft.asked": "asked the model for a draft",
    "briefing.asked": "asked for a briefing",
    "briefing.finished": "finished a briefing",
    "briefing.cancelled": "stopped a briefing",
    "briefing.resumed": "resumed a briefing",
    "export.requested": "asked for an export",
    "export.finished": "finished an export",
    "export.stopped": "stopped an export: checks did not pass",
    "export.overridden": "let an export go out although checks did not pass",
    "summary.setup_saved": "changed kind or limits of the evidence summary",
    "summary.topic_added": "added a topic to the evidence summary",
    "summary.topic_saved": "changed a topic of the evidence summary",
    "summary.topic_removed": "took a topic out of the evidence summary",
    "summary.topics_ordered": "changed the order of the topics",
    "summary.quote_added": "put a quote under a topic",
    "summary.quote_removed": "took a quote out of a topic",
    "summary.sentence_decided": "let a sentence of the evidence summary stand",
    "summary.decision_undone": "took back that a sentence may stand",
    "list.check_started": "brought a list of references to be checked",
    "list.checked": "checked a list of references",
    "list.check_cancelled": "cancelled the check of a list",
    "list.check_resumed": "resumed the check of a list",
    "list.rechecked": "asked the sources again about a whole list",
    "paper_search.started": "searched for papers",
    "paper_search.taken": "took found papers into the project",
    "list.taken": "took references of a checked list into the project",
}
"""verb -> what the history page says ("A. Weber <phrase>"). An unlisted verb is shown as it is."""
AREAS = {
    "abstracts": "Missing abstracts",
    "briefing": "Briefings",
    "candidates": "Merging of candidates",
    "criteria": "Criteria",
    "draft": "AI drafts",
    "duplicates": "Answers on duplicates",
    "export": "Exports",
    "fulltext": "Full texts",
    "import": "Imports",
    "invitation": "Invitations",
    "label": "Labels",
    "list": "Checked lists",
    "matrix": "Literature matrix",
    "member": "Members",
    "note": "Notes on records",
    "paper_search": "Quick cite, related papers, pools",
    "passages": "Passages of papers",
    "plan": "Search plans",
    "project": "Project",
    "ranking": "Prioritised screening",
    "record": "Records added by hand",
    "records": "Records brought",
    "reference": "References",
    "run": "Runs",
    "screening": "Screening",
    "search_report": "Search report",
    "status_notice": "Notices of retractions",
    "study": "Studies",
    "summary": "Evidence summary",
    "verification": "Verification",
}
"""First part of a verb -> what the history page's filter calls it."""


@dataclass(frozen=True, slots=True)
class ChainReport:
    """Result of reading a project's log from its start: `broken_at` is the first sequence number that does not fit."""

    entries: int
    last_hash: str
    broken_at: int | None = None
    reason: str = ""

    @property
    def intact(self) -> bool:
        return self.broken_at is None


def event_hash(event: Event) -> str:
    """sha256 (hex) over everything an entry says and the hash of the one before it."""
    body = {
        "project": event.project_id,
        "sequence": event.sequence,
        "actor": event.actor_id,
        "verb": event.verb,
        "subject": event.subject,
        "payload": event.payload,
        "created_at": event.created_at.astimezone(UTC).isoformat(timespec="microseconds"),
        "previous_hash": event.previous_hash,
    }
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@transaction.atomic
def record_event(
    *, project: Project, actor: User | None, verb: str, subject: str = "", payload: dict[str, Any] | None = None
) -> Event:
    """Append one entry to the project's log and return it. `actor` None = LitLedger itself.

    The project's row is locked first, so that two writers never take the same number (SQLite: the IMMEDIATE
    transaction is the lock). `payload` must be JSON; dates and ids inside are turned to text.
    """
    Project.objects.select_for_update(no_key=True).values_list("pk").get(pk=project.pk)
    last = Event.objects.filter(project=project).order_by("-sequence").first()
    event = Event(
        project=project,
        sequence=last.sequence + 1 if last else 1,
        actor=actor,
        verb=verb,
        subject=subject,
        payload=json.loads(json.dumps(payload or {}, default=_as_text)),
        created_at=timezone.now(),
        previous_hash=last.hash if last else "",
    )
    event.hash = event_hash(event)
    event.save(force_insert=True)
    return event


def verify_chain(project: Project) -> ChainReport:
    """Read the whole log and say whether any entry was changed, taken out or put in afterwards.

    Entries cut off at the end leave no trace inside the log: compare `last_hash` with one that was written down.
    """
    number, previous = 0, ""
    for event in Event.objects.filter(project=project).order_by("sequence").iterator(chunk_size=2000):
        number += 1
        if event.sequence != number:
            return ChainReport(number - 1, previous, number, f"Entry {number} is missing.")
        if event.previous_hash != previous:
            return ChainReport(number - 1, previous, number, f"Entry {number} does not follow from the one before it.")
        if event.hash != event_hash(event):
            return ChainReport(number - 1, previous, number, f"Entry {number} was changed after it was written.")
        previous = event.hash
    return ChainReport(number, previous)


def _as_text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
