#!/bin/sh
# Entry point of the Claude Code plugin: its hooks, its MCP server, bin/agent-memory.
#
#   plugin.sh hook SCRIPT       run a hook
#   plugin.sh setup             at the start of a session: build the Python environment if needed
#   plugin.sh mcp               run the MCP server
#   plugin.sh run ARGUMENT...   run the command line
#   plugin.sh build             build the Python environment; the others start it
#
# For a hook it starts one Python and no other program: the environment's, or until that is built
# the system's with its standard library.  A hook must not exit with status 2, which blocks the
# agent.

root=${0%/hooks/plugin.sh}
# Whoever works in the home folder, or above it, has no project: everything there is the user's.
project=${CLAUDE_PROJECT_DIR:-$PWD}
project=${project%/}
case ${HOME:-/dev/null}/ in "$project"/*) project=/dev/null ;; esac

# Whether a path is absolute and, by its text, not below the project, whose settings may set
# variables for hooks.
is_outside() {
    case $1/ in
        / | */./* | */../* | *//?* | "$project"/*) return 1 ;; # "/" is an empty path
        /*) ;;
        *) return 1 ;;
    esac
}

# Without a home nothing is written: nobody can write below /dev/null, not even root.
config=${CLAUDE_CONFIG_DIR:-}
is_outside "$config" || config=${HOME:-/dev/null}/.claude
# Old clients, for example 2.1.63, do not set CLAUDE_PLUGIN_DATA.
data=${CLAUDE_PLUGIN_DATA:-}
is_outside "$data" || data=$config/plugins/data/agent-memory-plugin

# The shell of Claude Code has bin/ on its PATH, but not CLAUDE_PLUGIN_DATA, and neither has the
# doctor.  Find the folder with an environment, or else the one that hooks have used before.
find_data() {
    for sign in venv/bin/python python; do
        for folder in "$config"/plugins/data/agent-memory-*; do
            if [ -r "$folder/$sign" ]; then
                data=$folder
                return
            fi
        done
    done
}

# Run each candidate: the shim of a version manager may exist and still fail.
probe() {
    "$1" -I -S -c 'import sys; sys.version_info >= (3, 10) or sys.exit(1); print(sys.executable)' \
        2>/dev/null </dev/null
}

# If python3 is missing on macOS, its stub opens a window.
is_stub() {
    [ "$1" = /usr/bin/python3 ] && [ -x /usr/bin/xcode-select ] &&
        ! /usr/bin/xcode-select -p >/dev/null 2>&1
}

# Where a Python may be that PATH does not have.
places=/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/opt/local/bin:${HOME:-/dev/null}/.local/bin

# PATH without relative folders, and without those that are in the project behind all links.
clean_path() {
    project=$(CDPATH='' cd -P -- "$project" 2>/dev/null && pwd -P) || project=/dev/null
    IFS=:
    for folder in ${PATH-}; do
        is_outside "$folder" && real=$(CDPATH='' cd -P -- "$folder" 2>/dev/null && pwd -P) &&
            is_outside "$real" && printf '%s:' "$real"
    done
}

# Running candidates takes 0.1 s and more with shims, so the result is saved.
find_python() {
    if [ -r "$data/python" ] && IFS= read -r python <"$data/python" && [ -x "$python" ]; then
        return
    fi
    PATH=$(clean_path)$places
    IFS=:
    for folders in "${PATH%"$places"}" "$places"; do
        for name in python3.13 python3.12 python3.11 python3.10 python3 python; do
            for folder in $folders; do
                if [ -x "$folder/$name" ] && ! is_stub "$folder/$name" &&
                    python=$(probe "$folder/$name") && is_outside "$python"; then
                    keep_python
                    return
                fi
            done
        done
    done
    python=
}

keep_python() {
    mkdir -p "$data" 2>/dev/null && (printf '%s\n' "$python" >"$data/python.$$") 2>/dev/null &&
        mv -f "$data/python.$$" "$data/python"
}

# Once; if that cannot be noted, never.
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

[ -n "${CLAUDE_PLUGIN_DATA:-}" ] || find_data
set -f # an entry of PATH is not a pattern
python=$data/venv/bin/python
[ -x "$python" ] || find_python
[ -n "$python" ] && [ -r "$root/hooks/agent_memory_plugin.py" ] || without_python "$1"

# As LAUNCH_CODE in memory_core/setup/plugin.py, which explains it.
door='import sys; sys.path += [sys.argv[1], sys.argv[1] + "/hooks"]; import agent_memory_plugin; agent_memory_plugin.main()'

# What installs packages is no program of the project.
[ "$1" != build ] || PATH=$(clean_path)$places

export AGENT_MEMORY_PLUGIN_DATA="$data"
case $1 in
    hook | setup | build) exec "$python" -I -S -c "$door" "$root" "$@" ;;
    *) exec "$python" -I -c "$door" "$root" "$@" ;;
esac
