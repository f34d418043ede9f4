"""Stand-in sources: a small server on this machine that speaks the wire formats of the real ones from a corpus.

Nothing in the product imports this package; the product speaks HTTP to it, as it does to the real sources.
"""
