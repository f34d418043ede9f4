"""Django settings for LitLedger: one file, every choice from LITAPP_* variables (see docs/settings.md)."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

from csp.constants import SELF

from litapp.data_folder import secret_key
from litapp.env import BadSetting, env_flag, env_list, env_number, env_text

BASE_DIR = Path(__file__).resolve().parent.parent
TESTING = "pytest" in sys.modules
_default_folder = Path(tempfile.gettempdir()) / f"litledger-tests-{os.getpid()}" if TESTING else BASE_DIR / "data"
DATA_DIR = Path(env_text("LITAPP_DATA_DIR") or _default_folder)
DATA_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)

DEBUG = env_flag("LITAPP_DEBUG")
SECRET_KEY = env_text("LITAPP_SECRET_KEY") or secret_key(DATA_DIR)
ALLOWED_HOSTS = list(env_list("LITAPP_ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]")))
CSRF_TRUSTED_ORIGINS = list(env_list("LITAPP_TRUSTED_ORIGINS"))
HTTPS = env_flag("LITAPP_HTTPS")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SESSION_COOKIE_HTTPONLY = True
SECURE_HSTS_SECONDS = env_number("LITAPP_HSTS_SECONDS", 31_536_000 if HTTPS else 0)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env_flag("LITAPP_BEHIND_PROXY") else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.forms",
    "allauth",
    "allauth.account",
    "csp",
    "django_htmx",
    "huey.contrib.djhuey",
    "template_partials",
    "litapp.jobs",
    "litapp.web",
    "litapp.projects",
    "litapp.ledger",
    "litapp.verification",
    "litapp.sandbox",
    "searches",
    "references",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "csp.middleware.CSPMiddleware",
]

ROOT_URLCONF = "litapp.urls"
WSGI_APPLICATION = "litapp.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "litapp.web.context.installation",
                "litapp.projects.context.project",
                "litapp.navigation.numbers",
            ],
        },
    }
]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": [SELF],
        "frame-ancestors": ["'none'"],
    }
}


def database(url: str) -> dict[str, object]:
    """Django's database entry for LITAPP_DATABASE_URL; SQLite in the data folder when it is empty.

    SQLite runs in WAL mode with IMMEDIATE transactions: DEFERRED ones lose tasks (design, decision 7).
    """
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": DATA_DIR / "litledger.sqlite3",
            # A file, not memory: tests see the same locking as an installation does.
            "TEST": {"NAME": DATA_DIR / "test.sqlite3"},
            "OPTIONS": {
                "timeout": 20,
                "transaction_mode": "IMMEDIATE",
                "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA foreign_keys=ON;",
            },
        }
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise BadSetting("LITAPP_DATABASE_URL must start with postgresql:// (or be empty for SQLite)")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": env_number("LITAPP_DATABASE_MAX_AGE", 60),
    }


DATABASES = {"default": database(env_text("LITAPP_DATABASE_URL"))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = env_text("LITAPP_REDIS_URL")
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "litapp_cache"}
}

# The queue is a doorbell only (design, decision 6). `immediate` is always set: Huey would otherwise run tasks
# inside the request when DEBUG is on.
HUEY = {
    "huey_class": "litapp.jobs.queue.redis_queue" if REDIS_URL else "litapp.jobs.queue.sqlite_queue",
    "name": "litledger",
    "results": False,
    "immediate": False,
    "filename": str(DATA_DIR / "queue.sqlite3"),
    "redis_url": REDIS_URL,
}
WORKER_THREADS = env_number("LITAPP_WORKER_THREADS", 12)
STEP_KINDS = {
    "retrieval": "searches.services.retrieval.RetrievalWork",
    "verification": "litapp.verification.services.work.VerificationWork",
    "status": "litapp.verification.services.statuses.StatusWork",
    "export": "references.services.export.ExportWork",
    "reference_list": "references.services.list_work.ListWork",
    "abstracts": "searches.services.abstracts.AbstractWork",
    "passages": "searches.services.passages.PassageWork",
    "import": "searches.services.import_work.ImportWork",
    "paper_search": "searches.services.mode_work.PaperSearchWork",
    "full_text": "references.services.fulltext_work.FullTextWork",
    "full_text_upload": "references.services.fulltext_uploads.UploadWork",
    "briefing": "references.services.briefing_work.BriefingWork",
    "column_draft": "references.services.model_drafts.DraftWork",
    "ranking": "searches.services.ranking_work.RankingWork",
    "probe": "litapp.ledger.services.source_probe.SourceProbe",
}
"""Kinds of background work: name -> dotted path of a `litapp.jobs.work.Work` class."""
SUBJECT_NAMES = {
    "candidate": "searches.subject_names.candidates",
    "run": "searches.subject_names.runs",
    "import": "searches.subject_names.imports",
    "plan_version": "searches.subject_names.plan_versions",
    "paper_search": "searches.subject_names.paper_searches",
    "briefing": "references.subject_names.briefings",
    "topic": "references.subject_names.topics",
    "column": "references.subject_names.columns",
    "export": "references.subject_names.exports",
    "reference": "references.subject_names.references",
    "list": "references.subject_names.lists",
    "verification": "litapp.verification.subject_names.verifications",
}
"""Kinds of subjects of events -> function (project id, ids) -> {id: name}, for the history."""
DECISION_LISTENERS = ["references.services.reference_list.after_decisions"]
"""Called by `searches.services.screening` inside its transaction with project= and candidate_ids=."""
LEAVING_LISTENERS = ["searches.services.assignments.member_left"]
"""Called by `litapp.projects.services.team` inside its transaction with project=, person= and actor= when somebody
leaves a project, or loses the right to screen."""
CURTAIN = "searches.blinding"
"""Module that says what is hidden while screening is blind: `sees_outcomes(membership)`, `events_shown(membership,
events)`."""

AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
if TESTING:
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # tests make hundreds of people
LOGIN_REDIRECT_URL = "projects:list"
LOGIN_URL = "account_login"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_SIGNUP_FORM_CLASS = "litapp.projects.forms.SignupNameForm"
ACCOUNT_UNIQUE_EMAIL = True
EMAIL_URL = env_text("LITAPP_EMAIL_HOST")
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_URL else 'console'}.EmailBackend"
EMAIL_HOST = EMAIL_URL
EMAIL_PORT = env_number("LITAPP_EMAIL_PORT", 587)
EMAIL_HOST_USER = env_text("LITAPP_EMAIL_USER")
EMAIL_HOST_PASSWORD = env_text("LITAPP_EMAIL_PASSWORD")
EMAIL_USE_TLS = env_flag("LITAPP_EMAIL_TLS", True)
DEFAULT_FROM_EMAIL = env_text("LITAPP_EMAIL_FROM", "litledger@localhost")
# Without a mail server nobody could confirm an address; invitation links are handed over by people instead.
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if EMAIL_URL else "none"
ACCOUNT_SIGNUP_OPEN = env_flag("LITAPP_SIGNUP_OPEN", True)
ACCOUNT_ADAPTER = "litapp.projects.accounts.AccountAdapter"
CSRF_FAILURE_VIEW = "litapp.web.errors.form_out_of_date"

HTTPS_PROXY = env_text("LITAPP_HTTPS_PROXY")
"""Address of a web proxy through which the sources are asked ("" = none); it may carry a name and a password."""
if HTTPS_PROXY and not HTTPS_PROXY.startswith(("http://", "https://")):
    raise BadSetting("LITAPP_HTTPS_PROXY must be an address such as http://proxy.hospital.example:3128")
SANDBOX_URL = env_text("LITAPP_SANDBOX_URL")
"""Base address of the sandbox; every source is then asked there and every page and export says so."""
SESSION_COOKIE_NAME = "litledger_sandbox" if SANDBOX_URL else "litledger"
"""Browsers share cookies between all ports of 127.0.0.1: a demo beside the real installation would sign people out."""
CONTACT_EMAIL = env_text("LITAPP_CONTACT_EMAIL")
TOOL_NAME = env_text("LITAPP_TOOL_NAME", "litledger")
SOURCES = {
    "pubmed": {
        "base_url": "https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
        "sandbox_path": "/eutils",
        "key": env_text("LITAPP_NCBI_KEY"),
        "enabled": env_flag("LITAPP_PUBMED", True),
    },
    "crossref": {
        "base_url": "https://api.crossref.org",
        "sandbox_path": "/crossref",
        "key": env_text("LITAPP_CROSSREF_TOKEN"),
        "enabled": env_flag("LITAPP_CROSSREF", True),
    },
    "openalex": {
        "base_url": "https://api.openalex.org",
        "sandbox_path": "/openalex",
        "key": env_text("LITAPP_OPENALEX_KEY"),
        "enabled": env_flag("LITAPP_OPENALEX", True),
    },
    "semanticscholar": {
        "base_url": "https://api.semanticscholar.org",
        "sandbox_path": "/s2",
        "key": env_text("LITAPP_S2_KEY"),
        "enabled": env_flag("LITAPP_S2", True),
    },
    "europepmc": {
        "base_url": "https://www.ebi.ac.uk/europepmc/webservices/rest",
        "sandbox_path": "/europepmc",
        "key": "",
        "enabled": env_flag("LITAPP_EUROPEPMC", True),
    },
    "arxiv": {
        "base_url": "https://export.arxiv.org",
        "sandbox_path": "/arxiv",
        "key": "",
        "enabled": env_flag("LITAPP_ARXIV", True),
    },
    "biorxiv": {
        "base_url": "https://api.biorxiv.org",
        "sandbox_path": "/biorxiv",
        "key": "",
        "enabled": env_flag("LITAPP_BIORXIV", True),
    },
    "datacite": {
        "base_url": "https://api.datacite.org",
        "sandbox_path": "/datacite",
        "key": "",
        "enabled": env_flag("LITAPP_DATACITE", True),
    },
    "doiorg": {
        "base_url": "https://doi.org",
        "sandbox_path": "/doi",
        "key": "",
        "enabled": env_flag("LITAPP_DOIORG", True),
    },
    "unpaywall": {
        "base_url": "https://api.unpaywall.org",
        "sandbox_path": "/unpaywall",
        "key": "",
        "enabled": env_flag("LITAPP_UNPAYWALL", True),
    },
    "pmc": {
        "base_url": "https://pmc.ncbi.nlm.nih.gov",
        "sandbox_path": "/pmc",
        "key": "",
        "enabled": env_flag("LITAPP_PMC", True),
    },
}
"""Installation settings of each source. LITAPP_<SOURCE>_URL overrides a base address."""
for _name, _source in SOURCES.items():
    _source["base_url"] = env_text(f"LITAPP_{_name.upper()}_URL") or _source["base_url"]
PROBE_SOURCES = env_flag("LITAPP_PROBE", not TESTING)
"""Whether the worker asks a source that was never asked for one count, so that the start page knows if it answers."""
SANDBOX_CLOCK = env_number("LITAPP_SANDBOX_CLOCK", 1)
"""How much faster than real time the sandbox counts its limits; the gates then run as much faster."""
QUERY_FILE_LEAST = env_number("LITAPP_QUERY_FILE_LEAST", 5)
QUERY_FILE_MOST = env_number("LITAPP_QUERY_FILE_MOST", 25)
"""Valid queries that a pasted or uploaded query file must have; any other file is refused before anything is asked."""
BUNDLE_LARGEST = env_number("LITAPP_BUNDLE_LARGEST", 4 * 1024**3)
"""Bytes of a bundle, unpacked, that is read at all."""
IMPORT_LARGEST = env_number("LITAPP_IMPORT_LARGEST", 512 * 1024**2)
"""Bytes of a file of records that is imported."""
FULLTEXT_LARGEST = env_number("LITAPP_FULLTEXT_LARGEST", 50 * 1024**2)
"""Bytes of one full text that is fetched or brought."""
MODEL = {
    "base_url": env_text("LITAPP_MODEL_URL"),
    "model": env_text("LITAPP_MODEL_NAME"),
    "provider": env_text("LITAPP_MODEL_PROVIDER"),
    "key": env_text("LITAPP_MODEL_KEY"),
    "max_tokens": env_text("LITAPP_MODEL_TOKENS"),
    "timeout": env_text("LITAPP_MODEL_TIMEOUT"),
    "parameters": env_text("LITAPP_MODEL_PARAMETERS"),
}
"""The optional model, off while address and name are empty; read and checked by `providers.model.settings`."""
ARCHIVE_MAX_AGE_HITS = 30 * 86400
ARCHIVE_MAX_AGE_NEGATIVE = 86400

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = Path(env_text("LITAPP_STATIC_ROOT") or DATA_DIR / "staticfiles")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if TESTING or DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
FILE_UPLOAD_HANDLERS = [
    "litapp.web.uploads.CappedUploads",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env_text("LITAPP_LOG_LEVEL", "INFO")},
    "loggers": {"httpx": {"level": "WARNING"}, "httpcore": {"level": "WARNING"}, "huey": {"level": "WARNING"}},
}
