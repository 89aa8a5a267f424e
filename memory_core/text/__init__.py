"""Compare, hash, clean and encode text.

It imports no other wing, opens no file and knows nothing of Claude Code.
"""
