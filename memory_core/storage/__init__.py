"""Find, read, lock, replace and delete files: memories, history, inbox, runs, settings.

Other wings decide what the files say.
"""
