"""Find, read, lock, replace and delete files: memories, history, spool, runs, settings.

Other wings decide what the files say.
"""
