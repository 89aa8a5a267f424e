"""Commands that install, configure and examine agent-memory.  Most modules are one command."""
