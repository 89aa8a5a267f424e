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
        status = VERBS[verb](*arguments)
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
        module = __import__(script)
        from memory_core import hook
    except Exception as error:  # noqa: BLE001 - a broken installation must not stop an agent
        sys.stderr.write(f"agent-memory: {error}\n")
        return
    # The name counts for an event that has no hook_event_name.
    name = "".join(word.capitalize() for word in script.split("_"))
    hook.run(name, module.handle, getattr(module, "after", None))


def set_up():
    from memory_core.setup import plugin_environment

    plugin_environment.handle_session_start(os.environ)


def build():
    from memory_core.setup import plugin_environment

    return plugin_environment.build(os.environ)


def serve_mcp(*arguments):
    """Run the MCP server; if the environment is not ready in time, its placeholder."""
    from memory_core.setup import mcp_placeholder, plugin_environment

    reason = plugin_environment.wait_until_ready(os.environ, plugin_environment.SERVER_WAIT)
    return mcp_placeholder.serve(reason) if reason else run_command(["mcp", *arguments])


def run(*arguments):
    from memory_core.setup import plugin_environment

    # With a retry: the user may have repaired what made the build fail.
    reason = plugin_environment.wait_until_ready(
        os.environ, plugin_environment.COMMAND_WAIT, retry=True
    )
    if reason:
        sys.stderr.write(f"agent-memory: {reason}\n")
        return 1
    return run_command(arguments)


def run_command(arguments):
    """Run the command line in the environment."""
    from memory_core.setup import plugin_environment

    plugin_environment.run_in_environment([*arguments], os.environ)
    from memory_core.cli import program

    sys.argv = ["agent-memory", *arguments]
    return program()


VERBS = {"setup": set_up, "build": build, "mcp": serve_mcp, "run": run}
