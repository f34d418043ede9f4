"""All tags and filters of the design system under one name: `{% load litledger %}`."""

from __future__ import annotations

from django import template

from litapp.web.templatetags import badges, fields, icons, navigation, reading

register = template.Library()
for _part in (icons, badges, fields, navigation, reading):
    register.tags.update(_part.register.tags)
    register.filters.update(_part.register.filters)
