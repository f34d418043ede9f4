"""The corpus behind the stand-in sources: reading NLM's files, storing, searching."""
