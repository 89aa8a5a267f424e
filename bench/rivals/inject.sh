#!/bin/sh
# The inject hook as a shell and jq script. Benchmark only: no checks.
event=$(cat)
agent=$(printf %s "$event" | jq -r '.tool_input.subagent_type')
memory=$CLAUDE_PROJECT_DIR/.claude-mpm/memories/$agent.md
[ -f "$memory" ] || exit 0
printf %s "$event" | jq -c --rawfile memory "$memory" '{hookSpecificOutput: {
    hookEventName: "PreToolUse",
    updatedInput: (.tool_input | .prompt += "\n\n<agent-memory>\n" + $memory + "\n</agent-memory>")
}}'
