"""elink and espell: related and citing papers, spelling."""

from __future__ import annotations

from xml.sax.saxutils import escape

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from litapp.sandbox.corpus.article import Article
from litapp.sandbox.corpus.vocabularies import STOP_WORDS
from litapp.sandbox.corpus.words import split_words
from litapp.sandbox.dispatch import World
from litapp.sandbox.wire import Request, Response, json_response, text_response

MOST_RELATED = 100
_LINK_HEAD = (
    '<?xml version="1.0" encoding="UTF-8" ?>\n<!DOCTYPE eLinkResult PUBLIC "-//NLM//DTD elink 20101123//EN" '
    '"https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20101123/elink.dtd">\n<eLinkResult>\n'
)
_SPELL_HEAD = (
    '<?xml version="1.0"?>\n<!DOCTYPE eSpellResult PUBLIC "-//NLM//DTD eSpellResult, 23 November 2004//EN" '
    '"https://www.ncbi.nlm.nih.gov/entrez/query/DTD/eSpell.dtd">\n'
)
_XML = "text/xml; charset=UTF-8"


def related_ids(world: World, article: Article, limit: int) -> list[int]:
    """Numbers of papers with the same words in title, headings and keywords, best first; never the paper itself."""
    texts = [article.title, *(h.name for h in article.mesh if h.major), *article.keywords]
    words = [w for text in texts for w in split_words(text) if w.casefold() not in STOP_WORDS and len(w) > 2]
    expression = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
    if not expression:
        return []
    own = world.corpus.ids_of_pmids([article.pmid]).get(article.pmid)
    ranked = world.evaluator.words.ranked(f"{{title keywords mesh}} : ({expression})", limit + 1)
    return [number for number in ranked if number != own][:limit]


def citing_ids(world: World, pmid: int) -> list[int]:
    """Numbers of papers whose reference list names the PMID."""
    sql = "SELECT article FROM attribute WHERE kind = 'cites' AND value = ?"
    return sorted(world.corpus.numbers(sql, (str(pmid),)))


def elink(world: World, request: Request) -> Response:
    """Links of PMIDs: one linkset per `id` parameter. Unknown PMIDs give an empty linkset, as at NCBI."""
    groups = [[text for text in value.split(",") if text.strip().isdigit()] for value in request.all("id")]
    sets = [(group, _links(world, group, request.get("linkname"), request.get("db", "pubmed"))) for group in groups]
    if request.get("retmode") == "json":
        linksets = [
            {
                "dbfrom": "pubmed",
                "ids": ids,
                "linksetdbs": [{"dbto": to, "linkname": name, "links": links} for to, name, links in found],
            }
            for ids, found in sets
        ]
        for linkset in linksets:
            if not linkset["linksetdbs"]:
                del linkset["linksetdbs"]
        return json_response({"header": {"type": "elink", "version": "0.3"}, "linksets": linksets})
    parts = [_LINK_HEAD]
    for ids, found in sets:
        listed = "".join(f"      <Id>{identifier}</Id>\n" for identifier in ids)
        parts.append(f"  <LinkSet>\n    <DbFrom>pubmed</DbFrom>\n    <IdList>\n{listed}    </IdList>\n")
        for to, name, links in found:
            inside = "".join(f"      <Link><Id>{link}</Id></Link>\n" for link in links)
            parts.append(
                f"    <LinkSetDb>\n      <DbTo>{to}</DbTo>\n      <LinkName>{name}</LinkName>\n"
                f"{inside}    </LinkSetDb>\n"
            )
        parts.append("  </LinkSet>\n")
    return text_response("".join(parts) + "</eLinkResult>\n", 200, _XML)


def _links(world: World, ids: list[str], linkname: str, database: str) -> list[tuple[str, str, list[str]]]:
    numbers = world.corpus.ids_of_pmids([int(i) for i in ids])
    articles = [entry.article for entry in world.corpus.entries(numbers.values()) if entry.article]
    found: dict[tuple[str, str], list[str]] = {}

    def add(to: str, name: str, links: list[str]) -> None:
        if links and linkname in ("", name) and to == database:
            found.setdefault((to, name), []).extend(links)

    for article in articles:
        add("pubmed", "pubmed_pubmed", [str(article.pmid), *_pmids(world, related_ids(world, article, MOST_RELATED))])
        add("pubmed", "pubmed_pubmed_citedin", _pmids(world, citing_ids(world, article.pmid)))
        if article.pmc:
            add("pubmed", "pubmed_pubmed_refs", [str(pmid) for pmid in article.cites])
            add("pmc", "pubmed_pmc", [article.pmc.removeprefix("PMC")])
            add("pmc", "pubmed_pmc_local", [article.pmc.removeprefix("PMC")])
    return [(to, name, list(dict.fromkeys(links))) for (to, name), links in found.items()]


def _pmids(world: World, numbers: list[int]) -> list[str]:
    pmids = world.corpus.pmids_of_ids(numbers)
    return [str(pmids[number]) for number in numbers if number in pmids]


def espell(world: World, request: Request) -> Response:
    """A corrected query where a word is unknown and a near one is common; else an empty correction."""
    term = request.get("term")
    replaced = []
    for word in split_words(term):
        better = "" if world.evaluator.words.known(word) else _near(world, word.casefold())
        if better:
            replaced.append((word, better))
    corrected = term
    for word, better in replaced:
        corrected = corrected.replace(word, better, 1)
    shown = escape(corrected) if replaced else ""
    spelled = "".join(f"<Original></Original><Replaced>{escape(better)}</Replaced>" for _, better in replaced)
    body = (
        f"{_SPELL_HEAD}<eSpellResult>\n\t<Database>pubmed</Database>\n\t<Query>{escape(term)}</Query>\n"
        f"\t<CorrectedQuery>{shown}</CorrectedQuery>\n\t<SpelledQuery>{spelled}</SpelledQuery>\n\t<ERROR/>\n"
        "</eSpellResult>\n"
    )
    return text_response(body, 200, _XML)


def _near(world: World, word: str) -> str:
    sql = "SELECT term FROM vocabulary WHERE term >= ? AND term < ? AND doc > 1 AND length(term) BETWEEN ? AND ?"
    values = (word[0], word[0] + "\U0010ffff", len(word) - 2, len(word) + 2)
    candidates = [row[0] for row in world.corpus.rows(sql, values)]
    best = process.extractOne(word, candidates, scorer=DamerauLevenshtein.distance, score_cutoff=2)
    return str(best[0]) if best else ""
