"""The Claude Code plugin's verbs, as hooks/plugin.sh has them."""

import os
import sys


def main():
    """Do what hooks/plugin.sh was asked for; ends the process."""
    _code, _root, verb, *arguments = sys.argv
    if verb == "hook":
        hook(*arguments)
        return
    try:
        status = VERBS[verb](*arguments)
    except KeyboardInterrupt:
        status = 130
    except OSError as error:
        sys.stderr.write(f"agent-memory: {error}\n")
        status = 0 if verb == "setup" else 1
    sys.exit(status)


def hook(script):
    """Run one of our hooks, unless that of an installation runs as well."""
    try:
        from memory_core import plugin

        if plugin.stands_down(script, os.environ):
            return
        sys.path.extend(plugin.packages())
        module = __import__(script)
        from memory_core import hook
    except Exception as error:  # noqa: BLE001 - a broken installation must not stop an agent
        sys.stderr.write(f"agent-memory: {error}\n")
        return
    # For an event that does not say its own.
    name = "".join(word.capitalize() for word in script.split("_"))
    hook.run(name, module.handle, getattr(module, "after", None))


def setup():
    from memory_core import plugin_environment

    plugin_environment.at_session_start(os.environ)


def build():
    from memory_core import plugin_environment

    return plugin_environment.build(os.environ)


def mcp(*arguments):
    from memory_core import plugin, plugin_environment

    # What is asked for with arguments is no server of a client's.
    if arguments or plugin_environment.is_ready(os.environ[plugin.DATA]):
        return _command(["mcp", *arguments], 0)
    from memory_core import plugin_lobby

    return plugin_lobby.serve(os.environ)


def run(*arguments):
    from memory_core import plugin_environment

    # A person asks, who may have mended what it failed for.
    return _command(list(arguments), plugin_environment.FOR_COMMAND, at_once=True)


def _command(arguments, patience, at_once=False):
    """Be the command line, once what it runs on is there."""
    from memory_core import plugin_environment

    reason = plugin_environment.await_ready(os.environ, patience, at_once)
    if reason:
        sys.stderr.write(f"agent-memory: {reason}\n")
        return 1
    plugin_environment.enter(arguments, os.environ)
    from memory_core.cli import program

    sys.argv = ["agent-memory", *arguments]
    return program()


VERBS = {"setup": setup, "build": build, "mcp": mcp, "run": run}
