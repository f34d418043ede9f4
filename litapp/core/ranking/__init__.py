"""Prioritised screening: the order in which records are read, why, and when reading may stop. Pure; see decision 0025.

`text` -> `features` -> `start` (before the first label) and `model` (after it) -> `why`; `control` and `stopping` for
what may be said of the records that nobody read.
"""
