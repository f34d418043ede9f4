"""National and international guideline bodies to search by hand: most of their guidelines are in no database."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GuidelineBody:
    """A body that publishes guidelines: its name, where it works, and its address."""

    name: str
    place: str
    address: str


GUIDELINE_BODIES = (
    GuidelineBody(
        "WHO guidelines",
        "International",
        "https://www.who.int/publications/who-guidelines",
    ),
    GuidelineBody(
        "GIN, International Guidelines Library",
        "International",
        "https://g-i-n.net/international-guidelines-library",
    ),
    GuidelineBody(
        "NHMRC, Australian Clinical Practice Guidelines",
        "Australia",
        "https://www.clinicalguidelines.gov.au",
    ),
    GuidelineBody(
        "KCE, Belgian Health Care Knowledge Centre",
        "Belgium",
        "https://kce.fgov.be",
    ),
    GuidelineBody(
        "CPG Infobase, Canadian Medical Association",
        "Canada",
        "https://www.cma.ca",
    ),
    GuidelineBody(
        "Canadian Task Force on Preventive Health Care",
        "Canada",
        "https://canadiantaskforce.ca",
    ),
    GuidelineBody(
        "Chinese Medical Association",
        "China",
        "https://www.cma.org.cn",
    ),
    GuidelineBody(
        "Sundhedsstyrelsen (Danish Health Authority)",
        "Denmark",
        "https://www.sst.dk",
    ),
    GuidelineBody(
        "Käypä hoito (Duodecim)",
        "Finland",
        "https://www.kaypahoito.fi",
    ),
    GuidelineBody(
        "HAS, Haute Autorité de santé",
        "France",
        "https://www.has-sante.fr",
    ),
    GuidelineBody(
        "AWMF guideline register",
        "Germany",
        "https://register.awmf.org",
    ),
    GuidelineBody(
        "SNLG, Istituto Superiore di Sanità",
        "Italy",
        "https://www.iss.it/snlg",
    ),
    GuidelineBody(
        "Minds Guideline Library",
        "Japan",
        "https://minds.jcqhc.or.jp",
    ),
    GuidelineBody(
        "Richtlijnendatabase (Federatie Medisch Specialisten)",
        "Netherlands",
        "https://richtlijnendatabase.nl",
    ),
    GuidelineBody(
        "NHG-Richtlijnen",
        "Netherlands",
        "https://richtlijnen.nhg.org",
    ),
    GuidelineBody(
        "Helsedirektoratet",
        "Norway",
        "https://www.helsedirektoratet.no",
    ),
    GuidelineBody(
        "GuíaSalud",
        "Spain",
        "https://portal.guiasalud.es",
    ),
    GuidelineBody(
        "Socialstyrelsen",
        "Sweden",
        "https://www.socialstyrelsen.se",
    ),
    GuidelineBody(
        "NICE guidance",
        "United Kingdom",
        "https://www.nice.org.uk/guidance",
    ),
    GuidelineBody(
        "SIGN, Scottish Intercollegiate Guidelines Network",
        "United Kingdom",
        "https://www.sign.ac.uk",
    ),
    GuidelineBody(
        "USPSTF, US Preventive Services Task Force",
        "United States",
        "https://www.uspreventiveservicestaskforce.org",
    ),
    GuidelineBody(
        "ECRI Guidelines Trust",
        "United States",
        "https://guidelines.ecri.org",
    ),
)
"""By place. Names and addresses only; a body moves its pages now and then, so the address is its entrance."""
