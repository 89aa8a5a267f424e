"""What a person sees of memories, as values.

The commands print them, and the dashboard shows them as pages.
"""
