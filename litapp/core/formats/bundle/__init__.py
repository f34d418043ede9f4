"""Bundles: a run as self-contained files (manifest, plan, records, papers, provenance, log), and what makes one valid.

Pure: the files are given and taken as bytes. See docs/bundle.md.
"""

from litapp.core.formats.bundle.checking import Checked, check_bundle
from litapp.core.formats.bundle.files import BundleFiles
from litapp.core.formats.bundle.legacy import LegacyRecordError, adapt_legacy, is_legacy, legacy_record
from litapp.core.formats.bundle.manifest import ManifestError, manifest_bytes, read_manifest, refusal_of
from litapp.core.formats.bundle.papers import AbstractOrigin, AbstractStatus, QueryMatch, SourceEntry, paper_of

__all__ = [
    "AbstractOrigin",
    "AbstractStatus",
    "BundleFiles",
    "Checked",
    "LegacyRecordError",
    "ManifestError",
    "QueryMatch",
    "SourceEntry",
    "adapt_legacy",
    "check_bundle",
    "is_legacy",
    "legacy_record",
    "manifest_bytes",
    "paper_of",
    "read_manifest",
    "refusal_of",
]
