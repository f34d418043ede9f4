"""MeSH subheadings (qualifiers): two-letter code and name. Source: NLM, list of allowable MeSH qualifiers.

Two retired ones (CT, DU) stand in published strategies and are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_TABLE = """
AB abnormalities
AD administration and dosage
AE adverse effects
AG agonists
AA analogs and derivatives
AN analysis
AH anatomy and histology
AI antagonists and inhibitors
BI biosynthesis
BS blood supply
BL blood
CF cerebrospinal fluid
CS chemical synthesis
CT contraindications
CI chemically induced
CH chemistry
CL classification
CO complications
CN congenital
CY cytology
DF deficiency
DG diagnostic imaging
DI diagnosis
DH diet therapy
DE drug effects
DT drug therapy
DU diagnostic use
EC economics
ED education
EM embryology
EN enzymology
EP epidemiology
EH ethnology
ET etiology
ES ethics
GE genetics
GD growth and development
HI history
IM immunology
IN injuries
IR innervation
IP instrumentation
IS isolation and purification
LJ legislation and jurisprudence
MA manufacturers
ME metabolism
MT methods
MI microbiology
MO mortality
NU nursing
OG organization and administration
PS parasitology
PY pathogenicity
PA pathology
PK pharmacokinetics
PD pharmacology
PH physiology
PP physiopathology
PO poisoning
PC prevention and control
PX psychology
RA radiography
RI radionuclide imaging
RE radiation effects
RT radiotherapy
RH rehabilitation
SC secondary
SE secretion
ST standards
SN statistics and numerical data
SD supply and distribution
SU surgery
TU therapeutic use
TH therapy
TO toxicity
TM transmission
TR transplantation
TD trends
UL ultrastructure
UR urine
US ultrasonography
UT utilization
VE veterinary
VI virology
"""
NAME_OF_CODE: Mapping[str, str] = MappingProxyType(
    {line.split(" ", 1)[0]: line.split(" ", 1)[1] for line in _TABLE.strip().splitlines()}
)
CODE_OF_NAME: Mapping[str, str] = MappingProxyType(
    {
        **{name: code for code, name in NAME_OF_CODE.items()},
        **{n.replace(" and ", " & "): c for c, n in NAME_OF_CODE.items()},
    }
)


def qualifier_name(text: str) -> str:
    """The name of a subheading given by code or name, in lower case; unknown ones as written."""
    clean = " ".join(text.split())
    name = NAME_OF_CODE.get(clean.upper(), clean.casefold())
    return name.replace(" & ", " and ")


def qualifier_code(text: str) -> str:
    """The two-letter code of a subheading given by code or name, in capitals; "" if it is none."""
    clean = " ".join(text.split())
    return clean.upper() if clean.upper() in NAME_OF_CODE else CODE_OF_NAME.get(clean.casefold(), "")
