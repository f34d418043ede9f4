"""Filters of the Cochrane Handbook and as printed in Cochrane reviews. Texts as published, lines numbered from 1."""

from __future__ import annotations

from litapp.core.filters.filter import Purpose, SearchFilter
from litapp.core.querylang.dialects import Dialect

FILTERS = (
    SearchFilter(
        key="hsss-pubmed-2008",
        name="Cochrane Highly Sensitive Search Strategy, sensitivity-maximizing",
        purpose=Purpose.TRIALS,
        dialect=Dialect.PUBMED,
        version="2008 revision",
        source="Cochrane Handbook for Systematic Reviews of Interventions, version 6.5, Box 4.4.a",
        text=(
            "#1 randomized controlled trial [pt]\n"
            "#2 controlled clinical trial [pt]\n"
            "#3 randomized [tiab]\n"
            "#4 placebo [tiab]\n"
            "#5 drug therapy [sh]\n"
            "#6 randomly [tiab]\n"
            "#7 trial [tiab]\n"
            "#8 groups [tiab]\n"
            "#9 #1 OR #2 OR #3 OR #4 OR #5 OR #6 OR #7 OR #8\n"
            "#10 animals [mh] NOT humans [mh]\n"
            "#11 #9 NOT #10"
        ),
    ),
    SearchFilter(
        key="hsss-ovid-2023",
        name="Cochrane Highly Sensitive Search Strategy, sensitivity-maximizing",
        purpose=Purpose.TRIALS,
        dialect=Dialect.OVID_MEDLINE,
        version="2023 revision",
        source="Cochrane Handbook for Systematic Reviews of Interventions, version 6.5, Box 4.4.b",
        text=(
            "1 exp randomized controlled trial/\n"
            "2 controlled clinical trial.pt.\n"
            "3 randomized.ab.\n"
            "4 placebo.ab.\n"
            "5 drug therapy.fs.\n"
            "6 randomly.ab.\n"
            "7 trial.ab.\n"
            "8 groups.ab.\n"
            "9 1 or 2 or 3 or 4 or 5 or 6 or 7 or 8\n"
            "10 exp animals/ not humans.sh.\n"
            "11 9 not 10"
        ),
    ),
    SearchFilter(
        key="coleridge-2021-trials-ovid",
        name="Trial filter as printed in a Cochrane review",
        purpose=Purpose.TRIALS,
        dialect=Dialect.OVID_MEDLINE,
        version="as printed 2021",
        source="Coleridge SL et al. Cochrane Database of Systematic Reviews 2021, CD005343",
        doi="10.1002/14651858.CD005343.pub6",
        text=(
            "1 randomized controlled trial.pt.\n"
            "2 controlled clinical trial.pt.\n"
            "3 randomized.ab.\n"
            "4 placebo.ab.\n"
            "5 clinical trials as topic.sh.\n"
            "6 randomly.ab.\n"
            "7 trial.ti.\n"
            "8 1 or 2 or 3 or 4 or 5 or 6 or 7"
        ),
    ),
    SearchFilter(
        key="coleridge-2021-trials-embase",
        name="Trial filter as printed in a Cochrane review",
        purpose=Purpose.TRIALS,
        dialect=Dialect.OVID_EMBASE,
        version="as printed 2021",
        source="Coleridge SL et al. Cochrane Database of Systematic Reviews 2021, CD005343",
        doi="10.1002/14651858.CD005343.pub6",
        text=(
            "1 random*.ti,ab.\n"
            "2 factorial*.ti,ab.\n"
            "3 (crossover* or cross over* or cross-over*).ti,ab.\n"
            "4 placebo*.ti,ab.\n"
            "5 (doubl* adj blind*).ti,ab.\n"
            "6 (singl* adj blind*).ti,ab.\n"
            "7 assign*.ti,ab.\n"
            "8 allocat*.ti,ab.\n"
            "9 volunteer*.ti,ab.\n"
            "10 crossover procedure/\n"
            "11 double blind procedure/\n"
            "12 randomised controlled trial/\n"
            "13 single blind procedure/\n"
            "14 1 or 2 or 3 or 4 or 5 or 6 or 7 or 8 or 9 or 10 or 11 or 12 or 13"
        ),
    ),
    SearchFilter(
        key="faluyi-2010-studies-ovid",
        name="Trials and cohort studies, as printed in a Cochrane review",
        purpose=Purpose.TRIALS_AND_COHORTS,
        dialect=Dialect.OVID_MEDLINE,
        version="as printed 2010",
        source="Faluyi O et al. Cochrane Database of Systematic Reviews 2010, CD007696",
        doi="10.1002/14651858.CD007696.pub2",
        text=(
            '1 "randomized controlled trial".pt.\n'
            '2 "controlled clinical trial".pt.\n'
            "3 randomized.ab.\n"
            "4 placebo.ab.\n"
            '5 "drug therapy".fs.\n'
            '6 "surgery".fs.\n'
            '7 "therapy".fs.\n'
            '8 "radiotherapy".fs.\n'
            "9 randomly.ab.\n"
            "10 trial.ab.\n"
            "11 groups.ab.\n"
            "12 exp Cohort Studies/\n"
            "13 cohort*.mp.\n"
            "14 (case adj series).mp.\n"
            "15 1 or 2 or 3 or 4 or 5 or 6 or 7 or 8 or 9 or 10 or 11 or 12 or 13 or 14"
        ),
    ),
    SearchFilter(
        key="faluyi-2010-studies-embase",
        name="Trials and cohort studies, as printed in a Cochrane review",
        purpose=Purpose.TRIALS_AND_COHORTS,
        dialect=Dialect.OVID_EMBASE,
        version="as printed 2010",
        source="Faluyi O et al. Cochrane Database of Systematic Reviews 2010, CD007696",
        doi="10.1002/14651858.CD007696.pub2",
        text=(
            "1 exp Controlled Clinical Trial/\n"
            "2 randomized.ab.\n"
            "3 placebo.ab.\n"
            "4 dt.fs.\n"
            "5 su.fs.\n"
            "6 th.fs.\n"
            "7 rt.fs.\n"
            "8 randomly.ab.\n"
            "9 trial.ab.\n"
            "10 groups.ab.\n"
            "11 exp Cohort Analysis/\n"
            "12 cohort*.mp.\n"
            "13 (case adj series).mp.\n"
            "14 1 or 2 or 3 or 4 or 5 or 6 or 7 or 8 or 9 or 10 or 11 or 12 or 13"
        ),
    ),
    SearchFilter(
        key="cramer-2017-trials-pubmed",
        name="Trial filter as printed in a Cochrane review, its lines joined by OR",
        purpose=Purpose.TRIALS,
        dialect=Dialect.PUBMED,
        version="as printed 2017",
        source="Cramer H et al. Cochrane Database of Systematic Reviews 2017, CD010802",
        doi="10.1002/14651858.CD010802.pub2",
        note="The printed numbers of the combining lines are off; the lines themselves are as printed.",
        text=(
            "randomized controlled trial [pt] OR controlled clinical trial [pt] OR randomized [tiab] OR placebo "
            "[tiab] OR clinical trials as topic [mesh: noexp] OR randomly [tiab] OR trial [ti]"
        ),
    ),
    SearchFilter(
        key="cramer-2017-trials-embase-com",
        name="Trial filter as printed in a Cochrane review",
        purpose=Purpose.TRIALS,
        dialect=Dialect.EMBASE_COM,
        version="as printed 2017",
        source="Cramer H et al. Cochrane Database of Systematic Reviews 2017, CD010802",
        doi="10.1002/14651858.CD010802.pub2",
        text=(
            "random* OR factorial* OR crossover* OR cross NEXT/1 over* OR placebo* OR (doubl* AND blind*) OR "
            "(singl* AND blind*) OR assign* OR allocat* OR volunteer* OR 'crossover procedure'/exp OR 'double "
            "blind procedure'/exp OR 'randomized controlled trial'/exp OR 'single blind procedure'/exp"
        ),
    ),
    SearchFilter(
        key="exclude-animals-pubmed",
        name="Papers on animals only (to be taken away by NOT)",
        purpose=Purpose.ANIMALS_ONLY,
        dialect=Dialect.PUBMED,
        version="2008 revision",
        source=(
            "Part of the Cochrane Highly Sensitive Search Strategy. Cochrane Handbook for Systematic Reviews of "
            "Interventions, version 6.5, Box 4.4.a, line 10"
        ),
        text="animals [mh] NOT humans [mh]",
    ),
    SearchFilter(
        key="exclude-animals-ovid",
        name="Papers on animals only (to be taken away by NOT)",
        purpose=Purpose.ANIMALS_ONLY,
        dialect=Dialect.OVID_MEDLINE,
        version="2023 revision",
        source=(
            "Part of the Cochrane Highly Sensitive Search Strategy. Cochrane Handbook for Systematic Reviews of "
            "Interventions, version 6.5, Box 4.4.b, line 10"
        ),
        text="exp animals/ not humans.sh.",
    ),
    SearchFilter(
        key="exclude-animals-embase",
        name="Papers on animals only (to be taken away by NOT)",
        purpose=Purpose.ANIMALS_ONLY,
        dialect=Dialect.OVID_EMBASE,
        version="as printed 2010",
        source="Faluyi O et al. Cochrane Database of Systematic Reviews 2010, CD007696",
        doi="10.1002/14651858.CD007696.pub2",
        text=("1 exp Animal/\n2 Human/\n3 1 not (1 and 2)"),
    ),
)
