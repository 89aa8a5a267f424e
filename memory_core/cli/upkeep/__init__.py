"""Commands that tidy, repair and move whole memories.  Each module is one command or two."""
