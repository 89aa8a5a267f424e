"""Merge memory files of several branches and resolve conflicts in them.

It runs git, but never commits.
"""
