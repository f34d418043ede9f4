"""Filters as shipped by a translator or printed in published reviews. Texts as published, lines numbered from 1."""

from __future__ import annotations

from litapp.core.filters.filter import Purpose, SearchFilter
from litapp.core.querylang.dialects import Dialect

FILTERS = (
    SearchFilter(
        key="sra-trials-pubmed",
        name="RCT filter of the SRA Polyglot translator",
        purpose=Purpose.TRIALS,
        dialect=Dialect.PUBMED,
        version="commit 982b46d",
        source="Bond University, SRA Polyglot (CREBP/sra-polyglot, src/modules/global.js)",
        text=(
            "randomized controlled trial[pt] OR controlled clinical trial[pt] OR randomized[tiab] OR "
            'randomised[tiab] OR placebo[tiab] OR "drug therapy"[sh] OR randomly[tiab] OR trial[tiab] OR '
            "groups[tiab] NOT (Animals[Mesh] not (Animals[Mesh] and Humans[Mesh]))"
        ),
    ),
    SearchFilter(
        key="sra-trials-ovid-medline",
        name="RCT filter of the SRA Polyglot translator",
        purpose=Purpose.TRIALS,
        dialect=Dialect.OVID_MEDLINE,
        version="commit 982b46d",
        source="Bond University, SRA Polyglot (CREBP/sra-polyglot, src/modules/global.js)",
        text=(
            "((randomized controlled trial or controlled clinical trial).pt. or randomized.ab. or randomised.ab. "
            "or placebo.ab. or drug therapy.fs. or randomly.ab. or trial.ab. or groups.ab.) not (exp animals/ not"
            " humans.sh.)"
        ),
    ),
    SearchFilter(
        key="sra-trials-embase-com",
        name="RCT filter of the SRA Polyglot translator",
        purpose=Purpose.TRIALS,
        dialect=Dialect.EMBASE_COM,
        version="commit 982b46d",
        source="Bond University, SRA Polyglot (CREBP/sra-polyglot, src/modules/global.js)",
        text=(
            "random* OR factorial OR crossover OR placebo OR blind OR blinded OR assign OR assigned OR allocate "
            "OR allocated OR 'crossover procedure'/exp OR 'double-blind procedure'/exp OR 'randomized controlled "
            "trial'/exp OR 'single-blind procedure'/exp NOT ('animal'/exp NOT ('animal'/exp AND 'human'/exp))"
        ),
    ),
    SearchFilter(
        key="sra-trials-cinahl-ebsco",
        name="RCT filter of the SRA Polyglot translator",
        purpose=Purpose.TRIALS,
        dialect=Dialect.CINAHL,
        version="commit 982b46d",
        source="Bond University, SRA Polyglot (CREBP/sra-polyglot, src/modules/global.js)",
        text=(
            '(MH "Clinical Trials+") OR (MH "Quantitative Studies") OR TI placebo* OR AB placebo* OR (MH '
            '"Placebos") OR (MH "Random Assignment") OR TI random* OR AB random* OR TI ((singl* or doubl* or '
            "tripl* or trebl*) W1 (blind* or mask*)) OR AB ((singl* or doubl* or tripl* or trebl*) W1 (blind* or "
            "mask*)) OR TI clinic* trial* OR AB clinic* trial* OR PT clinical trial"
        ),
    ),
    SearchFilter(
        key="sra-trials-wos",
        name="RCT filter of the SRA Polyglot translator",
        purpose=Purpose.TRIALS,
        dialect=Dialect.WEB_OF_SCIENCE,
        version="commit 982b46d",
        source="Bond University, SRA Polyglot (CREBP/sra-polyglot, src/modules/global.js)",
        text=(
            'TS=(random* or placebo* or allocat* or crossover* or "cross over" or ((singl* or doubl*) NEAR/1 '
            "blind*)) OR TI=(trial)"
        ),
    ),
    SearchFilter(
        key="sra-trials-psycinfo-proquest",
        name="RCT filter of the SRA Polyglot translator",
        purpose=Purpose.TRIALS,
        dialect=Dialect.PROQUEST,
        version="commit 982b46d",
        source="Bond University, SRA Polyglot (CREBP/sra-polyglot, src/modules/global.js)",
        text=(
            'SU.EXACT("Treatment Effectiveness Evaluation") OR SU.EXACT.EXPLODE("Treatment Outcomes") OR '
            'SU.EXACT("Placebo") OR SU.EXACT("Followup Studies") OR placebo* OR random* OR "comparative stud*" OR'
            " clinical NEAR/3 trial* OR research NEAR/3 design OR evaluat* NEAR/3 stud* OR prospectiv* NEAR/3 "
            "stud* OR (singl* OR doubl* OR trebl* OR tripl*) NEAR/3 (blind* OR mask*)"
        ),
    ),
    SearchFilter(
        key="mcdonald-2023-trials-embase",
        name="Trial filter with exclusions, as printed in a review",
        purpose=Purpose.TRIALS,
        dialect=Dialect.OVID_EMBASE,
        version="as printed 2023",
        source="McDonald J et al. Journal of Cachexia, Sarcopenia and Muscle 2023",
        doi="10.1002/jcsm.13321",
        text=(
            "1 Randomized controlled trial/\n"
            "2 Controlled clinical trial/\n"
            "3 random$.ti,ab.\n"
            "4 randomization/\n"
            "5 intermethod comparison/\n"
            "6 placebo.ti,ab.\n"
            "7 (compare or compared or comparison).ti.\n"
            "8 ((evaluated or evaluate or evaluating or assessed or assess) and (compare or compared or comparing"
            " or comparison)).ab.\n"
            "9 (open adj label).ti,ab.\n"
            "10 ((double or single or doubly or singly) adj (blind or blinded or blindly)).ti,ab.\n"
            "11 double blind procedure/\n"
            "12 parallel group$1.ti,ab.\n"
            "13 (crossover or cross over).ti,ab.\n"
            "14 ((assign$ or match or matched or allocation) adj5 (alternate or group$1 or intervention$1 or "
            "patient$1 or subject$1 or participant$1)).ti,ab.\n"
            "15 (assigned or allocated).ti,ab.\n"
            "16 (controlled adj7 (study or design or trial)).ti,ab.\n"
            "17 (volunteer or volunteers).ti,ab.\n"
            "18 human experiment/\n"
            "19 trial.ti.\n"
            "20 or/1-19\n"
            "21 (random$ adj sampl$ adj7 (cross section$ or questionnaire$1 or survey$ or database$1)).ti,ab. not"
            " (comparative study/ or controlled study/ or randomi?ed controlled.ti,ab. or randomly "
            "assigned.ti,ab.)\n"
            "22 Cross-sectional study/ not (randomized controlled trial/ or controlled clinical study/ or "
            "controlled study/ or randomi?ed controlled.ti,ab. or control group$1.ti,ab.)\n"
            "23 (((case adj control$) and random$) not randomi?ed controlled).ti,ab.\n"
            "24 (Systematic review not (trial or study)).ti.\n"
            "25 (nonrandom$ not random$).ti,ab.\n"
            "26 Random field$.ti,ab.\n"
            "27 (random cluster adj3 sampl$).ti,ab.\n"
            "28 (review.ab. and review.pt.) not trial.ti.\n"
            "29 we searched.ab. and (review.ti. or review.pt.)\n"
            "30 update review.ab.\n"
            "31 (databases adj4 searched).ab.\n"
            "32 (rat or rats or mouse or mice or swine or porcine or murine or sheep or lambs or pigs or piglets "
            "or rabbit or rabbits or cat or cats or dog or dogs or cattle or bovine or monkey or monkeys or trout"
            " or marmoset$1).ti. and animal experiment/\n"
            "33 Animal experiment/ not (human experiment/ or human/)\n"
            "34 or/21-33\n"
            "35 20 not 34"
        ),
    ),
    SearchFilter(
        key="mcdonald-2023-cohorts-ovid",
        name="Cohort and longitudinal studies, as printed in a review",
        purpose=Purpose.OBSERVATIONAL,
        dialect=Dialect.OVID_MEDLINE,
        version="as printed 2023",
        source="McDonald J et al. Journal of Cachexia, Sarcopenia and Muscle 2023",
        doi="10.1002/jcsm.13321",
        text=(
            '1 cohort studies/ or follow-up studies/ or longitudinal studies/ or "national longitudinal study of '
            'adolescent health"/ or prospective studies/ or retrospective studies/\n'
            "2 (cohort* or longitudinal or prospective* or retrospective*).tw.\n"
            "3 or/1-2"
        ),
    ),
    SearchFilter(
        key="mcdonald-2023-cohorts-embase",
        name="Cohort and longitudinal studies, as printed in a review",
        purpose=Purpose.OBSERVATIONAL,
        dialect=Dialect.OVID_EMBASE,
        version="as printed 2023",
        source="McDonald J et al. Journal of Cachexia, Sarcopenia and Muscle 2023",
        doi="10.1002/jcsm.13321",
        text=(
            '1 cohort analysis/ or follow up/ or longitudinal study/ or "national longitudinal study of '
            'adolescent health"/ or prospective study/ or retrospective study/\n'
            "2 ((cohort adj (study or studies)) or cohort analy* or longitudinal).tw.\n"
            "3 or/1-2"
        ),
    ),
    SearchFilter(
        key="balitsky-2024-observational-ovid",
        name="Observational studies in humans, as printed in a review",
        purpose=Purpose.OBSERVATIONAL,
        dialect=Dialect.OVID_MEDLINE,
        version="as printed 2024",
        source="Balitsky AK et al. JAMA Network Open 2024",
        doi="10.1001/jamanetworkopen.2024.24793",
        text=(
            "1 Epidemiologic Studies/\n"
            "2 exp Case-Control Studies/\n"
            "3 exp Cohort Studies/\n"
            "4 Case control.tw.\n"
            "5 (cohort adj (study or studies)).tw.\n"
            "6 Cohort analy$.tw.\n"
            "7 (Follow up adj (study or studies)).tw.\n"
            "8 (observational adj (study or studies)).tw.\n"
            "9 Longitudinal.tw.\n"
            "10 Retrospective.tw.\n"
            "11 Cross sectional.tw.\n"
            "12 Cross-sectional studies/\n"
            "13 or/1-12\n"
            "14 exp animals/ not humans.sh.\n"
            "15 13 not 14"
        ),
    ),
    SearchFilter(
        key="balitsky-2024-trials-ovid",
        name="Trial filter as printed in a review",
        purpose=Purpose.TRIALS,
        dialect=Dialect.OVID_MEDLINE,
        version="as printed 2024",
        source="Balitsky AK et al. JAMA Network Open 2024",
        doi="10.1001/jamanetworkopen.2024.24793",
        text=(
            "1 randomized controlled trial.pt.\n"
            "2 controlled clinical trial.pt.\n"
            "3 randomi?ed.ab.\n"
            "4 placebo.ab.\n"
            "5 drug therapy.fs.\n"
            "6 randomly.ab.\n"
            "7 trial.ab.\n"
            "8 groups.ab.\n"
            "9 or/1-8\n"
            "10 exp animals/ not humans.sh.\n"
            "11 9 not 10"
        ),
    ),
    SearchFilter(
        key="balitsky-2024-observational-cinahl",
        name="Observational studies, as printed in a review",
        purpose=Purpose.OBSERVATIONAL,
        dialect=Dialect.CINAHL,
        version="as printed 2024",
        source="Balitsky AK et al. JAMA Network Open 2024",
        doi="10.1001/jamanetworkopen.2024.24793",
        text=(
            'S1 (MH "Case Control Studies+")\n'
            'S2 (MH "Case Studies")\n'
            'S3 (MH "Cross Sectional Studies")\n'
            'S4 (MH "Prospective Studies+")\n'
            'S5 (MH "Retrospective Panel Studies")\n'
            'S6 (MH "Correlational Studies")\n'
            'S7 (MH "Ecological Research")\n'
            'S8 (MH "Descriptive Research")\n'
            "S9 TI epidemiologic OR AB epidemiologic\n"
            'S10 TI "case control" OR AB "case control"\n'
            'S11 TI "case referent" OR AB "case referent*"\n'
            'S12 TI "case stud*" OR AB "case stud*"\n'
            'S13 TI "case series" OR AB "case series"\n'
            "S14 TI cohort* OR AB cohort*\n"
            'S15 TI "cross sectional" OR AB "cross sectional"\n'
            'S16 TI "follow up" OR AB "follow up"\n'
            "S17 TI longitudinal OR AB longitudinal\n"
            "S18 TI retrospective* OR AB retrospective*\n"
            "S19 TI prospective* OR AB prospective*\n"
            "S20 TI observational OR AB observational\n"
            'S21 TI "adverse effect*" OR AB "adverse effect*"\n'
            'S22 TI "Controlled before and after" OR AB "Controlled before and after"\n'
            'S23 TI "Interrupted time series" OR AB "Interrupted time series"\n'
            "S24 TI Correlational OR AB Correlational\n"
            'S25 TI "ecological stud*" OR AB "ecological stud*"\n'
            'S26 TI "Descriptive stud*" OR AB "Descriptive stud*"\n'
            "S27 S1 OR S2 OR S3 OR S4 OR S5 OR S6 OR S7 OR S8 OR S9 OR S10 OR S11 OR S12 OR S13 OR S14 OR S15 OR "
            "S16 OR S17 OR S18 OR S19 OR S20 OR S21 OR S22 OR S23 OR S24 OR S25 OR S26"
        ),
    ),
    SearchFilter(
        key="balitsky-2024-trials-cinahl",
        name="Trial filter as printed in a review",
        purpose=Purpose.TRIALS,
        dialect=Dialect.CINAHL,
        version="as printed 2024",
        source="Balitsky AK et al. JAMA Network Open 2024",
        doi="10.1001/jamanetworkopen.2024.24793",
        text=(
            'S1 (MH "Randomized Controlled Trials")\n'
            'S2 (MH "Double-Blind Studies")\n'
            'S3 (MH "Single-Blind Studies")\n'
            'S4 (MH "Random Assignment")\n'
            'S5 (MH "Pretest-Posttest Design")\n'
            'S6 (MH "Cluster Sample")\n'
            "S7 TI (randomised OR randomized)\n"
            "S8 AB (random*)\n"
            "S9 TI (trial)\n"
            "S10 MH (sample size) AND AB (assigned OR allocated OR control)\n"
            "S11 MH (placebos)\n"
            "S12 PT (randomized controlled trial)\n"
            "S13 AB (CONTROL W5 GROUP)\n"
            "S14 MH (CROSSOVER DESIGN) OR MH (COMPARATIVE STUDIES)\n"
            "S15 AB (CLUSTER W3 RCT)\n"
            "S16 S1 OR S2 OR S3 OR S4 OR S5 OR S6 OR S7 OR S8 OR S9 OR S10 OR S11 OR S12 OR S13 OR S14 OR S15"
        ),
    ),
    SearchFilter(
        key="deprescribing-reviews-pubmed",
        name="Systematic reviews, as used in a review",
        purpose=Purpose.REVIEWS,
        dialect=Dialect.PUBMED,
        version="search of 7 May 2020",
        source=(
            "Effectiveness and sustainability of deprescribing for hospitalized older patients near end of life: "
            "a systematic review"
        ),
        pmid="33213216",
        text=(
            "(((Search[tiab] OR Searched[tiab]) AND (PubMed[tiab] OR MEDLINE[tiab])) OR (systematic[tiab] AND "
            "review[tiab]) OR ((systematically[tiab] OR reviewed[tiab]) AND literature[tiab]) OR meta "
            'analysis[Publication Type]) OR ("Cochrane Database Syst Rev"[jour])'
        ),
    ),
)
