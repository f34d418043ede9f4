"""The tiny corpus kept with the program: 59 real PubMed records without abstracts, and the MeSH headings they need.

Among them: 4 retracted papers (their notices are named by DOI), 4 retraction notices, an expression of concern, an
erratum, a preprint, German and French papers, a group on asthma and one on COVID-19 vaccination.
"""

from __future__ import annotations

from pathlib import Path

from litapp.sandbox.corpus.load import Loaded, load_files

_HERE = Path(__file__).resolve().parent
ARTICLES = _HERE / "tiny_corpus.xml"
MESH = _HERE / "mesh.tsv.gz"
"""MeSH headings (2024) of the tiny and the demo corpus, with their place in the tree."""
RETRACTED = (400712, 423962, 31031480, 32743968)
"""PMIDs of the really retracted papers in it."""


def make_tiny_corpus(path: Path) -> Loaded:
    """Build the tiny corpus at `path` (a file that does not exist yet). Takes about a second."""
    return load_files(path, [ARTICLES], mesh=MESH)
