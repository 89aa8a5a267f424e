"""The door for other tools: memories over the Model Context Protocol.

served      the project that is served, and what an error is told as
tools       what a model may call
resources   what a client may read
prompts     what a person may start with
changes     who is told when something changes on the disk
server      all of that as one server of the SDK
transports  stdio, and HTTP on this machine
"""

from __future__ import annotations

NAME = "agent-memory"

# As the history has it: `source` of what came in here.
SOURCE = "mcp"
