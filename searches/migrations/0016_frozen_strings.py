"""The strings for other databases as they were when a version was approved."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("searches", "0015_ranking")]

    operations = [
        migrations.CreateModel(
            name="FrozenString",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("query_index", models.PositiveIntegerField()),
                ("database", models.CharField(max_length=40)),
                ("text", models.TextField(blank=True, default="")),
                ("summary", models.TextField(blank=True, default="")),
                ("proved", models.BooleanField(default=False)),
                ("exact", models.PositiveIntegerField(default=0)),
                ("changes", models.JSONField(default=list)),
                ("methods_text", models.TextField(blank=True, default="")),
                ("frozen_at", models.DateTimeField(auto_now_add=True)),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="frozen_strings",
                        to="searches.searchplanversion",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("version", "query_index", "database"), name="one_frozen_string_a_database"
                    )
                ],
            },
        ),
    ]
