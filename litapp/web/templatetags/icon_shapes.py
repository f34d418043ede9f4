"""The drawings of the icon set: inner SVG of each icon on a 16 by 16 grid, lines 1.5 wide in the text's colour."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_PAGE = '<path d="M4 1.5h5L12.5 5v9.5H4z"/><path d="M9 1.5V5h3.5"/>'
_RING = '<circle cx="8" cy="8" r="6.25"/>'

SHAPES: Mapping[str, str] = MappingProxyType(
    {
        # Verdicts
        "shield-check": (
            '<path d="M8 1.5 13.5 3.4v4c0 3.5-2.3 5.9-5.5 7.1-3.2-1.2-5.5-3.6-5.5-7.1v-4z"/><path'
            ' d="m5.4 7.9 1.9 1.9 3.4-3.6"/>'
        ),
        "triangle-alert": '<path d="M8 2 14.8 13.8H1.2z"/><path d="M8 6.4v3.3M8 11.7v.2"/>',
        "circle-dotted": '<circle cx="8" cy="8" r="6" stroke-dasharray="2.1 2.6"/>',
        "hand": (
            '<path d="M5 8.5v-5a1 1 0 0 1 2 0V2.4a1 1 0 0 1 2 0v1.1a1 1 0 0 1 2 0v1.6a1 1 0 0 1 2'
            ' 0v4.6c0 3-1.7 4.8-4.4 4.8-2 0-3.1-.8-4-2.4L2.7 9.2c-.4-.8.7-1.6 1.4-.9L5 9.4"/><path d="M7'
            ' 3.4v4M9 3.4v4M11 4.9v2.5"/>'
        ),
        "page-x": _PAGE + '<path d="m6.2 8 4 4M10.2 8l-4 4"/>',
        "page-alert": _PAGE + '<path d="M8.2 7.3v3M8.2 12.2v.2"/>',
        "page-pen": _PAGE + '<path d="m6 12.4.4-1.6 3.3-3.3 1.2 1.2-3.3 3.3z"/>',
        "page-p": _PAGE + '<path d="M6.7 12.5V7.8h1.8a1.4 1.4 0 0 1 0 2.8H6.7"/>',
        "page": _PAGE + '<path d="M6 8.2h4.5M6 10.8h4.5"/>',
        # Outcomes
        "check": '<path d="m2.8 8.6 3.4 3.4 7-7.6"/>',
        "x": '<path d="m3.5 3.5 9 9M12.5 3.5l-9 9"/>',
        "minus": '<path d="M3 8h10"/>',
        "equal": '<path d="M3.5 6h9M3.5 10h9"/>',
        "almost-equal": '<path d="M3 6.4c1.6-1.6 3.2-1.6 5 0s3.4 1.6 5 0M3 10.8c1.6-1.6 3.2-1.6 5 0s3.4 1.6 5 0"/>',
        "not-equal": '<path d="M3.5 6h9M3.5 10h9M10.6 3l-5.2 10"/>',
        "circle-check": _RING + '<path d="m5.2 8.2 2 2 3.6-4"/>',
        "circle-x": _RING + '<path d="m5.8 5.8 4.4 4.4M10.2 5.8l-4.4 4.4"/>',
        "circle-half": _RING + '<path d="M8 1.8v12.4a6.2 6.2 0 0 0 0-12.4z" fill="currentColor"/>',
        "ban": _RING + '<path d="m3.7 3.7 8.6 8.6"/>',
        "question": _RING + '<path d="M6.1 6.2a2 2 0 1 1 2.8 1.9c-.6.3-.9.7-.9 1.3M8 11.4v.2"/>',
        "info": _RING + '<path d="M8 7.2v4M8 4.8V5"/>',
        "clock": _RING + '<path d="M8 4.2V8l2.6 1.6"/>',
        "hourglass": (
            '<path d="M4 1.8h8M4 14.2h8M4.8 1.8c0 3.4 2 4.4 3.2 6.2-1.2 1.8-3.2 2.8-3.2 6.2M11.2 1.8c0'
            ' 3.4-2 4.4-3.2 6.2 1.2 1.8 3.2 2.8 3.2 6.2"/>'
        ),
        "ring": '<path d="M8 1.8A6.2 6.2 0 1 1 1.8 8" />',
        # Acts
        "search": '<circle cx="7" cy="7" r="4.5"/><path d="m10.4 10.4 3.8 3.8"/>',
        "plus": '<path d="M8 3v10M3 8h10"/>',
        "pencil": '<path d="m2.5 13.5.7-3 7.6-7.6 2.3 2.3-7.6 7.6z"/><path d="m9.3 4.4 2.3 2.3"/>',
        "trash": '<path d="M2.5 4.2h11M6 4.2V2.2h4v2M4 4.2l.6 9.6h6.8l.6-9.6M6.7 6.8v4.4M9.3 6.8v4.4"/>',
        "copy": '<path d="M5.5 5.5h8v8.5h-8z"/><path d="M10.5 5.5V2h-8v8.5h3"/>',
        "download": '<path d="M8 2v8M4.6 6.9 8 10.3l3.4-3.4M2.5 13.8h11"/>',
        "upload": '<path d="M8 10.3V2.2M4.6 5.4 8 2l3.4 3.4M2.5 13.8h11"/>',
        "external": '<path d="M6.5 3h-4v10.5H13v-4M9 2.2h4.8V7M13.5 2.5 7.2 8.8"/>',
        "undo": '<path d="M5.5 2.8 2.3 6l3.2 3.2"/><path d="M2.5 6h6.8a4 4 0 0 1 0 8H6"/>',
        "refresh": (
            '<path d="M13.6 6.3A6 6 0 0 0 2.7 5.2M2.4 9.7a6 6 0 0 0 10.9 1.1"/><path d="M2.5'
            ' 2v3.4h3.4M13.5 14v-3.4h-3.4"/>'
        ),
        "play": '<path d="M4.5 2.5v11l9-5.5z"/>',
        "stop": '<path d="M3.5 3.5h9v9h-9z"/>',
        "filter": '<path d="M2 3h12L9.5 8.4v5L6.5 12V8.4z"/>',
        "sort": '<path d="M5 2.5v11M2.5 5 5 2.5 7.5 5M11 13.5v-11M8.5 11l2.5 2.5 2.5-2.5"/>',
        "arrow-up": '<path d="M8 13.5v-11M4 6.5l4-4 4 4"/>',
        "arrow-down": '<path d="M8 2.5v11M4 9.5l4 4 4-4"/>',
        "arrow-left": '<path d="M13.5 8h-11M6.5 4l-4 4 4 4"/>',
        "arrow-right": '<path d="M2.5 8h11M9.5 4l4 4-4 4"/>',
        "chevron-left": '<path d="m10 3-5 5 5 5"/>',
        "chevron-right": '<path d="m6 3 5 5-5 5"/>',
        "chevron-down": '<path d="m3 6 5 5 5-5"/>',
        "menu": '<path d="M2 4h12M2 8h12M2 12h12"/>',
        "more": '<path d="M3 8h.1M8 8h.1M13 8h.1" stroke-width="2.6" stroke-linecap="round"/>',
        "print": '<path d="M4.5 6V2h7v4M4.5 11.5H2.2V6h11.6v5.5h-2.3"/><path d="M4.5 9.5h7V14h-7z"/>',
        # Things
        "home": '<path d="m1.8 7.6 6.2-5 6.2 5"/><path d="M3.6 6.4V13.8h8.8V6.4"/>',
        "user": '<circle cx="8" cy="5" r="2.8"/><path d="M2.6 14.2c.5-3.2 2.6-4.7 5.4-4.7s4.9 1.5 5.4 4.7"/>',
        "users": (
            '<circle cx="6" cy="5.2" r="2.5"/><path d="M1.2 13.6c.5-2.9 2.3-4.2 4.8-4.2s4.3 1.3 4.8'
            ' 4.2M10.4 2.9a2.5 2.5 0 0 1 0 4.6M12 9.7c1.6.5 2.5 1.8 2.8 3.9"/>'
        ),
        "key": '<circle cx="4.6" cy="11.4" r="2.8"/><path d="M6.7 9.3 13.8 2.2M10.6 5.4l2.2 2.2"/>',
        "keyboard": '<path d="M1.5 4h13v8.5h-13z"/><path d="M4 6.7h.1M6.7 6.7h.1M9.3 6.7h.1M12 6.7h.1M4.5 10h7"/>',
        "book": (
            '<path d="M8 3.6C6.6 2.5 4.4 2.2 1.8 2.3v10.4c2.6-.1 4.8.2 6.2 1.3 1.4-1.1 3.6-1.4'
            ' 6.2-1.3V2.3C11.6 2.2 9.4 2.5 8 3.6zM8 3.6V14"/>'
        ),
        "quote": ('<path d="M6.5 4C4 5 2.8 6.9 2.8 9.3V12h3.7V8.6H4.6M13 4c-2.5 1-3.7 2.9-3.7 5.3V12H13V8.6h-1.9"/>'),
        "list": '<path d="M5.5 3.5h8.5M5.5 8h8.5M5.5 12.5h8.5M2 3.5h.1M2 8h.1M2 12.5h.1"/>',
        "layers": (
            '<path d="M8 1.8 14.5 5 8 8.2 1.5 5z"/><path d="m1.5 8.2 6.5 3.2 6.5-3.2M1.5 11.2 8 14.4l6.5-3.2"/>'
        ),
        "database": (
            '<ellipse cx="8" cy="3.6" rx="5.5" ry="2"/><path d="M2.5 3.6v8.8c0 1.1 2.5 2 5.5 2s5.5-.9'
            ' 5.5-2V3.6M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2"/>'
        ),
        "history": '<path d="M2.2 5.4A6.2 6.2 0 1 1 1.8 8"/><path d="M2 2v3.5h3.5M8 4.6V8l2.4 1.5"/>',
        "sliders": (
            '<path d="M2 4.5h7M12.5 4.5H14M2 11.5h1.5M7 11.5h7"/><circle cx="10.7" cy="4.5" r="1.7"/>'
            '<circle cx="5.2" cy="11.5" r="1.7"/>'
        ),
        "sun": (
            '<circle cx="8" cy="8" r="3"/><path d="M8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2'
            ' 3.2l1.1 1.1M11.7 11.7l1.1 1.1M12.8 3.2l-1.1 1.1M4.3 11.7l-1.1 1.1"/>'
        ),
        "moon": '<path d="M13.6 9.6A6 6 0 0 1 6.4 2.4a6 6 0 1 0 7.2 7.2z"/>',
        "screen": '<path d="M1.8 2.8h12.4v8H1.8zM5.5 13.8h5M8 10.8v3"/>',
        "sign-out": '<path d="M6.5 2.2h-4v11.6h4M6.5 8h7.3M10.6 4.8 13.8 8l-3.2 3.2"/>',
        "mail": '<path d="M1.8 3.2h12.4v9.6H1.8z"/><path d="m1.8 4 6.2 5 6.2-5"/>',
        "lock": '<path d="M3 7h10v7H3z"/><path d="M5.2 7V4.8a2.8 2.8 0 0 1 5.6 0V7"/>',
        "eye": (
            '<path d="M1.2 8C2.8 5 5.2 3.5 8 3.5S13.2 5 14.8 8c-1.6 3-4 4.5-6.8 4.5S2.8 11 1.2 8z"/>'
            '<circle cx="8" cy="8" r="2.1"/>'
        ),
        "note": '<path d="M2.5 2.5h11v7.6l-3.4 3.4H2.5z"/><path d="M13.5 10.1h-3.4v3.4M5 6h6M5 8.8h3"/>',
        "tag": '<path d="M2 2h5.6L14 8.4 8.4 14 2 7.6z"/><path d="M5 5h.1"/>',
        "flag": '<path d="M3.5 14.5V2.2h8.8L10.4 5.4l1.9 3.2H3.5"/>',
        "link": (
            '<path d="m6.6 9.4 2.8-2.8M7.2 4.7 9 2.9a2.9 2.9 0 0 1 4.1 4.1l-1.8 1.8M8.8 11.3 7 13.1A2.9'
            ' 2.9 0 0 1 2.9 9l1.8-1.8"/>'
        ),
        "flask": (
            '<path d="M6 1.8v4.4L2.4 13a.9.9 0 0 0 .8 1.3h9.6a.9.9 0 0 0 .8-1.3L10 6.2V1.8M5 1.8h6M4.2 10h7.6"/>'
        ),
        "plan": '<path d="M3 2.2h10v11.6H3zM5.5 5.2h5M5.5 8h5M5.5 10.8h3"/>',
        "bolt": '<path d="M9 1.5 3 9h4.2L6.6 14.5 13 6.8H8.6z"/>',
    }
)
