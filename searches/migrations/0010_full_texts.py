# Full texts: searches, places asked, files, uploads; whether each report was retrieved.

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('projects', '0002_own_keys'),
        ('searches', '0009_paper_searches'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ReportRetrieval',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('outcome', models.CharField(choices=[('sought', 'Sought, not decided'), ('retrieved', 'Retrieved'), ('not_retrieved', 'Not retrieved')], default='sought', max_length=14)),
                ('reason', models.CharField(blank=True, choices=[('paywall', 'It stands behind a paywall.'), ('no_copy', 'No copy of it was found.'), ('language', 'It is in a language that the team cannot read.'), ('withdrawn', 'It was withdrawn.')], default='', max_length=12)),
                ('because', models.TextField(blank=True, default='')),
                ('at', models.DateTimeField()),
                ('actor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('candidate', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='report_retrieval', to='searches.candidate')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='report_retrievals', to='projects.project')),
            ],
            options={
                'indexes': [models.Index(fields=['project', 'outcome'], name='retrievals_by_outcome')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('outcome', 'not_retrieved'), ('reason__in', ['paywall', 'no_copy', 'language', 'withdrawn'])), models.Q(models.Q(('outcome', 'not_retrieved'), _negated=True), ('reason', '')), _connector='OR'), name='a_reason_exactly_where_not_retrieved')],
            },
        ),
    ]
