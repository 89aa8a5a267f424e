"""Compare, hash, clean and encode text; read front matter and other lines of Markdown.

It imports no other wing, opens no file and knows nothing of Claude Code.
"""
