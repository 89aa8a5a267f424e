"""Read what Claude Code sends and stores: events, settings files, agent definitions, transcripts.

This wing does not know memories.
"""
