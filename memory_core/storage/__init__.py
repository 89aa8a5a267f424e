"""Find, read, lock, replace and delete files: memories, history, spool, runs, settings.

It makes no decision about their content.
"""
