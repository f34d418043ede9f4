"""Small fixed vocabularies of PubMed: languages, stop words, the hierarchy of MeSH subheadings, trial types.

Sources: PubMed help (stop words, languages), NLM's table "MeSH subheading hierarchies"; publication types are exploded
by the MeSH tree where one is loaded, else by the trial types listed here.
"""

from __future__ import annotations

LANGUAGES = {
    "arabic": "ara",
    "bulgarian": "bul",
    "chinese": "chi",
    "croatian": "hrv",
    "czech": "cze",
    "danish": "dan",
    "dutch": "dut",
    "english": "eng",
    "finnish": "fin",
    "french": "fre",
    "german": "ger",
    "greek": "gre",
    "hebrew": "heb",
    "hungarian": "hun",
    "italian": "ita",
    "japanese": "jpn",
    "korean": "kor",
    "multiple languages": "mul",
    "norwegian": "nor",
    "persian": "per",
    "polish": "pol",
    "portuguese": "por",
    "romanian": "rum",
    "russian": "rus",
    "serbian": "srp",
    "slovak": "slo",
    "slovenian": "slv",
    "spanish": "spa",
    "swedish": "swe",
    "turkish": "tur",
    "ukrainian": "ukr",
    "undetermined": "und",
}

_STOP_WORDS = """
a about again all almost also although always among an and another any are as at be because been before being
between both but by can could did do does done due during each either enough especially etc for found from
further had has have having here how however i if in into is it its itself just kg km made mainly make may mg
might ml mm most mostly must nearly neither no nor obtained of often on our overall perhaps pmid quite rather
really regarding seem seen several should show showed shown shows significantly since so some such than that
the their theirs them then there therefore these they this those through thus to upon use used using various
very was we were what when which while with within without would
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

_NARROWER_SUBHEADINGS = {
    "analysis": "blood, cerebrospinal fluid, isolation and purification, urine",
    "adverse effects": "poisoning, toxicity",
    "anatomy and histology": "blood supply, cytology, embryology, innervation, pathology, "
    "ultrastructure, abnormalities",
    "chemistry": "agonists, analogs and derivatives, antagonists and inhibitors, chemical synthesis",
    "complications": "secondary",
    "cytology": "pathology, ultrastructure",
    "diagnosis": "diagnostic imaging, pathology",
    "embryology": "abnormalities",
    "epidemiology": "ethnology, mortality",
    "etiology": "chemically induced, complications, secondary, congenital, embryology, genetics, immunology, "
    "microbiology, virology, parasitology, transmission",
    "metabolism": "biosynthesis, blood, cerebrospinal fluid, deficiency, enzymology, pharmacokinetics, urine",
    "microbiology": "virology",
    "organization and administration": "economics, legislation and jurisprudence, standards, "
    "statistics and numerical data, supply and distribution, trends",
    "pharmacology": "administration and dosage, adverse effects, poisoning, toxicity, agonists, "
    "antagonists and inhibitors, pharmacokinetics",
    "physiology": "genetics, growth and development, immunology, metabolism, physiopathology, secretion",
    "statistics and numerical data": "epidemiology, ethnology, mortality, supply and distribution, trends",
    "surgery": "transplantation",
    "therapeutic use": "administration and dosage, adverse effects, poisoning",
    "therapy": "diet therapy, drug therapy, nursing, prevention and control, radiotherapy, rehabilitation, surgery, "
    "transplantation",
}
NARROWER_SUBHEADINGS = {name: tuple(text.split(", ")) for name, text in _NARROWER_SUBHEADINGS.items()}

_TRIALS = (
    "adaptive clinical trial",
    "clinical trial phase i",
    "clinical trial phase ii",
    "clinical trial phase iii",
    "clinical trial phase iv",
    "controlled clinical trial",
    "equivalence trial",
    "pragmatic clinical trial",
    "randomized controlled trial",
)
NARROWER_TYPES = {
    "clinical trial": _TRIALS,
    "controlled clinical trial": ("equivalence trial", "pragmatic clinical trial", "randomized controlled trial"),
    "randomized controlled trial": ("equivalence trial", "pragmatic clinical trial"),
    "clinical study": ("clinical trial", "observational study", *_TRIALS),
    "review": ("systematic review",),
}
