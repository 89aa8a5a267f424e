"""Judge whether a text that agents may read later was written to mislead them.

Nothing here changes a memory: the callers decide what to do with a score.
"""
