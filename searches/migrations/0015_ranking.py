"""Prioritised screening: frozen settings, orders, places of records, stopping samples."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('projects', '0002_own_keys'),
        ('searches', '0014_prisma_statements'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Ranking',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('in_use', models.BooleanField(default=True)),
                ('seed', models.PositiveBigIntegerField()),
                ('settings', models.JSONField()),
                ('question', models.JSONField(default=list)),
                ('control_share', models.FloatField()),
                ('started_at', models.DateTimeField(auto_now_add=True)),
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='ranking', to='projects.project')),
                ('started_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='RankingOrder',
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
                ('trainings', models.PositiveIntegerField(default=0)),
                ('relevant', models.PositiveIntegerField(default=0)),
                ('irrelevant', models.PositiveIntegerField(default=0)),
                ('records', models.PositiveIntegerField(default=0)),
                ('whole_at', models.PositiveIntegerField(default=0)),
                ('sample', models.PositiveIntegerField(default=0)),
                ('trained_at', models.DateTimeField(blank=True, null=True)),
                ('seconds', models.FloatField(blank=True, null=True)),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('ranking', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='orders', to='searches.ranking')),
            ],
        ),
        migrations.CreateModel(
            name='RankedRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.BigIntegerField()),
                ('position', models.PositiveIntegerField()),
                ('training', models.PositiveIntegerField()),
                ('mark', models.CharField(blank=True, choices=[('', 'By the ranking'), ('control', 'Random control'), ('sample', 'Random sample for the stopping test')], default='', max_length=7)),
                ('why', models.JSONField(blank=True, default=dict)),
                ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places', to='searches.candidate')),
                ('order', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ranked', to='searches.rankingorder')),
            ],
        ),
        migrations.CreateModel(
            name='StoppingSample',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('request_id', models.UUIDField(unique=True)),
                ('drawn_at', models.DateTimeField(auto_now_add=True)),
                ('records', models.PositiveIntegerField()),
                ('unread', models.PositiveIntegerField()),
                ('relevant_before', models.PositiveIntegerField()),
                ('size', models.PositiveIntegerField()),
                ('target', models.FloatField()),
                ('confidence', models.FloatField()),
                ('chosen', models.JSONField()),
                ('void', models.CharField(blank=True, default='', max_length=300)),
                ('found', models.PositiveIntegerField(null=True)),
                ('p_value', models.FloatField(null=True)),
                ('passed', models.BooleanField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('accepted_at', models.DateTimeField(null=True)),
                ('text', models.TextField(blank=True, default='')),
                ('accepted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('drawn_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('ranking', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='samples', to='searches.ranking')),
            ],
            options={
                'ordering': ['ranking', 'number'],
            },
        ),
        migrations.AddConstraint(
            model_name='ranking',
            constraint=models.CheckConstraint(condition=models.Q(('control_share__gte', 0), ('control_share__lte', 0.5)), name='control_share_is_a_share'),
        ),
        migrations.AddConstraint(
            model_name='rankingorder',
            constraint=models.UniqueConstraint(fields=('ranking', 'person'), name='one_order_per_screener'),
        ),
        migrations.AddConstraint(
            model_name='rankingorder',
            constraint=models.UniqueConstraint(condition=models.Q(('person', None)), fields=('ranking',), name='one_order_for_all'),
        ),
        migrations.AddIndex(
            model_name='rankedrecord',
            index=models.Index(fields=['order', 'place', 'candidate'], name='records_by_place'),
        ),
        migrations.AddConstraint(
            model_name='rankedrecord',
            constraint=models.UniqueConstraint(fields=('order', 'candidate'), name='one_place_per_record'),
        ),
        migrations.AddConstraint(
            model_name='stoppingsample',
            constraint=models.UniqueConstraint(fields=('ranking', 'number'), name='samples_are_numbered'),
        ),
        migrations.AddConstraint(
            model_name='stoppingsample',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('accepted_at', None), ('accepted_by', None)), models.Q(('accepted_at__isnull', False), ('accepted_by__isnull', False), ('passed', True)), _connector='OR'), name='only_a_passed_test_is_accepted'),
        ),
    ]
