"""The same two hooks on cchooks. Benchmark only: no lock, no limits, no checks."""

import os
import re

from cchooks import PostToolUseContext, PreToolUseContext, create_context

BLOCK = re.compile(r"^# Add To Memory:\nType: (\w+)\nContent: (.+)\n#$", re.M)
SECTION = "## Coding Patterns Learned (Max: 15 items)\n"


def memory_file(context):
    root = os.environ.get("CLAUDE_PROJECT_DIR", context.cwd)
    return os.path.join(root, ".claude-mpm/memories", context.tool_input["subagent_type"] + ".md")


def inject(context):
    with open(memory_file(context), encoding="utf-8") as file:
        memory = file.read()
    prompt = f"{context.tool_input['prompt']}\n\n<agent-memory>\n{memory}\n</agent-memory>"
    context.output.allow(updated_input=context.tool_input | {"prompt": prompt})


def capture(context):
    text = "\n".join(block["text"] for block in context.tool_response["content"])
    lines = "".join(f"- {content}\n" for _, content in BLOCK.findall(text))
    if lines:
        with open(memory_file(context), "r+", encoding="utf-8") as file:
            head, section, tail = file.read().partition(SECTION)
            file.seek(0)
            file.write(head + section + lines + tail)


context = create_context()
if context.tool_name in ("Task", "Agent"):
    if isinstance(context, PreToolUseContext):
        inject(context)
    elif isinstance(context, PostToolUseContext):
        capture(context)
