"""Merge the memory files of several branches, as git's merge driver.

It runs git, but never commits.
"""
