"""Registers the projects app."""

from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    name = "litapp.projects"
    label = "projects"
    default_auto_field = "django.db.models.BigAutoField"
