"""Short searches for papers (quick cite, related papers, seeds, reference pool) and what they found."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0001_initial"),
        ("projects", "0002_own_keys"),
        ("searches", "0008_screening_team"),
        ("verification", "0004_lists_and_notices"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PaperSearch",
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
                (
                    "mode",
                    models.CharField(
                        choices=[
                            ("quick_cite", "Quick cite"),
                            ("related", "Related papers"),
                            ("seeds", "Seed papers"),
                            ("pool", "Reference pool"),
                        ],
                        max_length=12,
                    ),
                ),
                ("request_id", models.UUIDField(unique=True)),
                ("title", models.CharField(max_length=300)),
                ("question", models.JSONField(default=dict)),
                ("asked", models.JSONField(blank=True, default=list)),
                ("result", models.JSONField(blank=True, default=dict)),
                ("searched_at", models.DateTimeField(blank=True, null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="paper_searches",
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
                (
                    "version",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="paper_searches",
                        to="searches.searchplanversion",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="FoundPaper",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("place", models.PositiveIntegerField()),
                ("group", models.CharField(blank=True, default="", max_length=20)),
                ("label", models.CharField(blank=True, default="", max_length=200)),
                ("why", models.JSONField(blank=True, default=list)),
                ("passage", models.JSONField(blank=True, default=dict)),
                ("cut", models.CharField(blank=True, default="", max_length=200)),
                (
                    "candidate",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="found_papers",
                        to="searches.candidate",
                    ),
                ),
                (
                    "main_record",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.sourcerecord"
                    ),
                ),
                ("records", models.ManyToManyField(related_name="found_papers", to="ledger.sourcerecord")),
                (
                    "verification",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="found_paper",
                        to="verification.verification",
                    ),
                ),
                (
                    "search",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="papers", to="searches.papersearch"
                    ),
                ),
            ],
            options={
                "ordering": ["search", "place"],
            },
        ),
        migrations.AddConstraint(
            model_name="papersearch",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("mode", "seeds"), ("version__isnull", False)),
                    models.Q(models.Q(("mode", "seeds"), _negated=True), ("version__isnull", True)),
                    _connector="OR",
                ),
                name="seeds_belong_to_a_plan_version",
            ),
        ),
        migrations.AddConstraint(
            model_name="foundpaper",
            constraint=models.UniqueConstraint(fields=("search", "place"), name="found_papers_in_order"),
        ),
    ]
