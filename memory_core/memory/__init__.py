"""Recall a memory for a prompt, and save the learnings of a report.

Every change of an item passes through `transaction`; `resolve` and `migrate` combine whole files.
"""
