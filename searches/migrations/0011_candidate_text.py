"""Full-text index over candidates, kept by the database itself (`searches.text_search`)."""

from typing import Any

from django.db import migrations

from searches.text_search import install


def make(apps: Any, schema_editor: Any) -> None:
    install(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("searches", "0010_full_texts")]

    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
