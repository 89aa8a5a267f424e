#!/bin/sh
# Where the Claude Code plugin comes in: its hooks, its MCP server, bin/agent-memory.
#
#   plugin.sh hook SCRIPT       a hook
#   plugin.sh setup             when a session starts: what it runs on is made, if need be
#   plugin.sh mcp               the MCP server
#   plugin.sh run ARGUMENT...   the command line
#
# A hook costs one Python and nothing else.  Until the plugin's own is made that is the
# system's, which does with the standard library.  No way out of a hook has status 2: for
# Claude Code that is a veto.

root=${0%/hooks/plugin.sh}
# Who has no home has nothing written anywhere: below /dev/null nobody can, root neither.
config=${CLAUDE_CONFIG_DIR:-${HOME:-/dev/null}/.claude}
# Old clients, 2.1.63 for one, give plugins no folder.
data=${CLAUDE_PLUGIN_DATA:-$config/plugins/data/agent-memory-plugin}

# A shell of Claude Code's has bin/ on its PATH, but is not told which folder is ours: it is the
# one with an environment, else where hooks were before there is any, and one may be in the making.
find_data() {
    for sign in venv/bin/python python; do
        for each in "$config"/plugins/data/agent-memory-*; do
            if [ -r "$each/$sign" ]; then
                data=$each
                return
            fi
        done
    done
}

# A version manager's shim may exist and yet fail, so each is asked.
probe() {
    "$1" -I -S -c 'import sys; sys.version_info >= (3, 10) or sys.exit(1); print(sys.executable)' \
        2>/dev/null </dev/null
}

# Apple's stand-in for a missing python3 opens a window.
is_stub() {
    [ "$(command -v "$1")" = /usr/bin/python3 ] && [ -x /usr/bin/xcode-select ] &&
        ! /usr/bin/xcode-select -p >/dev/null 2>&1
}

# Asking takes 0.1 s and more where there are shims: what was found is kept.
find_python() {
    if [ -r "$data/python" ] && IFS= read -r python <"$data/python" && [ -x "$python" ]; then
        return
    fi
    for name in python3.13 python3.12 python3.11 python3.10 python3 python; do
        if command -v "$name" >/dev/null && ! is_stub "$name" && python=$(probe "$name"); then
            keep_python
            return
        fi
    done
    python=
}

keep_python() {
    mkdir -p "$data" 2>/dev/null && (printf '%s\n' "$python" >"$data/python.$$") 2>/dev/null &&
        mv -f "$data/python.$$" "$data/python"
}

# Says nothing where it cannot note that it was said.
say_no_python() {
    if [ ! -e "$data/no-python" ] && mkdir -p "$data" 2>/dev/null &&
        (: >"$data/no-python") 2>/dev/null; then
        printf '%s\n' '{"systemMessage": "agent-memory: no Python 3.10 or newer was found, so agents get no memory. Install one and start a new session."}'
    fi
}

without_python() {
    case $1 in
        setup) say_no_python ;;
        mcp | run)
            printf 'agent-memory: no Python 3.10 or newer was found\n' >&2
            exit 1
            ;;
    esac
    exit 0
}

[ "$1" != run ] || [ -n "${CLAUDE_PLUGIN_DATA:-}" ] || find_data
python=$data/venv/bin/python
[ -x "$python" ] || find_python
[ -n "$python" ] && [ -r "$root/hooks/agent_memory_plugin.py" ] || without_python "$1"

# As plugin.DOOR in memory_core, which says why this is no script.
door='import sys; sys.path += [sys.argv[1], sys.argv[1] + "/hooks"]; import agent_memory_plugin; agent_memory_plugin.main()'

export AGENT_MEMORY_PLUGIN_DATA="$data"
case $1 in
    hook | setup) exec "$python" -I -S -c "$door" "$root" "$@" ;;
    *) exec "$python" -I -c "$door" "$root" "$@" ;;
esac
