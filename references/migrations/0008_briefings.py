# Briefings: versions of a topic, their papers with summaries.

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ledger', '0002_mesh_answers'),
        ('projects', '0002_own_keys'),
        ('references', '0007_summaries'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Briefing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('waiting', 'Waiting'), ('done', 'Done'), ('partial', 'Partial'), ('failed', 'Failed'), ('skipped', 'Skipped'), ('cancelled', 'Cancelled')], default='queued', max_length=10)),
                ('lease_token', models.CharField(blank=True, default='', max_length=32)),
                ('leased_by', models.CharField(blank=True, default='', max_length=80)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('not_before', models.DateTimeField(blank=True, null=True)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('done', models.PositiveIntegerField(default=0)),
                ('total', models.PositiveIntegerField(blank=True, null=True)),
                ('message', models.TextField(blank=True, default='')),
                ('hint', models.TextField(blank=True, default='')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('request_id', models.UUIDField(unique=True)),
                ('topic', models.CharField(choices=[('question', 'A question or query'), ('gene', 'A gene'), ('disease', 'A disease')], default='question', max_length=10)),
                ('asked', models.TextField()),
                ('asked_key', models.CharField(max_length=64)),
                ('number', models.PositiveIntegerField()),
                ('papers', models.PositiveSmallIntegerField(default=10)),
                ('with_model', models.BooleanField(default=False)),
                ('input_sha256', models.CharField(max_length=64)),
                ('warnings', models.JSONField(blank=True, default=list)),
                ('found', models.PositiveBigIntegerField(blank=True, null=True)),
                ('query_sent', models.TextField(blank=True, default='')),
                ('read_at', models.DateTimeField(blank=True, null=True)),
                ('document', models.JSONField(blank=True, default=dict)),
                ('environment', models.JSONField(blank=True, default=dict)),
                ('cancel_requested_at', models.DateTimeField(blank=True, null=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='briefings', to='projects.project')),
                ('requested_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='BriefingPaper',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.PositiveSmallIntegerField()),
                ('summary', models.JSONField(blank=True, default=dict)),
                ('briefing', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='references.briefing')),
                ('source_record', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='briefing_papers', to='ledger.sourcerecord')),
            ],
            options={
                'ordering': ['briefing', 'place'],
            },
        ),
        migrations.AddConstraint(
            model_name='briefing',
            constraint=models.UniqueConstraint(fields=('project', 'asked_key', 'number'), name='briefing_versions_are_numbered'),
        ),
        migrations.AddConstraint(
            model_name='briefingpaper',
            constraint=models.UniqueConstraint(fields=('briefing', 'place'), name='papers_of_a_briefing_in_order'),
        ),
    ]
