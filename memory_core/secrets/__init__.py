"""Find secrets in texts, and replace each by its kind.

`forms.txt` is the table of their forms.
"""
