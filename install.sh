#!/bin/sh
# Install agent-memory from this clone.  docs/install.md lists the files that it creates.
set -eu

usage() {
    cat <<'END'
Usage: ./install.sh PROJECT|--user [--dry-run] [--python PY]
       ./install.sh --uninstall PROJECT|--user [--all] [--dry-run]

Install the agent-memory program for you, and its hooks in the Claude Code
settings of PROJECT.  Afterwards you can delete this clone.  To upgrade, run
install.sh again from a newer clone.

  --user        install the hooks in ~/.claude/settings.json, for all projects
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

# Runs a function of memory_core.setup.installation.  The first argument is the folder that
# contains memory_core, or "" for the installed package.  Switches are "" or a word.
door='
import sys
sys.path[:0] = filter(None, sys.argv[1:2])
from memory_core.setup import installation
verb = getattr(installation, sys.argv[2])
sys.exit(installation.run_guarded(lambda: verb(*sys.argv[3:])))
'

from_clone() { "$python" -I -B -S -c "$door" "$here" "$@"; }

from_environment() { # ENVIRONMENT VERB ARGUMENT...
    environment=$1
    shift
    "$environment/bin/python" -I -c "$door" "" "$@"
}

# --- which Python ---

# Run each candidate: the shim of a version manager may exist and still fail.
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
    fail 1 "no Python 3.10 or newer found: install one, or name it with --python PY"
}

# --- the environment ---

# The environment gets its final name at once, because its scripts contain their path.  Nothing
# uses it before `activate` points a link to it.
build() {
    mkdir -p "$data/environments" 2>/dev/null ||
        fail 1 "cannot create $data: check the permissions of the folders above it."
    new=$data/environments/$(date +%Y%m%d-%H%M%S)-$$
    log=$new.log
    trap clean_up EXIT
    trap 'fail 129 "interrupted. $(result)"' HUP
    trap 'fail 130 "interrupted. $(result)"' INT
    trap 'fail 143 "interrupted. $(result)"' TERM
    say "Building a Python environment in $data (about 30 seconds) ..."
    by_uv || by_pip
    say "Testing the hooks ..."
    from_environment "$new" activate "$new" ||
        fail 1 "the new version was not installed. $(result)"
}

is_active() { [ "$(readlink "$data/venv")" = "environments/${new##*/}" ]; }

# What an interruption has left, for the user.
result() {
    if is_active; then
        say "The program is installed, but maybe not the hooks: run install.sh again."
    else
        say "Nothing was changed."
    fi
}

clean_up() {
    rm -f "$log"
    is_active || rm -rf "$new"
    rmdir "$data/environments" "$data" 2>/dev/null || :
}

# In the data folder, because uv reads the settings of a project in the current folder.
by_uv() {
    command -v uv >/dev/null 2>&1 || return 1
    (
        cd "$data" &&
            uv venv --quiet --python "$python" "$new" &&
            uv pip install --quiet --python "$new/bin/python" --compile-bytecode \
                --refresh-package agent-memory "$here"
    ) >"$log" 2>&1 && return
    say "uv failed, trying pip ..."
    rm -rf "$new"
    return 1
}

by_pip() {
    "$python" -I -c 'import ensurepip, venv' 2>/dev/null || no_ensurepip
    "$python" -I -m venv "$new" >"$log" 2>&1 ||
        fail 1 "cannot create an environment with $python: $(reason). Nothing was changed."
    say "Downloading and installing the packages ..."
    "$new/bin/python" -I -m pip install --quiet --no-input --disable-pip-version-check \
        --retries 2 --compile "$here" >"$log" 2>&1 || fail 1 "$(explain_pip) Nothing was changed."
    # The program needs neither: they are a third of the environment.
    "$new/bin/python" -I -m pip uninstall --quiet --yes pip setuptools >"$log" 2>&1 || :
}

explain_pip() {
    if grep -q 'connection broken' "$log"; then
        say "cannot download the packages: no connection to the package index." \
            "Check your network and proxy, and try again."
    else
        say "cannot install the packages: $(reason)."
    fi
}

# The last error in the log, else its last line.
reason() {
    { grep 'ERROR: ' "$log" || grep -i error "$log" || cat "$log"; } |
        sed 's/^[[:space:]]*//; s/\.$//; /^$/d' | tail -n 1
}

no_ensurepip() {
    version=$("$python" -I -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    fail 1 "$python cannot create environments." \
        "On Debian or Ubuntu run: sudo apt install python$version-venv. Or install uv."
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
[ -n "$project$user" ] || fail 2 "name a PROJECT, such as ~/shop, or --user for all projects"
[ -z "$project" ] || [ -z "$user" ] || fail 2 "--user is for all projects: leave out $project"

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
[ -f "$here/settings.template.json" ] || fail 1 "run install.sh from a clone of agent-memory."
data=${XDG_DATA_HOME:-${HOME:-}/.local/share}/agent-memory

# They make Python or pip use another folder than the new environment.
unset PYTHONHOME PYTHONPATH PIP_TARGET PIP_PREFIX PIP_ROOT PIP_USER PIP_REQUIRE_VIRTUALENV

find_python
case $action$dry_run in
    uninstall*)
        from_clone uninstall "$project" "$user" "$everything" "$dry_run"
        ;;
    installyes)
        from_clone check_settings "$project" "$user" dry_run
        say "Would build a Python environment with $python in $data,"
        say "and link the command ${HOME:-}/.local/bin/agent-memory to it."
        from_clone install "$project" "$user" "$dry_run"
        ;;
    *)
        # First the settings: if they cannot be changed, there is no reason to build.
        from_clone check_settings "$project" "$user"
        build
        from_environment "$data/venv" install "$project" "$user"
        ;;
esac
