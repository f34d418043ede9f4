"""Where the terms of a plan came from, the hits of its parts, and what is searched by hand beside the databases."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

USER = settings.AUTH_USER_MODEL
KEY = models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0002_mesh_answers"),
        ("searches", "0012_prisma"),
        migrations.swappable_dependency(USER),
    ]

    operations = [
        migrations.CreateModel(
            name="TermOrigin",
            fields=[
                ("id", KEY),
                ("term", models.CharField(max_length=500)),
                ("origin", models.CharField(max_length=40)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=USER),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="term_origins",
                        to="searches.searchplan",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("plan", "term"), name="one_origin_per_term")],
            },
        ),
        migrations.CreateModel(
            name="PartCount",
            fields=[
                ("id", KEY),
                ("text", models.TextField()),
                ("text_hash", models.CharField(max_length=64)),
                ("total", models.PositiveBigIntegerField(null=True)),
                ("error", models.TextField(blank=True, default="")),
                ("counted_at", models.DateTimeField(auto_now_add=True)),
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
                    "plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="part_counts",
                        to="searches.searchplan",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["plan", "text_hash", "-counted_at"], name="part_count_by_text")],
            },
        ),
        migrations.CreateModel(
            name="OtherMethod",
            fields=[
                ("id", KEY),
                ("name", models.CharField(max_length=200)),
                ("address", models.URLField(blank=True, default="", max_length=400)),
                ("added_at", models.DateTimeField(auto_now_add=True)),
                ("searched_on", models.DateField(null=True)),
                ("note", models.CharField(blank=True, default="", max_length=1000)),
                (
                    "added_by",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=USER),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="other_methods",
                        to="searches.searchplan",
                    ),
                ),
                (
                    "searched_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=USER
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [models.UniqueConstraint(fields=("plan", "name"), name="one_other_method_per_name")],
            },
        ),
    ]
