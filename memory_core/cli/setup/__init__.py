"""Commands that install, configure and examine agent-memory.  Each module is one command."""
