"""Map the events of a delegation to recall and remember, and record how each run ended.

This wing knows the order of events; `claude_code.events` knows their fields.
"""
