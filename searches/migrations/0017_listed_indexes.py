"""Indexes of lists and counts begin with what makes a candidate listed: a count reads the index and not the records."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("searches", "0016_frozen_strings")]

    operations = [
        migrations.RemoveIndex(model_name="candidate", name="candidate_queue"),
        migrations.RemoveIndex(model_name="candidate", name="candidate_by_year"),
        migrations.RemoveIndex(model_name="candidate", name="candidate_by_fit"),
        migrations.RemoveIndex(model_name="candidate", name="candidate_counts"),
        migrations.AddIndex(
            model_name="candidate",
            index=models.Index(fields=["project", "merged_into", "withdrawn_at", "-fit", "id"], name="listed_by_fit"),
        ),
        migrations.AddIndex(
            model_name="candidate",
            index=models.Index(
                fields=["project", "merged_into", "withdrawn_at", "decision", "-fit", "id"], name="listed_by_decision"
            ),
        ),
        migrations.AddIndex(
            model_name="candidate",
            index=models.Index(fields=["project", "merged_into", "withdrawn_at", "year", "id"], name="listed_by_year"),
        ),
        migrations.AddIndex(
            model_name="candidate",
            index=models.Index(
                fields=["project", "merged_into", "withdrawn_at", "verification", "decision", "final", "fit", "year"],
                name="listed_by_verdict",
            ),
        ),
        migrations.AddIndex(
            model_name="stagerecord",
            index=models.Index(fields=["project", "stage", "votes", "candidate"], name="records_by_votes"),
        ),
    ]
