"""Commands that show the history of memories and undo changes.  Each module is one command."""
