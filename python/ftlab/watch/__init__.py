"""Watching a run: on a terminal, line by line, and as a page that plays it again."""
