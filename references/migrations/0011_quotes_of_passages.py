"""Cells of the matrix may rest on a stored passage."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("references", "0010_column_drafts"),
        ("searches", "0018_passages"),
    ]

    operations = [
        migrations.AddField(
            model_name="matrixcell",
            name="passage",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to="searches.storedpassage",
            ),
        ),
        migrations.AlterField(
            model_name="matrixcell",
            name="place",
            field=models.CharField(
                blank=True,
                choices=[
                    ("abstract", "abstract"),
                    ("publication_types", "publication_types"),
                    ("mesh", "mesh"),
                    ("full_text", "full_text"),
                    ("passage", "passage"),
                    ("page", "page"),
                ],
                default="",
                max_length=20,
            ),
        ),
        migrations.AddConstraint(
            model_name="matrixcell",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("place", "passage"), _negated=True),
                    models.Q(("end__gt", models.F("start")), ("passage__isnull", False), ("start__isnull", False)),
                    _connector="OR",
                ),
                name="quote_of_a_passage_has_its_place",
            ),
        ),
    ]
