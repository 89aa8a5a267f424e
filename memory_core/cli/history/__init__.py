"""Commands that show the history of memories and undo changes.  One module has all of them."""
