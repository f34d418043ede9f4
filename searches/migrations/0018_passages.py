"""Passages that a source returned of papers: the searches for them, what came of each paper, the passages."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0002_mesh_answers"),
        ("projects", "0002_own_keys"),
        ("searches", "0017_listed_indexes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PassageSearch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("waiting", "Waiting"),
                            ("done", "Done"),
                            ("partial", "Partial"),
                            ("failed", "Failed"),
                            ("skipped", "Skipped"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("lease_token", models.CharField(blank=True, default="", max_length=32)),
                ("leased_by", models.CharField(blank=True, default="", max_length=80)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("not_before", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(blank=True, null=True)),
                ("message", models.TextField(blank=True, default="")),
                ("hint", models.TextField(blank=True, default="")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("request_id", models.UUIDField(unique=True)),
                ("words", models.CharField(max_length=500)),
                ("chosen", models.JSONField(default=list)),
                ("counts", models.JSONField(blank=True, default=dict)),
                ("troubles", models.JSONField(blank=True, default=list)),
                ("cancel_requested_at", models.DateTimeField(blank=True, null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passage_searches",
                        to="projects.project",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="PassageLookup",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("found", "papers with passages"),
                            ("none", "no passage about these words"),
                            ("absent", "the source does not have the paper"),
                            ("other_paper", "another paper under this identifier"),
                            ("no_identifier", "no identifier that the source takes: nothing was sent"),
                            ("not_asked", "the source could not be asked"),
                        ],
                        max_length=13,
                    ),
                ),
                ("passages", models.PositiveIntegerField(default=0)),
                ("message", models.TextField(blank=True, default="")),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                (
                    "answer",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="ledger.sourceanswer",
                    ),
                ),
                (
                    "candidate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passage_lookups",
                        to="searches.candidate",
                    ),
                ),
                (
                    "search",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="lookups", to="searches.passagesearch"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("search", "candidate"), name="a_paper_is_looked_at_once_a_passage_search"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StoredPassage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source", models.CharField(max_length=40)),
                ("position", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("section", models.TextField(blank=True, default="")),
                ("kind", models.CharField(blank=True, default="", max_length=40)),
                ("words", models.CharField(max_length=500)),
                ("found_at", models.DateTimeField(auto_now_add=True)),
                (
                    "answer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.sourceanswer"
                    ),
                ),
                (
                    "candidate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="passages", to="searches.candidate"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("candidate", "answer", "position"), name="a_passage_is_stored_once")
                ],
            },
        ),
    ]
