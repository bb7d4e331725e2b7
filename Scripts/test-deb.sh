#!/usr/bin/env bash
# Makes the Debian package, checks it with lintian, installs it in a clean root of this distribution, exports with it, also
# through a broker and a worker, compares the pictures with those of the program it was made of, and removes it again.
# Needs root on a Debian or Ubuntu and about 1 GB of disk. The units are tested by test-systemd.sh.
#
# INK_BINARY     the program (.build/release/ink)
# DEBIAN_MIRROR  where the clean root comes from (the distribution's mirror)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

binary=${INK_BINARY:-$PWD/.build/release/ink}
work=$PWD/.build/test-deb
root=$work/root

fail() {
    echo "test-deb: $*" >&2
    exit 1
}
step() { printf 'test-deb: %4d s  %s\n' "$SECONDS" "$*"; }
. Scripts/clean-root.sh

[[ $(id -u) -eq 0 ]] || fail "needs root, for debootstrap and chroot"
[[ -x $binary ]] || fail "$binary is missing: make build"
missing_tools debootstrap=debootstrap lintian=lintian

running=()
clean() {
    local code=$?
    trap - EXIT
    # Bash would tell that they were killed.
    exec 2>/dev/null
    for pid in "${running[@]}"; do kill -KILL -- "-$pid" || true; done
    wait || true
    rm -rf "$root"
    exit "$code"
}
trap clean EXIT
rm -rf "$work"
mkdir -p "$work"

step "the package"
package=$(Scripts/deb.sh "$binary" "$work/first")
again=$(Scripts/deb.sh "$binary" "$work/second")
cmp "$package" "$again" || fail "made twice, it is not the same"
lintian --allow-root --fail-on error,warning "$package" || fail "lintian"

step "a clean root"
clean_root "$root"
cp "$package" "$root/root/"
name=./${package##*/}
# Without what comes from the package itself, everything is as before. apt, dpkg and man keep caches and logs.
listing() {
    (cd "$root" && find . -xdev \( -path ./var/cache -o -path ./var/log -o -path ./var/lib/apt -o -path ./var/lib/dpkg \
        -o -path ./tmp -o -path ./proc -o -path ./root \) -prune -o -printf '%p %y %m %u %l\n' | sort
        sha256sum etc/passwd etc/group etc/shadow
        # Not even settings that it would find again.
        # shellcheck disable=SC2016 # dpkg-query's
        chroot . dpkg-query -W -f '${Package} ${Status}\n')
}
# shellcheck disable=SC2016 # for that shell
install() { in_root "$root" sh -c 'cd /root && apt-get install -q -y "$1"' sh "$name" >"$work/apt.log" 2>&1 </dev/null; }

step "apt install $name"
install || fail "apt: $(tail -n 20 "$work/apt.log")"
in_root "$root" ink doctor >"$work/doctor.log" || fail "ink doctor: $(<"$work/doctor.log")"
for wanted in 'libheif ' 'librsvg ' 'libjxl '; do
    grep -q "$wanted" "$work/doctor.log" || fail "$wanted is not found: $(<"$work/doctor.log")"
done
for file in /usr/bin/ink-keyring /usr/share/man/man1/ink-export.1.gz /usr/share/bash-completion/completions/ink \
    /lib/systemd/system/ink-broker.service /etc/ink/broker.conf; do
    [[ -e $root$file ]] || fail "$file is missing"
done
[[ $(in_root "$root" ink --version) == $("$binary" --version) ]] || fail "another version"

step "an export"
mkdir -p "$root/root/inputs"
cp -r examples/hills.ink examples/cat.inktemplate examples/gallery/sunset.svg "$root/root/inputs"
# shellcheck disable=SC2054 # lists of ink
export_options=(--size 900x900 --fill suggested --format png,avif,jxl,pdf --watermark 'clean root' --quiet)
"$binary" export "$root/root/inputs" -o "$work/expected" --if-exists overwrite "${export_options[@]}"
in_root "$root" ink export /root/inputs -o /root/alone "${export_options[@]}"
diff -r "$work/expected" "$root/root/alone" || fail "other pictures than the program's"
[[ $(find "$root/root/alone" -name 'hills*' | wc -l) -eq 4 ]] || fail "not four pictures of hills.ink"

step "a broker and a worker"
base=$((20000 + $$ % 10000 * 2))
in_root "$root" ink-keyring /root/keys >/dev/null
# start NAME COMMAND...: in a process group of its own.
start() {
    local log=$work/$1.log
    shift
    set -m
    in_root "$root" "$@" >"$log" 2>&1 &
    running+=($!)
    set +m
}
start broker ink broker --workers "tcp://127.0.0.1:$base" --clients "tcp://127.0.0.1:$((base + 1))" --data /root/data \
    --key /root/keys/broker/broker.key --allow-workers /root/keys/broker/workers --allow-clients /root/keys/broker/clients
start worker ink worker --broker "tcp://127.0.0.1:$base" --key /root/keys/worker/worker.key \
    --broker-key /root/keys/worker/broker.pub
in_root "$root" timeout 120 ink export /root/inputs -o /root/farm "${export_options[@]}" \
    --broker "tcp://127.0.0.1:$((base + 1))" --key /root/keys/client/client.key \
    --broker-key /root/keys/client/broker.pub || fail "$(cat "$work/broker.log" "$work/worker.log")"
diff -r "$work/expected" "$root/root/farm" || fail "other pictures through the farm"
for pid in "${running[@]}"; do
    kill -TERM -- "-$pid"
    wait "$pid" || true
done
running=()

step "remove, install, purge"
# What it needs stays; so the root is as it will be after a second installation.
in_root "$root" apt-get purge -q -y ink-export-farm >"$work/apt.log" 2>&1
listing >"$work/before"
install
echo 'name = changed' >>"$root/etc/ink/broker.conf"
touch "$root/etc/ink/broker.key"
in_root "$root" apt-get remove -q -y ink-export-farm >"$work/apt.log" 2>&1
[[ ! -e $root/usr/bin/ink ]] || fail "remove leaves the program"
grep -q changed "$root/etc/ink/broker.conf" || fail "remove takes settings away"
install
grep -q changed "$root/etc/ink/broker.conf" || fail "an installation replaces settings"
in_root "$root" apt-get purge -q -y ink-export-farm >"$work/apt.log" 2>&1
listing >"$work/after"
diff "$work/before" "$work/after" || fail "purge leaves something"

step "done; the package has $(stat -c %s "$package") bytes"
