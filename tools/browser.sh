#!/bin/sh
# Makes what the tests in tests/browser need, in .python/browser, when it is missing or out of date: an environment with
# playwright and axe, and in the file `chromium` the path of a browser that runs here. That is $CHROMIUM if set, else
# one on the PATH, else one unpacked from Debian's packages into .python/chromium, which takes no root.
#
# Ends with status 3, and a line that says so, where no browser can be had. The tests' Python is .venv's: `make setup`
# comes first.
set -eu

cd "$(dirname "$0")/.."
root=$(pwd -P)
log=.python/browser.log
home=.python/browser
version=${1-3.14}

. tools/uv.sh
. tools/debian.sh

main() {
    if is_ready; then return; fi
    : >"$log"
    unset PYTHONDONTWRITEBYTECODE PYTHONHOME PYTHONPATH VIRTUAL_ENV
    build_environment
    driver_runs || lend_it_libraries || no_browser
    find_chromium || unpack_chromium || no_browser
    printf '%s\n' "$chromium" >"$new/chromium"
    printf '%s\n' "$wanted" >"$new/.stamp"
    replace "$home" "$new"
}

fingerprint() {
    printf '%s\n' "$root" "$version" "${CHROMIUM-}"
    cat requirements/browser.txt tools/browser.sh | cksum
}

is_ready() {
    wanted=$(fingerprint)
    [ "$(cat "$home/.stamp" 2>/dev/null)" = "$wanted" ] && [ -x "$home/bin/python" ] && [ -x "$(cat "$home/chromium")" ]
}

no_browser() {
    echo "set-up: no browser to test the site in: install chromium, or give one's path as CHROMIUM (details in $log)" >&2
    exit 3
}

build_environment() {
    get_uv
    new=$home.new
    rm -rf "$new"
    uv venv --quiet --no-project --relocatable --python ".python/venv-$version/bin/python" "$new" >>"$log" 2>&1 ||
        fail "could not make an environment for the browser tests; \`make setup\` comes first"
    uv pip install --quiet $no_index --python "$new" --no-deps --require-hashes -r requirements/browser.txt \
        >>"$log" 2>&1 || fail "could not fetch the packages listed in requirements/browser.txt"
}

# playwright brings a node along, which wants a library that a small machine does not have.
driver_runs() {
    for driver in "$new"/lib/python*/site-packages/playwright/driver/node; do "$driver" --version >>"$log" 2>&1; done
}

lend_it_libraries() {
    unpack_chromium || return
    wrap "$root/$home${driver#"$new"}" >"$new/node"
    chmod +x "$new/node"
}

# Sets $chromium.
find_chromium() {
    if [ -n "${CHROMIUM-}" ]; then
        chromium=$(command -v "$CHROMIUM") && runs "$chromium" && return
        fail "CHROMIUM=$CHROMIUM is no browser that runs here"
    fi
    for name in chromium chromium-browser google-chrome chromium-headless-shell \
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
        if chromium=$(command -v "$name") && runs "$chromium"; then return; fi
    done
    return 1
}

# Whether it shows a page. A missing library or a stub of another package system (Ubuntu's) is found out here.
runs() {
    profile=$root/.python/browser-profile
    rm -rf "$profile"
    shown=$("$1" --headless --no-sandbox --disable-gpu --user-data-dir="$profile" \
        --dump-dom 'data:text/html,<p>it runs' 2>>"$log" </dev/null) || return
    rm -rf "$profile"
    case $shown in *'it runs</p>'*) ;; *) return 1 ;; esac
}

# Sets $chromium.
unpack_chromium() {
    chromium=$root/.python/chromium/start
    if [ -n "${libraries-}" ]; then return; fi
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || return
    echo "Fetching chromium into .python/chromium (up to 170 MB, once)"
    apt_dir=$root/.python/apt-chromium
    unpacked=$root/.python/chromium.new
    download_chromium && unpack_packages && write_start_script || return
    replace .python/chromium "$unpacked"
    runs "$chromium"
}

# From the machine's own suites, security updates too, and only what its status file does not have yet: the browser
# runs on the machine's own C library.
download_chromium() {
    rm -rf "$apt_dir"
    mkdir -p "$apt_dir/lists/partial" "$apt_dir/archives/partial"
    write_apt_configuration
    keep_machine_sources >>"$apt_dir/apt.conf"
    private_apt update || return
    for package in chromium-headless-shell chromium; do
        if private_apt install --download-only --no-install-recommends "$package" fonts-dejavu-core libatomic1; then
            return
        fi
    done
    return 1
}

# These undo what the configuration for the interpreter says: that one comes from another suite.
keep_machine_sources() {
    eval "$(apt-config shell list Dir::Etc::SourceList/f parts Dir::Etc::SourceParts/d status Dir::State::status/f \
        pins Dir::Etc::Preferences/f pins_parts Dir::Etc::PreferencesParts/d)"
    cat <<END
Dir::Etc::SourceList "$list";
Dir::Etc::SourceParts "$parts";
Dir::Etc::Preferences "$pins";
Dir::Etc::PreferencesParts "$pins_parts";
Dir::State::status "$status";
END
}

unpack_packages() {
    rm -rf "$unpacked"
    mkdir -p "$unpacked"
    for package in "$apt_dir"/archives/*.deb; do
        dpkg -x "$package" "$unpacked" >>"$log" 2>&1 || return
    done
    rm -rf "$apt_dir"
}

write_start_script() {
    final=$root/.python/chromium
    libraries=$(find "$unpacked" -name '*.so*' | sed "s|^$unpacked|$final|; s|/[^/]*\$||" | sort -u | paste -s -d : -)
    for program in "$unpacked"/usr/lib/chromium/chromium-headless-shell "$unpacked"/usr/lib/chromium/chromium; do
        if [ -x "$program" ]; then break; fi
    done
    wrap "$final${program#"$unpacked"}" >"$unpacked/start"
    chmod +x "$unpacked/start"
    cat >"$unpacked/fonts.conf" <<END
<fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<dir>$final/usr/share/fonts</dir>
<cachedir>$final/fonts-cache</cachedir>
</fontconfig>
END
}

# wrap PROGRAM: a script that starts it so that it finds the libraries and fonts that were unpacked, and beyond them
# the machine's own.
wrap() {
    cat <<END
#!/bin/sh
export LD_LIBRARY_PATH='$libraries' FONTCONFIG_FILE='$final/fonts.conf'
exec '$1' "\$@"
END
}

main "$@"
