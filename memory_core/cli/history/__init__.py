"""Commands that show the history of memories and undo changes, in one module."""
