"""LitLedger: literature search, screening and citation checking where nothing is cited that a source did not return."""

__version__ = "0.1.0"
