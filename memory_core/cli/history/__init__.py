"""Commands that show the history of memories and undo changes.  Each module is two commands."""
