"""The HTML page around a document's body: styles inside, nothing to load, light and dark, fit to print."""

from __future__ import annotations

import html

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
:root { color-scheme: light dark; --ink: #1b2126; --soft: #454e57; --line: #cac3b3; --accent: #0b5f66; --stop: #9b1c2e;
  --paper: #fffdf8; --sunken: #f2efe7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e4da; --soft: #b8b3a6; --line: #4a4f55; --accent: #6fc3c9;
  --stop: #f08a98; --paper: #16191c; --sunken: #20252a; } }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 Cambria, Georgia, serif; overflow-wrap: anywhere; }
h1, h2, h3 { font-family: Calibri, system-ui, sans-serif; line-height: 1.25; }
h2 { color: var(--accent); margin-top: 2rem; } a { color: var(--accent); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .35rem .5rem; border-bottom: 1px solid var(--line); }
pre { background: var(--sunken); padding: .6rem .8rem; white-space: pre-wrap; }
[data-custom-style="Citation Mark"] { color: var(--stop); font-weight: bold; }
[data-custom-style="Reference Detail"] { color: var(--soft); font-size: .88rem; }
img { max-width: 100%; height: auto; background: #fff; }
@media print { body { margin: 0; max-width: none; } table { display: table; } }
"""


def page_of(title: str, body: str) -> str:
    """A whole page; `body` is HTML that pandoc wrote, `title` any text."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
