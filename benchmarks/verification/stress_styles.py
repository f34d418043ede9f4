"""Ways in which careful people write a reference: harmless changes of a record, and citation styles as text."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace

from litapp.core.matching.names import is_group
from litapp.core.records import PartialDate, Person, Record, Scheme

Change = Callable[[Record, random.Random], Record | None]


def initials(person: Person, dot: str = "", gap: str = "") -> str:
    """Initials of the given names: "J-P" and "Jean Paul" alike."""
    letters = [
        word[0] if not word.isupper() or len(word) > 3 else word for word in re.split(r"[\s.-]+", person.given) if word
    ]
    return gap.join(letter + dot for part in letters for letter in (part if part.isupper() else part[0].upper()))


# Harmless changes of a record: None where the record has nothing to change.


def plain(record: Record, chance: random.Random) -> Record:
    return record


def initials_only(record: Record, chance: random.Random) -> Record | None:
    return replace(record, authors=tuple(replace(p, given=initials(p)) if p.given else p for p in record.authors))


def et_al(record: Record, chance: random.Random) -> Record | None:
    keep = chance.choice((1, 3, 6))
    if len(record.authors) <= keep:
        return None
    return replace(record, authors=record.authors[:keep], authors_complete=False)


def short_journal(record: Record, chance: random.Random) -> Record | None:
    short = record.journal_abbreviation
    return replace(record, journal=short, journal_abbreviation="") if short and short != record.journal else None


def without_pages(record: Record, chance: random.Random) -> Record | None:
    return replace(record, pages="", issue="") if record.pages else None


def first_page_only(record: Record, chance: random.Random) -> Record | None:
    page = re.match(r"([A-Za-z]*\d+)[-\u2013]", record.pages)
    return replace(record, pages=page[1]) if page else None


def online_year(record: Record, chance: random.Random) -> Record | None:
    other = [year for year in record.years if year != record.year and record.year and abs(year - record.year) <= 1]
    year = other[0] if other else (record.year - 1 if record.year else None)
    return replace(record, date=PartialDate(year=year), years=()) if year else None


def subtitle_dropped(record: Record, chance: random.Random) -> Record | None:
    main, mark, rest = record.title.partition(": ")
    return replace(record, title=main) if mark and len(main.split()) >= 4 and len(rest.split()) >= 2 else None


def folded(record: Record, chance: random.Random) -> Record | None:
    def ascii_of(text: str) -> str:
        text = text.replace("ß", "ss").replace("ø", "o").replace("Ø", "O").replace("ł", "l").replace("æ", "ae")
        return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()

    names = [p.name for p in record.authors]
    if all(name.isascii() for name in names) or not all(ascii_of(n).strip() for n in names):
        return None
    people = tuple(
        Person(ascii_of(p.family), ascii_of(p.given), ascii_of(p.suffix), ascii_of(p.literal)) for p in record.authors
    )
    return replace(record, authors=people)


def lower_case(record: Record, chance: random.Random) -> Record | None:
    return replace(record, title=record.title.capitalize())


def title_case(record: Record, chance: random.Random) -> Record | None:
    small = {"of", "in", "the", "and", "a", "an", "for", "with", "on", "by", "to", "from"}
    words = [w if w in small or not w[:1].islower() else w[:1].upper() + w[1:] for w in record.title.split()]
    return replace(record, title=" ".join(words))


def as_printed(record: Record, chance: random.Random) -> Record | None:
    """A paper in another language under its printed title, or its translation without brackets."""
    if record.original_title and chance.random() < 0.5:
        return replace(record, title=record.original_title, original_title="")
    if record.title.startswith("["):
        return replace(record, title=record.title.strip("[].") + ".", original_title="")
    return None


def _words(record: Record) -> list[str]:
    return record.title.rstrip(".]").lstrip("[").split()


def cut_tail(record: Record, chance: random.Random) -> Record | None:
    words = _words(record)
    if len(words) < 8:
        return None
    keep = chance.randint(5, len(words) - 2)
    return _cut(record, words[:keep], words[keep:])


def cut_with_dots(record: Record, chance: random.Random) -> Record | None:
    words = _words(record)
    if len(words) < 8:
        return None
    keep = chance.randint(5, len(words) - 2)
    return replace(
        record, title=" ".join(words[:keep]) + chance.choice(("…", "...", " …", " [...]")), original_title=""
    )


def dots_within(record: Record, chance: random.Random) -> Record | None:
    words = _words(record)
    if len(words) < 10:
        return None
    return replace(record, title=" ".join(words[:5]) + " … " + " ".join(words[-3:]), original_title="")


def lead_dropped(record: Record, chance: random.Random) -> Record | None:
    words = _words(record)
    drop = chance.randint(1, 3)
    if len(words) < 8 + drop:
        return None
    return _cut(record, words[drop:], words[:drop])


def first_clause(record: Record, chance: random.Random) -> Record | None:
    clause = re.match(r"\[?(.{20,}?)(?:[,:;?.] | [-\u2013\u2014] )(.{8,})", record.title)
    if not clause or len(clause[1].split()) < 4:
        return None
    return _cut(record, clause[1].split(), clause[2].split())


MEANING = re.compile(
    r"\b(?:not?|non|without|neither|nor|never|lack\w*|fail\w*|absence|cannot|ineffective|(?:de|in)creas\w*|reduc\w*|impair\w*|"
    r"improv\w*|elevat\w*|enhanc\w*|inhibit\w*|suppress\w*|attenuat\w*|prevent\w*|declin\w*|high\w*|low\w*|more|less|"
    r"loss|greater|fewer|better|worse|reply|comments?|erratum|correction|letter|editorial|response|discussion|part|"
    r"notice|retract\w*|concern|commentary|protocol|against|stop\w*|limited|i{1,3}|iv|vi?|[1-5])\b",
    re.IGNORECASE,
)
"""Words that a writer does not leave out of a title without changing what it says: such cuts are not made here."""


def _cut(record: Record, kept: list[str], dropped: list[str]) -> Record | None:
    if MEANING.search(" ".join(dropped)) or kept[-1].lower() in ("not", "no"):
        return None
    return replace(record, title=" ".join(kept).rstrip(",:;"), original_title="")


HARMLESS: dict[str, Change] = {
    name.__name__: name
    for name in (
        plain, initials_only, et_al, short_journal, without_pages, first_page_only, online_year, subtitle_dropped,
        folded, lower_case, title_case, as_printed, cut_tail, cut_with_dots, dots_within, lead_dropped, first_clause,
    )
}  # fmt: skip


# Styles


def _people(
    record: Record, form: Callable[[Person], str], most: int, last: str, et_al_text: str, join: str = ", "
) -> str:
    names = [form(p) if p.family else p.literal for p in map(_parted, record.authors)]
    cut = not record.authors_complete or len(names) > most
    if cut:
        keep = names[: min(most, 6) if record.authors_complete else len(names)]
        return join.join(keep) + et_al_text
    return join.join(names[:-1]) + last + names[-1] if len(names) > 1 else "".join(names)


def _parted(person: Person) -> Person:
    """A name in one piece cut before its last word, as a reference manager does; groups stay whole."""
    words = person.literal.split()
    if not 2 <= len(words) <= 4 or is_group(person):
        return person
    return Person(family=words[-1], given=" ".join(words[:-1]))


def _glued(p: Person) -> str:
    return f"{p.family} {initials(p)}".strip()


def _dotted(p: Person) -> str:
    return f"{p.family}, {initials(p, '.', ' ')}".strip(" ,")


def _tight(p: Person) -> str:
    return f"{p.family}, {initials(p, '.')}".strip(" ,")


def _first(p: Person) -> str:
    return f"{initials(p, '.', ' ')} {p.family}".strip()


def _capitals(p: Person) -> str:
    return f"{p.family.upper()} {initials(p, '', ' ')}".strip()


def _whole(p: Person) -> str:
    return f"{p.given} {p.family}".strip()


def _place(record: Record, volume_issue: str = "{v}({i})", colon: str = ":") -> str:
    volume = volume_issue.format(v=record.volume, i=record.issue) if record.issue else record.volume
    return colon.join(filter(None, (volume, record.pages))).strip()


def _doi(record: Record, form: str) -> str:
    pmid = record.identifier(Scheme.PMID)
    return form.format(record.doi) if record.doi else (f" PMID: {pmid}." if pmid else "")


def tidy(text: str) -> str:
    """Without the signs that stand round a volume that is not given."""
    text = re.sub(r",\s*(?=\.)|;(?=\.)", "", text)
    return re.sub(r"\s{2,}", " ", re.sub(r"\s+([.,])(?=\s|\Z)", r"\1", text)).strip(" ,")


def _stop(title: str) -> str:
    return title if title.endswith(("?", "!", ".", "…")) else title + "."


def vancouver(r: Record) -> str:
    people = _people(r, _glued, 6, ", ", ", et al")
    return f"{people}. {_stop(r.title)} {r.journal}. {r.year};{_place(r)}." + _doi(r, " doi: {}.")


def ama(r: Record) -> str:
    people = _people(r, _glued, 6, ", ", ", et al")
    return f"{people}. {_stop(r.title)} *{r.journal}*. {r.year};{_place(r)}." + _doi(r, " doi:{}")


def apa(r: Record) -> str:
    people = _people(r, _dotted, 20, ", & ", ", et al.")
    place = f", {_place(r, '{v}({i})', ', ')}" if r.volume else ""
    return f"{people} ({r.year}). {_stop(r.title)} {r.journal}{place}." + _doi(r, " https://doi.org/{}")


def harvard(r: Record) -> str:
    people = _people(r, _tight, 20, " and ", " et al.")
    title = r.title.rstrip(".")
    return f"{people} ({r.year}) '{title}', {r.journal}, {_place(r, '{v}({i})', ', pp. ')}." + _doi(r, " doi: {}.")


def gbt7714(r: Record) -> str:
    people = _people(r, _capitals, 3, ", ", ", et al")
    title = r.title.rstrip(".")
    return f"{people}. {title}[J]. {r.journal}, {r.year}, {_place(r, '{v}({i})', ': ')}." + _doi(r, " DOI:{}.")


def ieee(r: Record) -> str:
    people = _people(r, _first, 6, ", and ", " et al.")
    issue, pages = (f", no. {r.issue}" if r.issue else ""), (f", pp. {r.pages}" if r.pages else "")
    volume = f", vol. {r.volume}" if r.volume else ""
    return f"{people}, “{r.title.rstrip('.')},” {r.journal}{volume}{issue}{pages}, {r.year}." + _doi(r, " doi: {}.")


def chicago(r: Record) -> str:
    people = _people(r, _whole, 10, ", and ", ", et al")
    first = _parted(r.authors[0]) if r.authors else Person()
    if first.family:
        people = f"{first.family}, {first.given}".strip(" ,") + people.removeprefix(_whole(first))
    issue = f", no. {r.issue}" if r.issue and r.volume else ""
    pages = f": {r.pages}" if r.pages else ""
    place = f"{r.volume}{issue} ({r.year}){pages}".strip()
    return f"{people}. “{_stop(r.title)}” {r.journal} {place}." + _doi(r, " https://doi.org/{}.")


def nature(r: Record) -> str:
    people = _people(r, _dotted, 5, " & ", " et al.")
    pages = f", {r.pages}" if r.pages else ""
    return f"{people} {_stop(r.title)} {r.journal} {r.volume}{pages} ({r.year})." + _doi(r, " https://doi.org/{}")


def elsevier(r: Record) -> str:
    people = _people(r, _first, 10, ", ", ", et al.")
    return f"{people}, {r.title.rstrip('.')}, {r.journal} {r.volume} ({r.year}) {r.pages}." + _doi(
        r, " https://doi.org/{}."
    )


def bmc(r: Record) -> str:
    people = _people(r, _glued, 30, ", ", ", et al.")
    return f"{people}: {_stop(r.title)} {r.journal} {r.year}, {_place(r)}." + _doi(r, " {}")


def chatbot(r: Record) -> str:
    people = _people(r, _dotted, 3, ", & ", ", et al.")
    return f"**{people} ({r.year}).** *{_stop(r.title)}* {r.journal}, {_place(r, '{v}({i})', ', ')}." + _doi(
        r, " DOI: {}"
    )


STYLES: dict[str, Callable[[Record], str]] = {
    style.__name__: style
    for style in (vancouver, ama, apa, harvard, gbt7714, ieee, chicago, nature, elsevier, bmc, chatbot)
}
