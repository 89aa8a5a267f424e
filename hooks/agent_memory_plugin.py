"""The verbs of hooks/plugin.sh: hook, setup, build, mcp, run."""

import os
import sys


def main():
    """Run the verb in sys.argv and end the process."""
    _code, _root, verb, *arguments = sys.argv
    if verb == "hook":
        run_hook(*arguments)
        return
    try:
        status = run_verb(verb, arguments)
    except KeyboardInterrupt:
        status = 130
    except OSError as error:
        sys.stderr.write(f"agent-memory: {error}\n")
        status = 0 if verb == "setup" else 1
    sys.exit(status)


def run_hook(script):
    """Run a hook, unless an installation's settings run it as well."""
    try:
        from memory_core.setup import plugin

        if plugin.is_superseded(script, os.environ):
            return
        sys.path.extend(plugin.find_packages())
        from memory_core import hook

        # The name counts for an event that has no hook_event_name.
        hook.run("".join(word.capitalize() for word in script.split("_")))
    except Exception as error:  # noqa: BLE001 - a broken installation must not stop an agent
        sys.stderr.write(f"agent-memory: {error}\n")


def run_verb(verb, arguments):
    """Prepare or build the environment, or run a command or the MCP server in it."""
    from memory_core.setup import plugin_environment

    if verb == "setup":
        return plugin_environment.handle_session_start(os.environ)
    if verb == "build":
        return plugin_environment.build(os.environ)
    is_server = verb == "mcp"
    seconds = plugin_environment.SERVER_WAIT if is_server else plugin_environment.COMMAND_WAIT
    reason = plugin_environment.wait_until_ready(os.environ, seconds)
    if reason:
        sys.stderr.write(f"agent-memory: {reason}\n")
        return 1
    command = ["mcp", *arguments] if is_server else arguments
    plugin_environment.run_in_environment(command, os.environ)
    from memory_core.cli import program

    sys.argv = ["agent-memory", *command]
    return program()
