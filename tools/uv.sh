# Sourced by setup.sh and requirements.sh: finds or fetches uv, and hands it what pip is configured for. uv reads none
# of pip's configuration, but that is where a classroom or a company names its package index.

fail() {
    if [ -s "$log" ]; then
        echo "set-up: $1 (details in $log)" >&2
    else
        echo "set-up: $1" >&2
    fi
    exit 1
}

# Puts the finished directory $2 in the place of $1, which is missing for no longer than between two renames.
replace() {
    rm -rf "$1.old"
    if [ -e "$1" ]; then mv "$1" "$1.old"; fi
    mv "$2" "$1"
    rm -rf "$1.old"
}

# Makes `uv` callable: the one on the PATH when it is new enough, else a pinned one fetched into the checkout.
get_uv() {
    if ! has_recent_uv; then
        fetch_tool uv
        PATH=$root/.python/uv/bin:$PATH
        export PATH
    fi
    hand_pip_settings_to_uv
    give_uv_a_cache
}

# UV_SYSTEM_CERTS is new in 0.11
has_recent_uv() {
    uv --version 2>/dev/null | awk '{ split($2, v, "."); ok = v[1] > 0 || v[2] >= 11 } END { exit !ok }'
}

# fetch_tool NAME: the version pinned in requirements/NAME.txt, into .python/NAME/bin
fetch_tool() {
    tool=.python/$1
    if cmp -s "requirements/$1.txt" "$tool/requirements.txt"; then return; fi
    rm -rf "$tool.new"
    find_pip || fail "needs uv (https://docs.astral.sh/uv), or a python3 with pip to fetch it with"
    $pip install --quiet --no-deps --require-hashes --only-binary :all: --retries 1 \
        --target "$tool.new" -r "requirements/$1.txt" >>"$log" 2>&1 || fail "could not fetch $1 with pip"
    cp "requirements/$1.txt" "$tool.new/requirements.txt"
    replace "$tool" "$tool.new"
}

# Sets $pip. Debian's python3 comes without it; then the interpreter we unpack anyway runs the pip that belongs to
# it.
find_pip() {
    if [ -n "${pip-}" ] || has_pip; then return; fi
    can_use_debian || return
    unpack_debian
    pip=unpacked_pip
}

# The first python3 on the PATH that has pip: another one may stand before it, such as a build of one's own.
has_pip() {
    old_ifs=$IFS
    IFS=:
    for folder in $PATH; do
        python_with_pip=$folder/python3
        if "$python_with_pip" -m pip --version >>"$log" 2>&1; then
            pip=machine_pip
            break
        fi
    done
    IFS=$old_ifs
    [ -n "${pip-}" ]
}

# The two settings, because pip refuses --target beside a configured `user` or `require-virtualenv`.
machine_pip() { PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 "$python_with_pip" -m pip "$@"; }

hand_pip_settings_to_uv() {
    pip_settings=$(list_pip_settings)
    default_setting UV_DEFAULT_INDEX "$(pip_setting index-url)"
    default_setting UV_INDEX "$(pip_setting extra-index-url)"
    default_setting UV_FIND_LINKS "$(pip_setting find-links | tr ' ' ',')"
    default_setting UV_INSECURE_HOST "$(pip_setting trusted-host)"
    default_setting UV_HTTP_TIMEOUT "$(pip_setting timeout)"
    default_setting SSL_CERT_FILE "$(pip_setting cert)"
    default_setting SSL_CLIENT_CERT "$(pip_setting client-cert)"
    default_setting ALL_PROXY "$(pip_setting proxy)"
    # pip takes the best version from all its indexes; the hashes keep that safe.
    if [ -n "${UV_INDEX-}" ]; then default_setting UV_INDEX_STRATEGY unsafe-best-match; fi
    # A mirror that intercepts TLS has its certificate in the system's store.
    default_setting UV_SYSTEM_CERTS 1
    case $(pip_setting no-index) in
    1 | [Tt]rue | [Yy]es | [Oo]n) no_index=--no-index ;; # for which uv has no variable
    *) no_index= ;;
    esac
}

# Prints lines like
#     global.extra-index-url='https://one/simple\nhttps://two/simple'
# in which a command's section overrules [global], and the environment (:env:) both.
list_pip_settings() {
    if [ -n "${pip-}" ] || has_pip; then
        $pip config list 2>>"$log" || :
    else
        env | awk -F= '/^PIP_/ {
            key = tolower(substr($1, 5))
            gsub(/_/, "-", key)
            print ":env:." key "=\047" substr($0, length($1) + 2) "\047"
        }'
    fi
}

# pip_setting KEY: its value, the items of a list separated by blanks.
pip_setting() {
    found=
    for section in global install :env:; do
        value=$(printf '%s\n' "$pip_settings" |
            sed -n "s/^$section\.\(default-\)\{0,1\}$1='\(.*\)'\$/\2/p" | tail -n 1)
        if [ -n "$value" ]; then found=$value; fi
    done
    printf '%s\n' "$found" | sed 's/\\n/ /g; s/^ *//; s/ *$//'
}

# default_setting NAME VALUE: exports it, unless VALUE is empty or the user has set NAME to something else.
default_setting() {
    eval "already=\${$1-}"
    if [ -n "$2" ] && [ -z "$already" ]; then
        eval "$1=\$2"
        export "$1"
    fi
}

# Without a home (or with one it may not write to) uv would stop; then its cache is in the checkout.
give_uv_a_cache() {
    cache=$(uv cache dir 2>>"$log") && mkdir -p "$cache" 2>>"$log" && [ -w "$cache" ] && return
    export UV_CACHE_DIR="$root/.python/cache"
}
