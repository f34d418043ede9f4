"""Pairs of records, people's answers, studies; keys belong to records. Fills them for what is there already."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from litapp.core.dedupe import Pair, Relation, compare_all, entry_key
from litapp.core.dedupe.blocking import keys_of
from litapp.core.dedupe.features import features_of
from litapp.core.records import record_from_dict

SUPPLEMENT = "abstract_lookup"
JOINED = {"relation": "same", "rule": "joined_before", "why": "Joined before reasons were kept."}


def fill(apps: Any, schema_editor: Any) -> None:
    """Entries, homes, keys and pairs of all records, project by project; groups stay as they are."""
    links = apps.get_model("searches", "CandidateSource").objects
    for project in links.order_by("project_id").values_list("project_id", flat=True).distinct():
        _fill_project(apps, project)


def _fill_project(apps: Any, project: int) -> None:
    link_model, key_model, pair_model = (
        apps.get_model("searches", name) for name in ("CandidateSource", "BlockKey", "RecordPair")
    )
    records, groups = {}, defaultdict(list)
    rows = link_model.objects.filter(project_id=project).select_related("source_record").order_by("pk")
    for link in rows.iterator(500):
        record = record_from_dict(link.source_record.data)
        link.entry, link.home_id = entry_key(record), link.candidate_id
        link.save(update_fields=["entry", "home"])
        if link.rule != SUPPLEMENT:
            records[f"{link.pk:020}"] = record
            groups[link.candidate_id].append(f"{link.pk:020}")
    found = {(pair.a, pair.b): pair for pair in compare_all(records)}
    for members in groups.values():
        for one, other in combinations(sorted(members), 2):
            if (one, other) not in found or found[one, other].verdict.relation is not Relation.SAME:
                found[one, other] = Pair(one, other, None)  # type: ignore[arg-type]
    pair_model.objects.bulk_create(
        (
            pair_model(
                project_id=project, a_id=int(pair.a), b_id=int(pair.b),
                **(
                    {"relation": v.relation.value, "rule": v.rule[:60], "why": v.why[:300], "rank": v.rank}
                    if (v := pair.verdict) is not None
                    else JOINED
                ),
            )
            for pair in found.values()
        ),
        batch_size=1000,
    )  # fmt: skip
    key_model.objects.bulk_create(
        (
            key_model(project_id=project, link_id=int(name), key=key)
            for name, record in records.items()
            for key in sorted({key[:200] for key in keys_of(features_of(record))})
        ),
        batch_size=2000,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0001_initial"),
        ("searches", "0006_imports"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.DeleteModel(name="BlockKey"),
        migrations.AddField(
            model_name="candidatesource",
            name="entry",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.AddField(
            model_name="candidatesource",
            name="home",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="home_records",
                to="searches.candidate",
            ),
        ),
        migrations.AddField(
            model_name="screeningdecision",
            name="made_on",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="searches.candidate",
            ),
        ),
        migrations.CreateModel(
            name="BlockKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=200)),
                (
                    "link",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="block_keys",
                        to="searches.candidatesource",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="projects.project",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RecordPair",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "relation",
                    models.CharField(
                        choices=[("same", "same"), ("companion", "companion"), ("doubtful", "doubtful")], max_length=10
                    ),
                ),
                ("rule", models.CharField(max_length=60)),
                ("why", models.CharField(max_length=300)),
                ("rank", models.FloatField(default=0.0)),
                ("queued", models.BooleanField(default=False)),
                (
                    "a",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pairs_after",
                        to="searches.candidatesource",
                    ),
                ),
                (
                    "b",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pairs_before",
                        to="searches.candidatesource",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="projects.project",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PairDecision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("a", models.CharField(max_length=64)),
                ("b", models.CharField(max_length=64)),
                (
                    "answer",
                    models.CharField(choices=[("same", "The same record"), ("apart", "Not duplicates")], max_length=5),
                ),
                ("request_id", models.UUIDField()),
                ("subject", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pair_decisions",
                        to="projects.project",
                    ),
                ),
                (
                    "undone_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Study",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("label", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="studies", to="projects.project"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StudyReport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("added_at", models.DateTimeField(auto_now_add=True)),
                (
                    "added_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "candidate",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="study_report",
                        to="searches.candidate",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reports", to="searches.study"
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="candidatesource", index=models.Index(fields=["project", "entry"], name="same_entries")
        ),
        migrations.AddConstraint(
            model_name="blockkey",
            constraint=models.UniqueConstraint(fields=("project", "key", "link"), name="block_key_of_a_record_once"),
        ),
        migrations.AddIndex(
            model_name="recordpair",
            index=models.Index(
                condition=models.Q(("queued", True)),
                fields=["project", "-rank", "id"],
                name="doubtful_pairs_in_order",
            ),
        ),
        migrations.AddConstraint(
            model_name="recordpair",
            constraint=models.UniqueConstraint(fields=("a", "b"), name="a_pair_once"),
        ),
        migrations.AddIndex(
            model_name="pairdecision", index=models.Index(fields=["project", "a"], name="pair_decisions_by_a")
        ),
        migrations.AddIndex(
            model_name="pairdecision", index=models.Index(fields=["project", "b"], name="pair_decisions_by_b")
        ),
        migrations.AddConstraint(
            model_name="pairdecision",
            constraint=models.UniqueConstraint(fields=("project", "request_id", "a", "b"), name="pair_answered_once"),
        ),
        migrations.AddConstraint(
            model_name="pairdecision",
            constraint=models.CheckConstraint(condition=models.Q(("a__lte", models.F("b"))), name="pair_smaller_first"),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
