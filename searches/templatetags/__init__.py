"""Template filters of the screening pages."""
