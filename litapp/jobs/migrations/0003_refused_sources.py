from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0002_places_and_budgets")]

    operations = [
        migrations.AlterField(
            model_name="sourcehealth",
            name="state",
            field=models.CharField(
                choices=[
                    ("closed", "Available"),
                    ("open", "Left alone"),
                    ("half_open", "Being probed"),
                    ("refused", "Refuses us"),
                ],
                default="closed",
                max_length=10,
            ),
        ),
    ]
