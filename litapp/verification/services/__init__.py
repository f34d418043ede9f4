"""Writes of verification. One path for both doors: records that sources returned, and lists that people bring.

For a list of references::

    rows = claims_request(project=..., claims=[Claim(record), Claim(text="Horby P. Dexa... 2021;384:693")])
    check_now(verification_ids=[row.pk for row in rows])     # a command waits; pages let the worker do it
    for finding in findings_of(Verification.objects.filter(pk__in=[...])):
        finding.verdict, finding.kind, finding.state, finding.reasons
        finding.corrections, finding.suggestions, finding.checks, finding.unanswered

* `requests.Claim`, `requests.claims_request`: n claims in, n rows out, in order. `Claim(record)` is a parsed reference,
  `Claim(text=...)` a citation that is matched as text; `Claim(record, text=...)` keeps the line beside the record.
  `returned_by` stays empty for what a person brought. A word by hand in the same project survives for an unchanged
  reference.
* `work.check_now`: one round for these rows in this process; what could not be asked stays "unverified", with the
  reason.
* A row is finished when `Verification.checked_at` is set; while `state` is waiting or queued after that, a silent
  source will be asked again by itself. Order by `litapp.verification.findings.worst_first()`.
* `litapp.verification.findings.findings_of(rows)`: what a page or report shows of each, in the order given; three
  queries for all. `Finding.matched` is the real record found for it (what may be taken into the references); a
  suggestion is never substituted.
* `corrections.correction_accept(verification=, field=, actor=)`: puts the right value into a brought record, keeps both
  values in the project's events, and has the reference checked again.
* `requests.recheck(verification=, actor=, sources=())`: again now, past stored answers, at these sources or at all.
* `requests.set_manual`; `source_summary.silences(queryset)`: one line a source.
* `statuses`: what became of a paper: `statuses_request(project=)` asks again where the last word is old;
  `notices_open(project)`, `notice_seen(...)`.
"""
