"""Commands that change what agents remember.  Each module is one command or a few similar ones."""
