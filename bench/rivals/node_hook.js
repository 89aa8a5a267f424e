// The same two hooks in plain Node. Benchmark only: no lock, no limits, no checks.
const fs = require("fs");
const path = require("path");

const BLOCK = /^# Add To Memory:\nType: \w+\nContent: (.+)\n#$/gm;
const SECTION = "## Coding Patterns Learned (Max: 15 items)\n";

const event = JSON.parse(fs.readFileSync(0, "utf8"));
const root = process.env.CLAUDE_PROJECT_DIR || event.cwd;
const agent = event.tool_input.subagent_type;
const file = path.join(root, ".claude-mpm/memories", agent + ".md");

function inject() {
  const memory = fs.readFileSync(file, "utf8");
  const prompt = `${event.tool_input.prompt}\n\n<agent-memory>\n${memory}\n</agent-memory>`;
  const updatedInput = { ...event.tool_input, prompt };
  const hookSpecificOutput = { hookEventName: "PreToolUse", updatedInput };
  process.stdout.write(JSON.stringify({ hookSpecificOutput }));
}

function capture() {
  const text = event.tool_response.content.map((block) => block.text).join("\n");
  const lines = [...text.matchAll(BLOCK)].map((match) => `- ${match[1]}\n`).join("");
  if (lines) {
    const memory = fs.readFileSync(file, "utf8");
    fs.writeFileSync(file + ".new", memory.replace(SECTION, SECTION + lines));
    fs.renameSync(file + ".new", file);
  }
}

if (event.tool_name === "Task" || event.tool_name === "Agent") {
  if (event.hook_event_name === "PreToolUse") inject();
  else if (event.hook_event_name === "PostToolUse") capture();
}
