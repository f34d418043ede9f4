"""Runs a rival checker, in its own environment, against local services: its transport is pointed there, nothing else.

    PEERS/bin/python rival_runner.py ADDRESS bibaudit|refchecker ARGUMENTS...

Both have the services' addresses built in. `https://HOST/path` becomes `ADDRESS/HOST/path` in urllib (bibaudit) and in
requests (academic-refchecker) just before sending; the programs are otherwise as installed. Standard library only.
"""

from __future__ import annotations

import re
import runpy
import sys
import urllib.request
from typing import Any


def local(address: str, url: str) -> str:
    """The same question at the local services."""
    return url if url.startswith(address) else re.sub(r"\Ahttps?://", f"{address}/", url)


def point_urllib(address: str) -> None:
    """urllib.request.urlopen asks the local services."""
    ask = urllib.request.urlopen

    def asked(request: Any, *rest: Any, **options: Any) -> Any:
        if isinstance(request, str):
            return ask(local(address, request), *rest, **options)
        request.full_url = local(address, request.full_url)
        return ask(request, *rest, **options)

    urllib.request.urlopen = asked


def point_requests(address: str) -> None:
    """requests asks the local services."""
    import requests

    send = requests.Session.send

    def sent(session: Any, request: Any, **options: Any) -> Any:
        request.url = local(address, request.url)
        return send(session, request, **options)

    requests.Session.send = sent  # type: ignore[method-assign]


def main() -> None:
    """Point the transport, then run the program's own command."""
    address, program, *arguments = sys.argv[1:]
    point_urllib(address)
    if program == "bibaudit":
        module = "bibaudit.cli"
    else:
        point_requests(address)
        module = "refchecker.core.refchecker"
    sys.argv = [program, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
