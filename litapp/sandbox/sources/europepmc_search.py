"""Europe PMC's search syntax over the corpus: which articles a query finds."""

from __future__ import annotations

import re

from litapp.core.querylang import Field
from litapp.sandbox.corpus import sets
from litapp.sandbox.dispatch import World
from litapp.sandbox.fielded import Asked, evaluate, find_days, find_text

_FIELDS = {
    "": (Field.ALL,),
    "TITLE": (Field.TITLE,),
    "ABSTRACT": (Field.ABSTRACT,),
    "TITLE_ABS": (Field.TITLE, Field.ABSTRACT),
    "KW": (Field.OTHER_TERM,),
    "AUTH": (Field.AUTHOR,),
    "JOURNAL": (Field.JOURNAL,),
    "ISSN": (Field.JOURNAL,),
    "PUB_TYPE": (Field.PUBLICATION_TYPE,),
    "LANG": (Field.LANGUAGE,),
    "AFF": (Field.AFFILIATION,),
    "GRANT_ID": (Field.GRANT,),
    "CHEM": (Field.SUPPLEMENTARY_CONCEPT,),
    "DOI": (Field.DOI,),
}
_WHOLE_VALUES = frozenset({"PUB_TYPE", "LANG", "JOURNAL", "ISSN", "GRANT_ID", "CHEM", "DOI"})
_HEADING = "SELECT article FROM heading WHERE name = ? AND qualifier = ''"
_ATTRIBUTE = "SELECT article FROM attribute WHERE kind = ? AND value = ?"


class EuropePmcSearch:
    """Searches of one world. Preprints are in the collection PPR, all other articles in MED."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.preprints = self._with("pt", "preprint") & world.evaluator.all_bits

    def find(self, query: str) -> int:
        """The articles found, as bits. Raises FieldedError."""
        return evaluate(query, self._term, self.world.evaluator.all_bits)

    def _term(self, asked: Asked) -> int:
        evaluator = self.world.evaluator
        field, text = asked.field.upper(), asked.text
        if field in ("PUB_YEAR", "FIRST_PDATE"):
            low, high = (asked.low, asked.high) if asked.low else (text, text)
            return find_days(evaluator, _day(low), _day(high))
        if field == "SRC":
            everything = evaluator.all_bits
            return {"MED": everything & ~self.preprints, "PPR": self.preprints}.get(text.upper(), 0)
        if field == "EXT_ID":
            return self._numbers(text)
        if field == "PMCID":
            return self._with("pmc", text.casefold())
        if field not in _FIELDS or (field == "" and asked.low):
            return 0
        quoted = asked.quoted and field not in _WHOLE_VALUES
        bits = 0
        for name in _FIELDS[field]:
            bits |= find_text(evaluator, text, name, quoted=quoted)
        if field == "KW":
            numbers = self.world.corpus.numbers(_HEADING, (text.casefold(),))
            bits |= sets.from_numbers(numbers, evaluator.largest)
        return bits

    def _numbers(self, text: str) -> int:
        """An article by its number: bare in MED, with PPR before it in PPR."""
        digits = re.fullmatch(r"(PPR)?(\d+)", text.strip(), re.IGNORECASE)
        if digits is None:
            return 0
        known = self.world.corpus.ids_of_pmids([int(digits[2])])
        bits = sets.from_numbers(known.values(), self.world.evaluator.largest)
        return bits & self.preprints if digits[1] else bits & ~self.preprints

    def _with(self, kind: str, value: str) -> int:
        return sets.from_numbers(self.world.corpus.numbers(_ATTRIBUTE, (kind, value)), self.world.evaluator.largest)


def _day(text: str) -> str:
    return text.replace("-", "/") if re.fullmatch(r"\d{4}(-\d{1,2}){0,2}", text) else "0001"
