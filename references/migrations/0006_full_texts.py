# Full texts: searches, places asked, files, uploads; whether each report was retrieved.

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ledger', '0002_mesh_answers'),
        ('projects', '0002_own_keys'),
        ('references', '0005_matrix'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='FullText',
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
                ('round', models.PositiveIntegerField(default=1)),
                ('resolver', models.CharField(blank=True, default='', max_length=500)),
                ('cancel_requested_at', models.DateTimeField(blank=True, null=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='full_texts', to='projects.project')),
                ('reference', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='full_text', to='references.reference')),
                ('requested_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='FullTextAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('round', models.PositiveIntegerField(default=1)),
                ('source', models.CharField(max_length=40)),
                ('url', models.TextField(blank=True, default='')),
                ('outcome', models.CharField(max_length=16)),
                ('message', models.TextField(blank=True, default='')),
                ('licence', models.CharField(blank=True, default='', max_length=200)),
                ('version', models.CharField(blank=True, default='', max_length=60)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('answer', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='full_text_attempts', to='ledger.sourceanswer')),
                ('full_text', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places_asked', to='references.fulltext')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='FullTextUpload',
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
                ('files', models.JSONField(default=list)),
                ('counts', models.JSONField(blank=True, default=dict)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='full_text_uploads', to='projects.project')),
                ('reference', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='references.reference')),
                ('requested_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='FullTextCopy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('pdf', 'PDF'), ('xml', 'Text in XML (JATS)'), ('other', 'Something else')], default='pdf', max_length=5)),
                ('state', models.CharField(choices=[('accepted', 'Full text'), ('asked', 'To be looked at'), ('declined', 'Not taken')], max_length=8)),
                ('outcome', models.CharField(max_length=16)),
                ('why', models.TextField(blank=True, default='')),
                ('source', models.CharField(max_length=40)),
                ('url', models.TextField(blank=True, default='')),
                ('file_name', models.CharField(blank=True, default='', max_length=255)),
                ('licence', models.CharField(blank=True, default='', max_length=200)),
                ('version', models.CharField(blank=True, default='', max_length=60)),
                ('sha256', models.CharField(max_length=64)),
                ('size', models.PositiveIntegerField(default=0)),
                ('pages', models.PositiveIntegerField(blank=True, null=True)),
                ('suggested', models.JSONField(blank=True, default=list)),
                ('added_at', models.DateTimeField(auto_now_add=True)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('answer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='full_text_copies', to='ledger.sourceanswer')),
                ('brought_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='full_text_copies', to='projects.project')),
                ('reference', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='full_text_copies', to='references.reference')),
                ('upload', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='copies', to='references.fulltextupload')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='ResolverAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(max_length=500)),
                ('set_at', models.DateTimeField(auto_now=True)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='resolver_address', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddIndex(
            model_name='fulltext',
            index=models.Index(fields=['state', 'id'], name='full_text_queue'),
        ),
        migrations.AddIndex(
            model_name='fulltextcopy',
            index=models.Index(fields=['project', 'state'], name='copies_by_state'),
        ),
        migrations.AddConstraint(
            model_name='fulltextcopy',
            constraint=models.UniqueConstraint(condition=models.Q(('reference__isnull', False)), fields=('reference', 'sha256'), name='a_file_once_per_reference'),
        ),
        migrations.AddConstraint(
            model_name='fulltextcopy',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'accepted'), _negated=True), ('reference__isnull', False), _connector='OR'), name='an_accepted_copy_belongs_to_a_reference'),
        ),
    ]
