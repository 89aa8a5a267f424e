"""Compute age, confidence, use and undo steps from history records.

The records come as values: `storage` reads and writes them.
"""
