"""Choose the items of a memory that help with a task, within a budget of tokens.

It reads no file: what the history and the files know of each item comes with it.
"""
