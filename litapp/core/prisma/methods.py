"""Which box of PRISMA an import belongs to, by the name of its database. A person may say otherwise."""

from __future__ import annotations

import re

from litapp.core.prisma.events import Method

_REGISTER = re.compile(
    r"clinical\s?trials\.gov|\bictrp\b|\bisrctn\b|trial(?:s)? regist|regist(?:er|ry) of (?:clinical )?trials"
    r"|\beu[- ]?ctr\b|\bctis\b|\banzctr\b|\bchictr\b|\bctri\b|\bdrks\b|\bjrct\b|\bumin[- ]ctr\b|\bpactr\b|\birct\b"
    r"|\bnct\b|\bprospero\b|\btrial register\b",
    re.I,
)
_CITATIONS = re.compile(
    r"citation|citing|reference list|reference pool|references of|snowball|backward|forward search"
    r"|cited (?:by|references)|related papers",
    re.I,
)
_PREVIOUS = re.compile(r"previous (?:version|review)|earlier version|original review", re.I)
_ORGANISATION = re.compile(r"organi[sz]ation|\bcontact|\bexpert|\bauthors? (?:asked|contacted)", re.I)
_WEBSITE = re.compile(
    r"website|web site|web search|google(?! scholar)|by hand|hand[- ]?search|browsing|quick cite", re.I
)


def method_of(database: str) -> Method:
    """The method that a database's name says; a name that says nothing else is a database.

    CENTRAL counts as a database: it is searched as one, whatever its name says (Rethlefsen and Page 2022).
    """
    if re.search(r"cochrane central|\bcentral\b", database, re.I):
        return Method.DATABASE
    for pattern, method in (
        (_PREVIOUS, Method.PREVIOUS),
        (_REGISTER, Method.REGISTER),
        (_CITATIONS, Method.CITATIONS),
        (_ORGANISATION, Method.ORGANISATION),
        (_WEBSITE, Method.WEBSITE),
    ):
        if pattern.search(database):
            return method
    return Method.DATABASE
