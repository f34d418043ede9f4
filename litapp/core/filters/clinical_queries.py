"""NLM's clinical study categories (Clinical Queries) for PubMed. Texts as published, lines numbered from 1."""

from __future__ import annotations

from litapp.core.filters.filter import Purpose, SearchFilter
from litapp.core.querylang.dialects import Dialect

FILTERS = (
    SearchFilter(
        key="clinical-queries-therapy-broad",
        name="Clinical study category: therapy, broad",
        purpose=Purpose.TRIALS,
        dialect=Dialect.PUBMED,
        version="December 2011 revision",
        source="NLM, PubMed User Guide, clinical study categories",
        text=(
            "((clinical[Title/Abstract] AND trial[Title/Abstract]) OR clinical trials as topic[MeSH Terms] OR "
            "clinical trial[Publication Type] OR random*[Title/Abstract] OR random allocation[MeSH Terms] OR "
            "therapeutic use[MeSH Subheading])"
        ),
    ),
    SearchFilter(
        key="clinical-queries-therapy-narrow",
        name="Clinical study category: therapy, narrow",
        purpose=Purpose.TRIALS,
        dialect=Dialect.PUBMED,
        version="December 2011 revision",
        source="NLM, PubMed User Guide, clinical study categories",
        text=(
            "(randomized controlled trial[Publication Type] OR (randomized[Title/Abstract] AND "
            "controlled[Title/Abstract] AND trial[Title/Abstract]))"
        ),
    ),
    SearchFilter(
        key="clinical-queries-diagnosis-broad",
        name="Clinical study category: diagnosis, broad",
        purpose=Purpose.DIAGNOSIS,
        dialect=Dialect.PUBMED,
        version="December 2011 revision",
        source="NLM, PubMed User Guide, clinical study categories",
        text=(
            "(sensitiv*[Title/Abstract] OR sensitivity and specificity[MeSH Terms] OR diagnose[Title/Abstract] OR"
            " diagnosed[Title/Abstract] OR diagnoses[Title/Abstract] OR diagnosing[Title/Abstract] OR "
            "diagnosis[Title/Abstract] OR diagnostic[Title/Abstract] OR diagnosis[MeSH:noexp] OR (diagnostic "
            "equipment[MeSH:noexp] OR diagnostic errors[MeSH:noexp] OR diagnostic imaging[MeSH:noexp] OR "
            "diagnostic services[MeSH:noexp]) OR diagnosis, differential[MeSH:noexp] OR "
            "diagnosis[Subheading:noexp])"
        ),
    ),
    SearchFilter(
        key="clinical-queries-diagnosis-narrow",
        name="Clinical study category: diagnosis, narrow",
        purpose=Purpose.DIAGNOSIS,
        dialect=Dialect.PUBMED,
        version="December 2011 revision",
        source="NLM, PubMed User Guide, clinical study categories",
        text="(specificity[Title/Abstract])",
    ),
    SearchFilter(
        key="clinical-queries-etiology-broad",
        name="Clinical study category: etiology, broad",
        purpose=Purpose.ETIOLOGY,
        dialect=Dialect.PUBMED,
        version="December 2011 revision",
        source="NLM, PubMed User Guide, clinical study categories",
        text=(
            "(risk*[Title/Abstract] OR risk*[MeSH:noexp] OR (risk adjustment[MeSH:noexp] OR risk "
            "assessment[MeSH:noexp] OR risk factors[MeSH:noexp] OR risk management[MeSH:noexp] OR risk "
            "taking[MeSH:noexp]) OR cohort studies[MeSH Terms] OR group[Text Word] OR groups[Text Word] OR "
            "grouped [Text Word])"
        ),
    ),
    SearchFilter(
        key="clinical-queries-etiology-narrow",
        name="Clinical study category: etiology, narrow",
        purpose=Purpose.ETIOLOGY,
        dialect=Dialect.PUBMED,
        version="December 2011 revision",
        source="NLM, PubMed User Guide, clinical study categories",
        text=(
            "((relative[Title/Abstract] AND risk*[Title/Abstract]) OR (relative risk[Text Word]) OR risks[Text "
            "Word] OR cohort studies[MeSH:noexp] OR (cohort[Title/Abstract] AND study[Title/Abstract]) OR "
            "(cohort[Title/Abstract] AND studies[Title/Abstract]))"
        ),
    ),
    SearchFilter(
        key="clinical-queries-prognosis-broad",
        name="Clinical study category: prognosis, broad",
        purpose=Purpose.PROGNOSIS,
        dialect=Dialect.PUBMED,
        version="December 2011 revision",
        source="NLM, PubMed User Guide, clinical study categories",
        text=(
            "(incidence[MeSH:noexp] OR mortality[MeSH Terms] OR follow up studies[MeSH:noexp] OR prognos*[Text "
            "Word] OR predict*[Text Word] OR course*[Text Word])"
        ),
    ),
    SearchFilter(
        key="clinical-queries-prognosis-narrow",
        name="Clinical study category: prognosis, narrow",
        purpose=Purpose.PROGNOSIS,
        dialect=Dialect.PUBMED,
        version="December 2011 revision",
        source="NLM, PubMed User Guide, clinical study categories",
        text=(
            "(prognos*[Title/Abstract] OR (first[Title/Abstract] AND episode[Title/Abstract]) OR "
            "cohort[Title/Abstract])"
        ),
    ),
    SearchFilter(
        key="clinical-queries-prediction-broad",
        name="Clinical study category: prediction, broad",
        purpose=Purpose.PREDICTION,
        dialect=Dialect.PUBMED,
        version="December 2011 revision",
        source="NLM, PubMed User Guide, clinical study categories",
        text=(
            "(predict*[Title/Abstract] OR predictive value of tests[MeSH Terms] OR score[Title/Abstract] OR "
            "scores[Title/Abstract] OR scoring system[Title/Abstract] OR scoring systems[Title/Abstract] OR "
            "observ*[Title/Abstract] OR observer variation[MeSH Terms])"
        ),
    ),
    SearchFilter(
        key="clinical-queries-prediction-narrow",
        name="Clinical study category: prediction, narrow",
        purpose=Purpose.PREDICTION,
        dialect=Dialect.PUBMED,
        version="December 2011 revision",
        source="NLM, PubMed User Guide, clinical study categories",
        text="(validation[Title/Abstract] OR validate[Title/Abstract])",
    ),
)
