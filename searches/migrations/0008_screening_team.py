"""Stages of screening, votes and what they come to, criteria, assignments, labels, notes, own words."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def fill_final(apps: Any, schema_editor: Any) -> None:
    """Until now a project had one stage: what was decided there is final."""
    apps.get_model("searches", "Candidate").objects.exclude(decision="").update(final=models.F("decision"))


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0002_own_keys"),
        ("searches", "0007_duplicates"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="candidate",
            name="final",
            field=models.CharField(
                blank=True,
                choices=[("", "Not decided"), ("include", "Include"), ("exclude", "Exclude"), ("maybe", "Maybe")],
                default="",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="candidate",
            name="fulltext",
            field=models.CharField(
                blank=True,
                choices=[("", "Not decided"), ("include", "Include"), ("exclude", "Exclude"), ("maybe", "Maybe")],
                default="",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="screeningdecision",
            name="resolution",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="screeningdecision",
            name="stage",
            field=models.CharField(
                choices=[("title", "Title / abstract"), ("fulltext", "Full text")], default="title", max_length=8
            ),
        ),
        migrations.CreateModel(
            name="CriteriaVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("content", models.JSONField()),
                ("why", models.CharField(blank=True, default="", max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="criteria_versions",
                        to="projects.project",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="screeningdecision",
            name="criteria_version",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="searches.criteriaversion",
            ),
        ),
        migrations.CreateModel(
            name="Criterion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.CharField(max_length=200)),
                ("prisma_text", models.CharField(blank=True, default="", max_length=200)),
                ("position", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="criteria", to="projects.project"
                    ),
                ),
            ],
            options={
                "ordering": ["project", "position", "pk"],
            },
        ),
        migrations.AddField(
            model_name="screeningdecision",
            name="criterion",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="searches.criterion",
            ),
        ),
        migrations.CreateModel(
            name="Label",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="labels", to="projects.project"
                    ),
                ),
            ],
            options={
                "ordering": ["project", "name"],
            },
        ),
        migrations.CreateModel(
            name="CandidateLabel",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "candidate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="labelled", to="searches.candidate"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "label",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="used", to="searches.label"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RecordNote",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField()),
                ("request_id", models.UUIDField(unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "candidate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="record_notes",
                        to="searches.candidate",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ScreeningStage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "stage",
                    models.CharField(choices=[("title", "Title / abstract"), ("fulltext", "Full text")], max_length=8),
                ),
                ("in_use", models.BooleanField(default=True)),
                ("screeners", models.PositiveSmallIntegerField(default=1)),
                ("blind", models.BooleanField(default=False)),
                (
                    "sharing",
                    models.CharField(
                        choices=[
                            ("everyone", "Everybody sees every record"),
                            ("assigned", "Each record has its screeners"),
                        ],
                        default="everyone",
                        max_length=8,
                    ),
                ),
                (
                    "keys",
                    models.CharField(
                        choices=[
                            ("litledger", "LitLedger"),
                            ("rayyan", "Rayyan"),
                            ("covidence", "Covidence"),
                            ("asreview", "ASReview"),
                        ],
                        default="litledger",
                        max_length=9,
                    ),
                ),
                ("pilot_size", models.PositiveIntegerField(default=0)),
                ("pilot_started_at", models.DateTimeField(blank=True, null=True)),
                ("pilot_locked_at", models.DateTimeField(blank=True, null=True)),
                ("unblinded_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="screening_stages",
                        to="projects.project",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ScreeningWord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("word", models.CharField(max_length=80)),
                (
                    "kind",
                    models.CharField(
                        choices=[("for", "Speaks for including"), ("against", "Speaks for excluding")], max_length=7
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="projects.project"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StageRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "stage",
                    models.CharField(choices=[("title", "Title / abstract"), ("fulltext", "Full text")], max_length=8),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("", "Not decided"),
                            ("partly", "Waits for another vote"),
                            ("agreed", "Decided"),
                            ("conflict", "Conflict"),
                            ("resolved", "Conflict resolved"),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Not decided"),
                            ("include", "Include"),
                            ("exclude", "Exclude"),
                            ("maybe", "Maybe"),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
                ("votes", models.PositiveSmallIntegerField(default=0)),
                ("pilot", models.BooleanField(default=False)),
                ("needed", models.PositiveSmallIntegerField(default=0)),
                (
                    "not_retrieved",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Retrieved, or not tried yet"),
                            ("paywall", "Behind a paywall"),
                            ("no_copy", "No copy found"),
                            ("language", "In a language nobody here reads"),
                            ("withdrawn", "Withdrawn by its publisher"),
                        ],
                        default="",
                        max_length=10,
                    ),
                ),
                (
                    "candidate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stage_records",
                        to="searches.candidate",
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="searches.screeningdecision",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="projects.project"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Vote",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "stage",
                    models.CharField(choices=[("title", "Title / abstract"), ("fulltext", "Full text")], max_length=8),
                ),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Not decided"),
                            ("include", "Include"),
                            ("exclude", "Exclude"),
                            ("maybe", "Maybe"),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
                ("version", models.PositiveIntegerField(default=0)),
                ("decided_at", models.DateTimeField(null=True)),
                (
                    "candidate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="votes", to="searches.candidate"
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="searches.screeningdecision",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="projects.project"
                    ),
                ),
                (
                    "reviewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "stage",
                    models.CharField(choices=[("title", "Title / abstract"), ("fulltext", "Full text")], max_length=8),
                ),
                (
                    "how",
                    models.CharField(
                        choices=[
                            ("pilot", "Calibration"),
                            ("share", "By share"),
                            ("label", "By label"),
                            ("rerouted", "Taken over from a member who left"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "candidate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="assignments", to="searches.candidate"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="projects.project"
                    ),
                ),
                (
                    "reviewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["project", "stage", "reviewer", "candidate"], name="work_of_person")],
                "constraints": [
                    models.UniqueConstraint(fields=("candidate", "stage", "reviewer"), name="assigned_once")
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="criteriaversion",
            constraint=models.UniqueConstraint(fields=("project", "number"), name="one_criteria_version_per_number"),
        ),
        migrations.AddConstraint(
            model_name="criterion",
            constraint=models.UniqueConstraint(fields=("project", "position"), name="one_criterion_per_place"),
        ),
        migrations.AddConstraint(
            model_name="label",
            constraint=models.UniqueConstraint(fields=("project", "name"), name="one_label_per_name"),
        ),
        migrations.AddConstraint(
            model_name="candidatelabel",
            constraint=models.UniqueConstraint(fields=("candidate", "label", "person"), name="labelled_once"),
        ),
        migrations.AddConstraint(
            model_name="screeningstage",
            constraint=models.UniqueConstraint(fields=("project", "stage"), name="one_row_per_stage"),
        ),
        migrations.AddConstraint(
            model_name="screeningstage",
            constraint=models.CheckConstraint(
                condition=models.Q(("screeners__in", [1, 2])), name="one_or_two_screeners"
            ),
        ),
        migrations.AddConstraint(
            model_name="screeningstage",
            constraint=models.CheckConstraint(
                condition=models.Q(("blind", False), ("screeners", 2), _connector="OR"),
                name="blind_needs_two_screeners",
            ),
        ),
        migrations.AddConstraint(
            model_name="screeningword",
            constraint=models.UniqueConstraint(fields=("project", "person", "word"), name="own_word_once"),
        ),
        migrations.AddIndex(
            model_name="stagerecord",
            index=models.Index(fields=["project", "stage", "state", "candidate"], name="records_by_state"),
        ),
        migrations.AddConstraint(
            model_name="stagerecord",
            constraint=models.UniqueConstraint(fields=("candidate", "stage"), name="one_state_per_stage"),
        ),
        migrations.AddIndex(
            model_name="vote",
            index=models.Index(
                fields=["project", "stage", "reviewer", "decision", "candidate"], name="votes_of_person"
            ),
        ),
        migrations.AddConstraint(
            model_name="vote",
            constraint=models.UniqueConstraint(fields=("candidate", "stage", "reviewer"), name="one_vote_per_person"),
        ),
        migrations.RunPython(fill_final, migrations.RunPython.noop),
    ]
