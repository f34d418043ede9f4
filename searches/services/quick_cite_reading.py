"""Reads a sentence that remembers a paper ("that 2023 paper by Smith on AI in chest X-ray"). Pure.

What it takes from the sentence (names, years, journal, topic, identifiers) is shown to the person and only ever used to
ask sources; nothing of it is cited.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from litapp.core.identifiers import find_identifiers
from litapp.core.normalise import title_key
from litapp.core.records import Identifier, Record
from litapp.core.verification.freetext import guessed_title, plain_citation

_YEARS = re.compile(r"(?<![\w/.-])((?:19|20)\d\d)(?:\s*(?:-|–|to)\s*((?:19|20)\d\d))?(?![\w/-]|\.\d)")
_NAME = r"[A-ZÀ-ÖØ-ÞŁŠŽ][\w'’-]*[a-zà-öø-ÿ][\w'’-]*"
_PARTICLE = r"(?:(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|ter|ten|zu)\s+)*"
_PERSON = rf"{_PARTICLE}{_NAME}(?:\s+[A-Z]{{1,3}}\b(?![a-z-])|\s+{_NAME}(?!\s+et\b))?"
_LIST = rf"({_PERSON}(?:\s*(?:,|and|&)\s*{_PERSON}){{0,5}})"
_BY = re.compile(rf"\bby\s+(?:Drs?\.?\s+|Prof\.?\s+)?{_LIST}(?:\s*,?\s+et\s+al\b\.?|\s+and\s+colleagues)?")
_ET_AL = re.compile(rf"({_PERSON})(?:\s*,)?\s+(?:et\s+al\b\.?|and\s+colleagues)")
_POSSESSIVE = re.compile(rf"({_PERSON})['’]s\s+(?:(?:19|20)\d\d\s+)?(?:paper|study|trial|article|review|work)")
_BEFORE_YEAR = re.compile(rf"\A\W*({_PERSON}(?:\s*(?:and|&)\s*{_PERSON})?)\W+(?=(?:19|20)\d\d\b)")
_NOT_NAMES = frozenset(
    {
        *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
        *("November", "December", "The", "That", "This", "An", "In", "On", "Of", "And", "Paper", "Study", "Trial"),
        *("Review", "PubMed", "Medline", "Europe", "Germany", "China", "America", "Africa", "Asia", "Lancet"),
        *("Nature", "Science", "Cell", "Cochrane", "Covid", "COVID", "What", "Which", "Who"),
    }
)
"""Words with a capital that stand where a name could."""
JOURNALS = {
    "nejm": "N Engl J Med",
    "new england journal of medicine": "N Engl J Med",
    "new england journal": "N Engl J Med",
    "jama": "JAMA",
    "bmj": "BMJ",
    "lancet": "Lancet",
    "annals of internal medicine": "Ann Intern Med",
    "plos medicine": "PLoS Med",
    "plos one": "PLoS One",
    "nature medicine": "Nat Med",
    "nature": "Nature",
    "science": "Science",
    "cell": "Cell",
    "circulation": "Circulation",
    "radiology": "Radiology",
    "chest": "Chest",
    "thorax": "Thorax",
    "gut": "Gut",
    "blood": "Blood",
    "pediatrics": "Pediatrics",
    "cochrane database": "Cochrane Database Syst Rev",
}
"""How people name journals -> NLM's abbreviation. Read only behind "in (the)", where a title's word is unlikely."""
_NAMES = "|".join(sorted(map(re.escape, JOURNALS), key=len, reverse=True))
_IN_JOURNAL = re.compile(
    rf"\b(?:published\s+)?in\s+(?:the\s+)?({_NAMES})\b"
    r"(?!\s+(?:of|and|x-?ray|cancer|cells?|transfusion|pressure|pain|oncology|neurology))",
    re.IGNORECASE,
)
_JOURNALS_PAPER = re.compile(rf"\b({_NAMES})\s+(?=(?:paper|trial|study|article|review)\b)", re.IGNORECASE)
_ONLY_JOURNALS = re.compile(r"\b(NEJM|JAMA|BMJ)\b(?! [A-Z])")
_FILLER = re.compile(
    r"\b(?:that|this|the|a|an|some|one|paper|papers|article|study|studies|publication|published|report|reported|"
    r"about|regarding|concerning|on|of|in|for|from|by|with|to|and|or|et al|who|which|where|what|was|were|is|are|be|"
    r"been|has|have|had|does|do|did|showed|shows|shown|showing|showed|found|finding|finds|i|we|you|my|our|remember|"
    r"need|want|find|me|please|cite|citation|reference|colleagues|year|recent|famous|known|well|it|its|as|at|using|"
    r"used|use|can|could|there|their|than|whether|how|big|new|into|after|before|between|during)\b",
    re.IGNORECASE,
)
MOST_WORDS = 12


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a sentence says of a paper. `topic` are its words in their order; "" and () = not said."""

    text: str
    authors: tuple[str, ...] = ()
    year_from: int | None = None
    year_to: int | None = None
    journal: str = ""
    topic: tuple[str, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    title: str = ""
    """A title, where the sentence is built like a citation or holds a quoted title."""

    @property
    def words(self) -> str:
        """The topic as words for a search by likeness."""
        return " ".join(self.topic)

    @property
    def told(self) -> list[str]:
        """What was read, in words for the person."""
        parts = [f"author {name}" for name in self.authors]
        if self.year_from:
            parts.append(f"{self.year_from}" if self.year_from == self.year_to else f"{self.year_from}-{self.year_to}")
        if self.journal:
            parts.append(f"journal {self.journal}")
        if self.topic:
            parts.append(f"about {self.words}")
        return parts + [f"{one.scheme.value.upper()} {one.value}" for one in self.identifiers]


def read_sentence(text: str) -> Remembered:
    """What the sentence says; nothing it does not say."""
    given = " ".join(text.replace("\x00", " ").split())
    identifiers = find_identifiers(given)
    rest = plain_citation(given)
    years = [(int(m[1]), int(m[2] or m[1])) for m in _YEARS.finditer(rest)]
    authors, rest = _authors(rest)
    journal = ""
    for pattern in (_IN_JOURNAL, _JOURNALS_PAPER, _ONLY_JOURNALS):
        if found := pattern.search(rest):
            journal = journal or JOURNALS[found[1].casefold()]
            rest = rest[: found.start()] + " " + rest[found.end() :]
    title = _title(given)
    topic = _topic(_YEARS.sub(" ", title or rest))
    return Remembered(
        text=given,
        authors=authors,
        year_from=min((a for a, _ in years), default=None),
        year_to=max((b for _, b in years), default=None),
        journal=journal,
        topic=topic,
        identifiers=identifiers,
        title=title,
    )


def _authors(text: str) -> tuple[tuple[str, ...], str]:
    """Family names, and the text without them."""
    names: list[str] = []
    for pattern in (_BY, _ET_AL, _POSSESSIVE, _BEFORE_YEAR):
        while found := pattern.search(text):
            people = [_family(name) for name in re.split(r"\s*(?:,|\band\b|&)\s*", found[1])]
            good = [name for name in people if name and name not in _NOT_NAMES]
            if not good:
                break
            names += good
            text = text[: found.start()] + " " + text[found.end() :]
        if names:
            break
    return tuple(dict.fromkeys(names)), text


def _family(name: str) -> str:
    """The family name of "Smith J", "Jane Smith", "van der Berg"."""
    name = re.sub(r"\s+[A-Z]{1,3}\Z", "", name.strip(" .,;"))
    if " " in name and not re.match(_PARTICLE + r"\S+\Z", name):
        name = name.split()[-1]
    return name


def _topic(text: str) -> tuple[str, ...]:
    words = re.findall(r"[\w][\w'’/-]*[\w]|\w", _FILLER.sub(" ", text))
    kept = [word for word in words if len(word) > 1 and not word.isdigit()]
    return tuple(dict.fromkeys(kept))[:MOST_WORDS]


def _title(text: str) -> str:
    """A title that stands in the text as in a citation: in quotes, or as a sentence behind a list of names."""
    quoted = re.search(r"[“\"«]\s*([^“”\"«»]{15,300}?)[,.]?\s*[”\"»]", text)
    if quoted:
        return quoted[1]
    looks_cited = re.search(r"\b(?:19|20)\d\d\s*;\s*\d|\bdoi\b|\A[^.]{3,200}\b[A-Z]{1,3}[.,]\s", text)
    return guessed_title(text) if looks_cited else ""


def covers(word: str, text_key: str, words: frozenset[str]) -> bool:
    """Whether a word of the topic stands in a text (`text_key` folded, `words` its words): as it is, with another
    ending, or as an abbreviation whose letters begin words that stand side by side."""
    key = title_key(word)
    if not key:
        return True
    if " " in key:
        return key in text_key
    if key in words:
        return True
    if word.isupper() and 2 <= len(key) <= 6 and key.isalpha():
        initials = "".join(part[0] for part in text_key.split() if part)
        return key in initials
    stem = key[: max(5, len(key) - 3)]
    return len(key) > 5 and any(other.startswith(stem) for other in words)


def agreement(remembered: Remembered, record: Record) -> tuple[float, list[str]]:
    """How well a record fits what is remembered (0 to 1 for the topic, more for author, year and journal), and why."""
    title = title_key(record.title)
    abstract = title_key(record.abstract_text)
    title_words, abstract_words = frozenset(title.split()), frozenset(abstract.split())
    in_title = [word for word in remembered.topic if covers(word, title, title_words)]
    in_abstract = [word for word in remembered.topic if word not in in_title and covers(word, abstract, abstract_words)]
    score, why = 0.0, []
    if remembered.topic:
        score += (len(in_title) + 0.5 * len(in_abstract)) / len(remembered.topic)
        if in_title:
            why.append(f"In its title: {', '.join(in_title)}.")
        if in_abstract:
            why.append(f"In its abstract: {', '.join(in_abstract)}.")
    if remembered.authors:
        families = {title_key(person.family or person.literal) for person in record.authors}
        named = [name for name in remembered.authors if title_key(name) in families]
        score += 0.8 * len(named) / len(remembered.authors) - (0.0 if named else 0.4)
        why.append(f"Author {', '.join(named)}." if named else _lacks_author(remembered, record))
    if remembered.year_from and remembered.year_to:
        years = {*record.years, *([record.year] if record.year else [])}
        if any(remembered.year_from <= year <= remembered.year_to for year in years):
            score += 0.4
            why.append(f"Published {record.year}.")
        elif years:
            near = min(abs(year - remembered.year_from) for year in years) == 1
            score -= 0.0 if near else 0.3
            why.append(f"Published {record.year}, not {remembered.year_from}.")
    if remembered.journal:
        names = {title_key(name) for name in (record.journal, record.journal_abbreviation) if name}
        if any(title_key(remembered.journal) == name for name in names):
            score += 0.3
            why.append(f"In {record.journal_abbreviation or record.journal}.")
    return score, why


def _lacks_author(remembered: Remembered, record: Record) -> str:
    if not record.authors_complete or not record.authors:
        return f"The source does not name all authors; {', '.join(remembered.authors)} is not among those named."
    return f"{', '.join(remembered.authors)} is not among its authors."
