"""Find, read, lock, replace and delete files: memories, history, spool, runs, settings.

Other packages decide what the files say.
"""
