"""Databases people import from, and the platforms they are searched on. The form suggests them; others may be typed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImportDatabase:
    """A bibliographic database. `platforms` = where it is searched; PRISMA-S wants both named (its item 1)."""

    name: str
    platforms: tuple[str, ...]


DATABASES = (
    ImportDatabase("Embase", ("Embase.com", "Ovid")),
    ImportDatabase("CINAHL", ("EBSCOhost",)),
    ImportDatabase("Scopus", ("Scopus",)),
    ImportDatabase("Web of Science Core Collection", ("Web of Science",)),
    ImportDatabase("Cochrane Central Register of Controlled Trials", ("Cochrane Library", "Ovid")),
    ImportDatabase("Cochrane Database of Systematic Reviews", ("Cochrane Library", "Ovid")),
    ImportDatabase("MEDLINE", ("Ovid", "EBSCOhost", "Web of Science")),
    ImportDatabase("PubMed", ("PubMed",)),
    ImportDatabase("APA PsycInfo", ("Ovid", "EBSCOhost", "ProQuest")),
    ImportDatabase("LILACS", ("VHL",)),
    ImportDatabase("Global Index Medicus", ("WHO",)),
    ImportDatabase("AMED", ("Ovid", "EBSCOhost")),
    ImportDatabase("PEDro", ("PEDro",)),
    ImportDatabase("ERIC", ("EBSCOhost", "ProQuest")),
    ImportDatabase("IEEE Xplore", ("IEEE Xplore",)),
    ImportDatabase("ProQuest Dissertations & Theses", ("ProQuest",)),
    ImportDatabase("ClinicalTrials.gov", ("ClinicalTrials.gov",)),
    ImportDatabase("WHO ICTRP", ("WHO",)),
    ImportDatabase("Google Scholar", ("Google Scholar",)),
)
PLATFORMS = tuple(sorted({platform for database in DATABASES for platform in database.platforms}))
