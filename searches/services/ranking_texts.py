"""The features of a project's records, kept as a file between trainings: they change only when a text does."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from django.conf import settings

from litapp.core.ranking.features import Features, View, build_features
from litapp.core.ranking.model import ModelSettings
from litapp.core.ranking.start import StartScores
from litapp.core.ranking.text import question_text, text_of
from litapp.core.records import record_from_dict
from searches.models import Candidate, Ranking

log = logging.getLogger(__name__)


def texts_key(ranking: Ranking) -> tuple[list[int], str]:
    """The ids of the records that are ranked, in order, and a key that changes when one of them or its text does."""
    said = sha256(json.dumps([ranking.seed, ranking.settings, ranking.question], sort_keys=True).encode())
    ids = []
    rows = Candidate.objects.listed(ranking.project).order_by("pk").values_list("pk", "search_text")
    for pk, text in rows.iterator(chunk_size=2000):
        ids.append(pk)
        said.update(f"\n{pk} {text}".encode())
    return ids, said.hexdigest()


def features_of(ranking: Ranking, ids: list[int], key: str, model: ModelSettings) -> Features:
    """The features of these records, from the file or made anew. Raises ValueError when no record has a word."""
    file = _folder() / f"{ranking.pk}-{key[:32]}.npz"
    kept = _read(file)
    if kept is not None and kept.size == len(ids):
        return kept
    texts = {}
    for pk, record in Candidate.objects.listed(ranking.project).values_list("pk", "record").iterator(chunk_size=500):
        texts[pk] = text_of(record_from_dict(record))
    made = build_features([texts[pk] for pk in ids], question_text(ranking.question), model.features, seed=ranking.seed)
    _write(file, made)
    for other in _folder().glob(f"{ranking.pk}-*.npz"):
        if other != file:
            other.unlink(missing_ok=True)
    return made


def _folder() -> Path:
    folder = Path(settings.DATA_DIR) / "ranking"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _write(file: Path, features: Features) -> None:
    """Whole or not at all: a killed worker leaves no half file."""
    arrays: dict[str, Any] = {
        "vocabulary": features.vocabulary.astype(np.str_),
        "start_words": np.array(features.start.words),
    }
    for name, view in features.views.items():
        arrays |= _parts(f"{name}.records", view.records) | _parts(f"{name}.question", view.question)
    arrays |= _parts("start", features.start.weights)
    handle, name = tempfile.mkstemp(dir=file.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as out:
            np.savez(out, **arrays)
        os.replace(name, file)
    except OSError:
        Path(name).unlink(missing_ok=True)
        log.warning("The features could not be kept; they are made again at the next training.", exc_info=True)


def _parts(name: str, matrix: Any) -> dict[str, Any]:
    if not sp.issparse(matrix):
        return {name: matrix}
    return {
        f"{name}.data": matrix.data, f"{name}.indices": matrix.indices, f"{name}.indptr": matrix.indptr,
        f"{name}.shape": np.array(matrix.shape),
    }  # fmt: skip


def _read(file: Path) -> Features | None:
    """What was kept; None where there is nothing that can be read."""
    try:
        with np.load(file, allow_pickle=False) as kept:
            arrays = {name: kept[name] for name in kept.files}
    except (OSError, ValueError, zipfile.BadZipFile):
        return None

    def matrix(name: str) -> Any:
        if name in arrays:
            return arrays[name]
        parts = (arrays[f"{name}.{part}"] for part in ("data", "indices", "indptr"))
        return sp.csr_matrix(tuple(parts), shape=tuple(arrays[f"{name}.shape"]))

    views = dict.fromkeys(name.partition(".")[0] for name in arrays if ".records" in name)
    return Features(
        {name: View(matrix(f"{name}.records"), matrix(f"{name}.question")) for name in views},
        arrays["vocabulary"].astype(object),
        StartScores(tuple(map(str, arrays["start_words"])), matrix("start")),
    )
