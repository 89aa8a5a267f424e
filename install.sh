#!/bin/sh
# Install agent-memory from this clone.  docs/install.md says what goes where.
set -eu

usage() {
    cat <<'END'
Usage: ./install.sh [PROJECT] [--user] [--dry-run] [--python PY]
       ./install.sh --uninstall [PROJECT] [--user] [--all] [--dry-run]

Give the agents of PROJECT (default: the current folder) their memory.
Afterwards this clone is not needed; running it again upgrades.

  --user        in ~/.claude/settings.json, for all projects, instead of PROJECT
  --dry-run     show what would change; change nothing
  --python PY   the Python to build on, 3.10 or newer (default: the newest found)
  --uninstall   take the hooks out of the settings; memories stay
  --all         with --uninstall: remove the program as well; memories stay
  -h, --help    this text

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

# The package's own verbs, by any Python.  FOLDER is where memory_core lies; without
# one it is the installed package.  Switches are "" or a word.
door='
import sys
sys.path[:0] = filter(None, sys.argv[1:2])
from memory_core import installation
verb = getattr(installation, sys.argv[2])
sys.exit(installation.guarded(lambda: verb(*sys.argv[3:])))
'

from_clone() { "$python" -I -B -S -c "$door" "$here" "$@"; }

from_environment() { # ENVIRONMENT VERB ARGUMENT...
    environment=$1
    shift
    "$environment/bin/python" -I -c "$door" "" "$@"
}

# --- which Python ---

# A version manager's shim may exist and yet fail, so each is asked.
probe() {
    "$1" -I -c 'import sys; sys.version_info >= (3, 10) or sys.exit(1); print(sys.executable)' \
        2>/dev/null </dev/null
}

find_python() {
    if [ -n "$wish" ]; then
        python=$(probe "$wish") || fail 1 "$wish is not a Python of version 3.10 or newer."
        return
    fi
    for name in python3.13 python3.12 python3.11 python3.10 python3 python "$data/venv/bin/python"; do
        if python=$(probe "$name"); then return; fi
    done
    fail 1 "no Python 3.10 or newer found; install one, or name it: --python PY"
}

# --- the environment ---

# Built under its final name, because scripts in it hold its path, and not used
# before `adopt` turns one link to it.
build() {
    mkdir -p "$data/environments"
    new=$data/environments/$(date +%Y%m%d-%H%M%S)-$$
    trap 'rm -rf "$new"; rmdir "$data/environments" "$data" 2>/dev/null || :' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    by_uv || by_pip
    from_environment "$new" adopt "$new" ||
        fail 1 "the new installation does not work; nothing was changed."
    trap - EXIT
}

# From our own folder: uv would take settings from the current one.
by_uv() {
    command -v uv >/dev/null 2>&1 || return 1
    (
        cd "$data" &&
            uv venv --quiet --python "$python" "$new" &&
            uv pip install --quiet --python "$new/bin/python" --compile-bytecode \
                --refresh-package agent-memory "$here"
    ) && return
    say "uv could not build it (see above); trying pip." >&2
    rm -rf "$new"
    return 1
}

by_pip() {
    "$python" -I -c 'import ensurepip, venv' 2>/dev/null || no_ensurepip
    "$python" -I -m venv "$new" || fail 1 "no environment could be made with $python."
    "$new/bin/python" -I -m pip install --quiet --no-input --disable-pip-version-check \
        --compile "$here" ||
        fail 1 "the package could not be installed (see above); nothing was changed."
}

no_ensurepip() {
    version=$("$python" -I -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    fail 1 "$python cannot make environments." \
        "On Debian or Ubuntu: sudo apt install python$version-venv. Or install uv."
}

# --- arguments ---

project='' user='' dry_run='' everything='' action=install wish=''

while [ $# -gt 0 ]; do
    case $1 in
        --user) user=yes ;;
        --dry-run) dry_run=yes ;;
        --uninstall) action=uninstall ;;
        --all) everything=yes ;;
        --python)
            [ $# -gt 1 ] || fail 2 "--python needs a Python, such as --python python3.12"
            wish=$2
            shift
            ;;
        --python=*) wish=${1#--python=} ;;
        -h | --help)
            usage
            exit 0
            ;;
        -*) fail 2 "unknown option $1; see ./install.sh --help" ;;
        *)
            [ -z "$project" ] || fail 2 "one PROJECT at a time; see ./install.sh --help"
            project=$1
            ;;
    esac
    shift
done
[ -n "$project" ] || project=.
[ -z "$everything" ] || [ $action = uninstall ] || fail 2 "--all goes with --uninstall"

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
[ -f "$here/settings.template.json" ] || fail 1 "run install.sh from a clone of agent-memory."
data=${XDG_DATA_HOME:-${HOME:-}/.local/share}/agent-memory

# What would lead Python or pip elsewhere than into the new environment.
unset PYTHONHOME PYTHONPATH PIP_TARGET PIP_PREFIX PIP_ROOT PIP_USER PIP_REQUIRE_VIRTUALENV

find_python
case $action$dry_run in
    uninstall*)
        from_clone uninstall "$project" "$user" "$everything" "$dry_run"
        ;;
    installyes)
        from_clone check "$project" "$user"
        say "Would build a private environment with $python in $data,"
        say "and link the command: ${HOME:-}/.local/bin/agent-memory."
        from_clone install "$project" "$user" "$dry_run"
        ;;
    *)
        # First of all: settings that would be refused are no reason to build anything.
        from_clone check "$project" "$user"
        build
        from_environment "$data/venv" install "$project" "$user"
        ;;
esac
