"""What a person states of an item of PRISMA-S that the log cannot know."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('projects', '0002_own_keys'),
        ('searches', '0013_plan_parts'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='PrismaStatement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.PositiveSmallIntegerField()),
                ('text', models.TextField(blank=True, default='')),
                ('request_id', models.UUIDField(unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='prisma_statements', to='projects.project')),
                ('stated_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['project', 'item', '-id'], name='statements_by_item')],
                'constraints': [models.CheckConstraint(condition=models.Q(('item__gte', 1), ('item__lte', 16)), name='prisma_s_has_16_items')],
            },
        ),
    ]
