# shellcheck shell=bash
# A clean installation of this machine's distribution in a folder, for tests of what is installed; sourced by them.
# Needs root on a Debian or Ubuntu. debootstrap fetches it once; .build/clean-root keeps it.
#
# DEBIAN_MIRROR  where the packages come from (that of the distribution)

# missing_tools TOOL=PACKAGE...: installs the packages of those that are missing.
missing_tools() {
    local wanted packages=() as_root=()
    for wanted in "$@"; do command -v "${wanted%%=*}" >/dev/null || packages+=("${wanted#*=}"); done
    if ((${#packages[@]} == 0)); then return 0; fi
    if [[ $(id -u) -ne 0 ]]; then as_root=(sudo); fi
    "${as_root[@]}" apt-get update -q >/dev/null || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}" \
        </dev/null >/dev/null
}

# clean_root FOLDER: made anew.
clean_root() {
    local folder=$1 store=$PWD/.build/clean-root release mirror components
    # shellcheck disable=SC1091 # the machine's
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    # shellcheck disable=SC1091
    mirror=${DEBIAN_MIRROR:-$(. /etc/os-release && case $ID in
        ubuntu) [[ $(dpkg --print-architecture) == amd64 ]] && echo http://archive.ubuntu.com/ubuntu ||
            echo http://ports.ubuntu.com/ubuntu-ports ;;
        *) echo http://deb.debian.org/debian ;;
        esac)}
    # shellcheck disable=SC1091
    components=$(. /etc/os-release && if [[ $ID == ubuntu ]]; then echo main,universe; else echo main; fi)
    if [[ ! -e $store/$release/complete ]]; then
        rm -rf "${store:?}/$release"
        mkdir -p "$store/$release"
        debootstrap --variant=minbase --components="$components" "$release" "$store/$release/root" "$mirror" \
            >"$store/debootstrap.log" || {
            tail -n 5 "$store/debootstrap.log" >&2
            return 1
        }
        # Updates too: what was built here may need them.
        printf 'deb %s %s %s\n' "$mirror" "$release" "${components/,/ }" "$mirror" "$release-updates" "${components/,/ }" \
            >"$store/$release/root/etc/apt/sources.list"
        touch "$store/$release/complete"
    fi
    rm -rf "$folder"
    mkdir -p "$(dirname "$folder")"
    cp -a --reflink=auto "$store/$release/root" "$folder"
    cp --dereference /etc/resolv.conf "$folder/etc/resolv.conf"
    in_root "$folder" apt-get update -q >/dev/null
}

# in_root FOLDER COMMAND...: what is mounted for it goes with it.
in_root() {
    # shellcheck disable=SC2016 # for the shell that it starts
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root \
        DEBIAN_FRONTEND=noninteractive unshare --mount --propagation private sh -c \
        'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$@"
}
