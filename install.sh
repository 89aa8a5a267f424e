#!/bin/sh
# Install agent-memory from this clone.  docs/install.md lists the files that it creates.
set -eu

usage() {
    cat <<'END'
Usage: ./install.sh PROJECT|--user|--program [--dry-run] [--python PY]
       ./install.sh --uninstall PROJECT|--user [--all] [--dry-run]

Install the agent-memory program for you, and its hooks in the Claude Code
settings of PROJECT.  Afterwards you can delete this clone.  To upgrade, run
agent-memory upgrade, or install.sh again from a newer clone.

  --user        install the hooks in ~/.claude/settings.json, for all projects
  --program     install or upgrade only the program
  --dry-run     show what would change; change nothing
  --python PY   use this Python, 3.10 or newer (default: the newest found)
  --uninstall   remove the hooks from the settings; keep memory files
  --all         with --uninstall: also remove the program and its logs; keep
                memory files and learnings that wait for you
  -h, --help    show this text

Example: ./install.sh ~/shop
END
}

say() { printf '%s\n' "$*"; }

fail() { # STATUS SENTENCE
    status=$1
    shift
    printf 'install.sh: %s\n' "$*" >&2
    exit "$status"
}

# Runs a function of a module in memory_core.setup.  Switches are "" or a word.
door='
import importlib, sys
sys.path.insert(0, sys.argv[1])
from memory_core.setup import installation
verb = getattr(importlib.import_module("memory_core.setup." + sys.argv[2]), sys.argv[3])
sys.exit(installation.run_guarded(lambda: verb(*sys.argv[4:])))
'

# --- which Python ---

sqlite="it needs its module sqlite3 (Debian: apt install python3; FreeBSD: pkg install py311-sqlite3; pyenv: apt install libsqlite3-dev, then build Python again)"

# Run each candidate: the shim of a version manager may exist and still fail.
probe() {
    "$1" -I -c 'import sqlite3, sys; sys.version_info >= (3, 10) or sys.exit(1); print(sys.executable)' \
        2>/dev/null </dev/null
}

find_python() {
    if [ -n "$wish" ]; then
        python=$(probe "$wish") || fail 1 "$wish is not a Python of version 3.10 or newer; $sqlite"
        return
    fi
    for name in python3.13 python3.12 python3.11 python3.10 python3 python "$data/venv/bin/python"; do
        if python=$(probe "$name"); then return; fi
    done
    fail 1 "no Python 3.10 or newer found: install one, or name it with --python PY; $sqlite"
}

# --- arguments ---

project='' user='' dry_run='' everything='' program='' action=install wish=''

while [ $# -gt 0 ]; do
    case $1 in
        --user) user=yes ;;
        --program) program=yes ;;
        --dry-run) dry_run=yes ;;
        --uninstall) action=uninstall ;;
        --all) everything=yes ;;
        --mcp) fail 2 "--mcp is gone: after the installation run agent-memory mcp --install" ;;
        --python)
            [ $# -gt 1 ] || fail 2 "--python needs a value, for example --python python3.12"
            wish=$2
            shift
            ;;
        --python=*) wish=${1#--python=} ;;
        -h | --help)
            usage
            exit 0
            ;;
        -*) fail 2 "unknown option $1: see ./install.sh --help" ;;
        *)
            [ -z "$project" ] || fail 2 "more than one PROJECT: run install.sh once for each"
            project=$1
            ;;
    esac
    shift
done
[ -z "$everything" ] || [ $action = uninstall ] || fail 2 "--all needs --uninstall"
[ -n "$project$user$program" ] || fail 2 "name a PROJECT, such as ~/shop, or --user for all projects"
[ -z "$program" ] || [ $action$project$user = install ] || fail 2 "--program stands alone"
[ -z "$project" ] || [ -z "$user" ] || fail 2 "--user is for all projects: leave out $project"

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
[ -f "$here/settings.template.json" ] || fail 1 "run install.sh from a clone of agent-memory."
data=${HOME:-}/.local/share/agent-memory

find_python
case $action in
    uninstall) set -- installation uninstall "$project" "$user" "$everything" "$dry_run" ;;
    install) set -- activation install "$project" "$user" "$dry_run" "$here" ;;
esac
exec "$python" -I -B -S -c "$door" "$here" "$@"
