"""Rows from which the PRISMA flow is counted at a past date: moves of records, methods of imports, lost reports."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ledger', '0002_mesh_answers'),
        ('projects', '0002_own_keys'),
        ('searches', '0011_candidate_text'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ImportMethod',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('method', models.CharField(choices=[('database', 'Database'), ('register', 'Register'), ('website', 'Website or hand search'), ('organisation', 'Organisation'), ('citations', 'Citation searching'), ('previous', 'Previous version of this review')], max_length=12)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('chosen_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('record_import', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='methods', to='searches.recordimport')),
            ],
        ),
        migrations.CreateModel(
            name='ReportOutcome',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('not_retrieved', models.BooleanField()),
                ('reason', models.CharField(blank=True, default='', max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('actor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='report_outcomes', to='searches.candidate')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='projects.project')),
            ],
        ),
        migrations.CreateModel(
            name='RecordMove',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('came_to', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='searches.candidate')),
                ('left', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='searches.candidate')),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='projects.project')),
                ('source_record', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ledger.sourcerecord')),
            ],
            options={
                'indexes': [models.Index(fields=['project', 'created_at'], name='record_moves_by_time')],
            },
        ),
    ]
