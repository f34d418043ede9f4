"""Settings that must hold together, read in a process of their own as an installation reads them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def read(name: str, folder: Path, **environment: str) -> str:
    """The value of a setting under these LITAPP_ variables."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("LITAPP_")}
    told = subprocess.run(
        [sys.executable, "-c", f"from litapp import settings; print(settings.{name})"],
        cwd=ROOT,
        env={**clean, "LITAPP_DATA_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return told.stdout.strip()


def test_a_demo_does_not_sign_people_out_of_the_real_installation_beside_it(tmp_path: Path) -> None:
    demo = read("SESSION_COOKIE_NAME", tmp_path, LITAPP_SANDBOX_URL="http://127.0.0.1:8100")
    assert demo != read("SESSION_COOKIE_NAME", tmp_path)


def test_cookies_are_for_this_site_and_secure_behind_https(tmp_path: Path) -> None:
    names = ("SESSION_COOKIE_HTTPONLY", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT")
    assert {name: read(name, tmp_path, LITAPP_HTTPS="yes") for name in names} == dict.fromkeys(names, "True")
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0
