#!/bin/sh
# Makes what `make test-arm64` needs, in .python/arm64, when it is missing or out of date: an arm64 CPython of Debian's
# testing suite with the packages that the models need, and an emulator that runs it here (qemu-user).
#
#     sh tools/arm64.sh 3.14             make it
#     sh tools/arm64.sh 3.14 --ready     only say by the exit status whether it is there
#
# `.python/arm64/python` starts it. Emulated programs start others by the same file: it is what they find as
# `sys.executable`, so nothing has to be registered with the kernel, and no root is needed.
#
# Ends with status 3, and a line that says why, where it can't be had.
set -eu

cd "$(dirname "$0")/.."
root=$(pwd -P)
log=.python/arm64.log
home=.python/arm64
version=${1-3.14}

. tools/uv.sh
. tools/debian.sh

wanted="anyio attrs certifi dnspython eventlet execnet gevent greenlet h11 httpcore httpx hypothesis idna iniconfig
markdown-it-py mdurl outcome packaging pluggy pygments pytest pytest-timeout pytest-xdist rich sniffio sortedcontainers
trio typing-extensions zope-event zope-interface"

main() {
    if is_ready; then return; fi
    [ "${2-}" != --ready ] || exit 1
    mkdir -p .python
    : >"$log"
    can_use_debian || cannot "this is no Debian, whose packages it is made of"
    [ "$(uname -m)" = x86_64 ] || cannot "the emulator is for x86-64; here \`make test\` does the same and more"
    unset PYTHONDONTWRITEBYTECODE PYTHONHOME PYTHONPATH VIRTUAL_ENV
    tree=$home.new
    rm -rf "$tree"
    mkdir -p "$tree/root" "$tree/bin"
    fetch_emulator || cannot "no emulator could be fetched (qemu-user-static; details in $log)"
    fetch_interpreter || cannot "no arm64 CPython $version could be fetched (details in $log)"
    fetch_packages || cannot "its packages could not be fetched (details in $log)"
    # A .pyc is the same on all processors, and to compile is slow under emulation.
    ".python/venv-$version/bin/python" -m compileall -q -j 2 "$tree/root/usr/lib/python$version" "$tree/site" \
        >>"$log" 2>&1 || :
    write_starter
    replace "$home" "$tree"
    "$home/python" -c 'import greenlet, platform; assert platform.machine() == "aarch64"' >>"$log" 2>&1 ||
        cannot "the emulated Python does not run (details in $log)"
    fingerprint >"$home/.stamp"
}

fingerprint() {
    printf '%s\n' "$root" "$version"
    cat requirements/dev.txt tools/arm64.sh | cksum
}

is_ready() {
    [ -x "$home/python" ] && [ -x "$home/bin/emulator" ] && [ "$(cat "$home/.stamp" 2>/dev/null)" = "$(fingerprint)" ]
}

cannot() {
    echo "set-up: nothing is tested on ARM64 here: $1" >&2
    exit 3
}

# Of the machine's own release: the emulator is linked statically, so that any does.
fetch_emulator() {
    for emulator in qemu-aarch64-static qemu-aarch64; do
        if command -v "$emulator" >/dev/null; then
            ln -s "$(command -v "$emulator")" "$tree/bin/emulator"
            return
        fi
    done
    mkdir -p "$tree/apt"
    (cd "$tree/apt" && apt-get --quiet download qemu-user-static) >>"$log" 2>&1 || return
    dpkg --fsys-tarfile "$tree"/apt/qemu-user-static*.deb 2>>"$log" |
        tar -x -O ./usr/bin/qemu-aarch64-static >"$tree/bin/emulator" 2>>"$log" || return
    rm -rf "$tree/apt"
    chmod +x "$tree/bin/emulator"
}

fetch_interpreter() {
    apt_dir=$root/.python/arm64-apt
    rm -rf "$apt_dir"
    mkdir -p "$apt_dir/lists/partial" "$apt_dir/archives/partial"
    write_apt_configuration
    printf 'APT::Architecture "arm64";\nAPT::Architectures { "arm64"; };\n' >>"$apt_dir/apt.conf"
    debian_sources >"$apt_dir/mirrors"
    fetched=
    while read -r source; do
        printf '%s\n' "$source" >"$apt_dir/sources.list"
        if private_apt update --error-on=any && private_apt install --download-only --no-install-recommends \
            "python$version" "python$version-venv" "libpython$version" libstdc++6; then
            fetched=yes
            break
        fi
    done <"$apt_dir/mirrors"
    [ -n "$fetched" ] || return
    for package in "$apt_dir"/archives/*.deb; do dpkg -x "$package" "$tree/root" >>"$log" 2>&1 || return; done
    rm -rf "$apt_dir"
    rm -f "$tree/root/usr/lib/python$version/sitecustomize.py" # a link into the machine's /etc
    [ -e "$tree/root/lib" ] || ln -s usr/lib "$tree/root/lib"
}

# The versions, and the checksums, of requirements/dev.txt.
fetch_packages() {
    get_uv
    tr ' ' '\n' <<END >"$tree/wanted.txt"
$wanted
END
    awk 'NR == FNR { wanted[$1]; next } /^[^ #]/ { split($0, name, "=="); keep = name[1] in wanted } keep' \
        "$tree/wanted.txt" requirements/dev.txt >"$tree/requirements.txt"
    uv pip install --quiet $no_index --target "$tree/site" --python ".python/venv-$version/bin/python" \
        --python-platform aarch64-manylinux_2_28 --python-version "$version" --only-binary :all: --no-deps \
        --require-hashes -r "$tree/requirements.txt" >>"$log" 2>&1
}

write_starter() {
    cat >"$tree/python" <<END
#!/bin/sh
# An emulated arm64 CPython. The programs that it starts are this file, too.
home='$(printf '%s' "$root/$home" | sed "s/'/'\\\\''/g")'
PYTHONHOME=\$home/root/usr
export PYTHONHOME
exec "\$home/bin/emulator" -L "\$home/root" -0 "\$home/python" "\$home/root/usr/bin/python$version" "\$@"
END
    chmod +x "$tree/python"
    mkdir -p "$tree/root/usr/lib/python3/dist-packages"
    printf '%s\n' "$root/$home/site" "$root" >"$tree/root/usr/lib/python3/dist-packages/concmodels.pth"
}

main "$@"
