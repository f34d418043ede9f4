"""Keys under which duplicates meet."""

from __future__ import annotations

from litapp.core.dedupe.features import Features, features_of
from litapp.core.records import Record, Scheme

HEAD = 24
"""Letters of a title's beginning, or end, that a key holds."""


def block_keys(record: Record) -> frozenset[str]:
    """Short strings to be stored and looked up: two records of one report share at least one (measured: see the
    benchmark); sharing one proves nothing."""
    return keys_of(features_of(record))


def keys_of(f: Features) -> frozenset[str]:
    """`block_keys` of a record whose features are known."""
    keys: set[str] = set()
    if f.doi:
        keys.add(f"doi:{f.doi}")
    if f.pmid:
        keys.add(f"pmid:{f.pmid}")
    for scheme in (Scheme.PMCID, Scheme.ARXIV):
        value = f.record.identifier(scheme)
        if value:
            keys.add(f"{scheme.value}:{value}")
    if f.trial:
        keys.add(f"trial:{f.trial}")
    keys.update(f"named:{number}" for number in f.trials)
    if f.cochrane:
        keys.add(f"cochrane:{f.cochrane}")
    if f.generic:
        for place in f.starts or {f"-{f.volume}"}:
            keys.add(f"g:{f.core[:HEAD]}:{place}")
        keys.update(f"h:{f.core[:HEAD]}:{name}" for name in f.first)
    elif f.core:
        keys.add(f"t:{f.core[:HEAD]}")
        keys.update(f"e:{f.core[-HEAD:]}:{name}" for name in f.first or {""})
    for place in f.starts:
        if f.volume:
            keys.add(f"v:{f.volume}:{place}:{f.year or ''}")
        keys.update(f"a:{name}:{place}:{f.letters}" for name in f.first)
    if f.title.words:
        longest = sorted(f.title.words, key=lambda word: (-len(word), word))[:1]
        keys.update(f"w:{name}:{longest[0]}" for name in f.first)
    return frozenset(keys)
