"""Commands that show memories and change nothing.  Each module is one command or a few."""
