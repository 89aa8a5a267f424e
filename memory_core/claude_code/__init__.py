"""Claude Code's events, settings files, agent definitions and transcripts, and runs of `claude`.

This wing reads no memory file.
"""
