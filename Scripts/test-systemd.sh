#!/usr/bin/env bash
# Runs the units under a real systemd: in a container of systemd-nspawn with a clean root of this distribution, in which
# the Debian package is installed as its README.Debian says. Broker and worker start, are killed, drain, survive a restart
# of the container, and leave nothing; pictures are compared with those of a single process.
#
# Needs root on a Debian or Ubuntu and a kernel that lets it make namespaces and cgroups; this machine need not run systemd.
# Where no container can be started, it says why and skips.
#
# INK_BINARY     the program (.build/release/ink)
# DEBIAN_MIRROR  where the clean root comes from (the distribution's mirror)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

binary=${INK_BINARY:-$PWD/.build/release/ink}
work=$PWD/.build/test-systemd
machine=ink-test-$$
root=$work/$machine

fail() {
    echo "test-systemd: $*" >&2
    if [[ -n ${leader:-} ]]; then
        inside journalctl -q --no-pager -n 60 -o short-precise >&2 || true
    fi
    exit 1
}
skip() {
    echo "test-systemd: skipped '$*'"
    exit 0
}
step() { printf 'test-systemd: %4d s  %s\n' "$SECONDS" "$*"; }
. Scripts/clean-root.sh

[[ $(id -u) -eq 0 ]] || skip "needs root, for a container"
[[ -x $binary ]] || fail "$binary is missing: make build"
missing_tools debootstrap=debootstrap systemd-nspawn=systemd-container ||
    skip "apt cannot install debootstrap and systemd-container"
unshare --mount --pid --fork --uts --ipc --net --cgroup true 2>"$work.log" ||
    skip "the kernel makes no namespaces: $(tail -n 1 "$work.log")"
rm -f "$work.log"
grep -q ' /sys/fs/cgroup' /proc/self/mounts || skip "no cgroups are mounted at /sys/fs/cgroup"

rm -rf "$work"
mkdir -p "$work"
container='' leader=''
clean() {
    local code=$?
    trap - EXIT
    stop_container 2>/dev/null || true
    # Those that nspawn made for itself, where it could not ask a systemd for them.
    if [[ ! -d /run/systemd/system ]]; then
        find /sys/fs/cgroup -depth -type d \( -path '*/payload' -o -path '*/payload/*' -o -path '*/supervisor' \) \
            -exec rmdir {} + 2>/dev/null || true
    fi
    rmdir "/run/systemd/nspawn/propagate/$machine" 2>/dev/null || true
    if ((code != 0)); then tail -n 5 "$work"/*.log >&2 || true; fi
    rm -rf "$root"
    exit "$code"
}
trap clean EXIT

# until_true SECONDS WHAT COMMAND...
until_true() {
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < end)) || fail "not within its time: $what"
        sleep 0.2
    done
}
# inside COMMAND...: in the container.
inside() {
    nsenter -t "$leader" -a env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
start_container() {
    # Without a systemd on this machine nobody registers the container or makes a scope for it.
    local options=(--quiet --register=no --private-network --console=pipe --boot --directory="$root" "--machine=$machine")
    if [[ ! -d /run/systemd/system ]]; then options+=(--keep-unit); fi
    # One hierarchy of cgroups, whatever this machine has.
    SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn "${options[@]}" </dev/null >>"$work/console.log" 2>&1 &
    container=$!
    local end=$((SECONDS + 90)) state
    while kill -0 "$container" 2>/dev/null && ((SECONDS < end)); do
        leader=$(pgrep -P "$container" -x systemd || true)
        if [[ -n $leader ]]; then
            state=$(inside systemctl is-system-running 2>/dev/null || true)
            if [[ $state == running || $state == degraded ]]; then return 0; fi
        fi
        sleep 0.2
    done
    leader=''
    return 1
}
stop_container() {
    [[ -n $container ]] || return 0
    # SIGRTMIN+4: power off.
    if [[ -n $leader ]]; then kill -s RTMIN+4 "$leader" || true; fi
    local end=$((SECONDS + 60))
    while kill -0 "$container" 2>/dev/null && ((SECONDS < end)); do sleep 0.2; done
    kill -KILL "$container" ${leader:+"$leader"} 2>/dev/null || true
    wait "$container" 2>/dev/null || true
    container='' leader=''
}
property() { inside systemctl show -P "$2" "$1"; }
client=(--broker tcp://127.0.0.1:5571 --key /root/ink-keys/client/client.key --broker-key /root/ink-keys/client/broker.pub)
# workers N: whether so many are there.
workers() {
    [[ $(inside ink status --json --timeout 3 "${client[@]}" |
        python3 -c 'import json, sys; print(len(json.load(sys.stdin)["workers"]))') == "$1" ]]
}
jobs_running() {
    inside ink status --json --timeout 3 "${client[@]}" |
        python3 -c 'import json, sys; sys.exit(not json.load(sys.stdin)["jobs"]["running"])'
}

step "a clean root with systemd and the package"
package=$(Scripts/deb.sh "$binary" "$work/deb")
clean_root "$root" || fail "debootstrap"
cp "$package" "$root/root/"
in_root "$root" sh -c 'apt-get install -q -y --no-install-recommends systemd systemd-sysv dbus && cd /root &&
    apt-get install -q -y --no-install-recommends ./ink-export-farm_*.deb' >"$work/apt.log" 2>&1 </dev/null ||
    fail "apt: $(tail -n 20 "$work/apt.log")"
mkdir "$root/root/inputs"
cp examples/{hey,owl,hills,street}.ink "$root/root/inputs"

step "the container"
if ! start_container; then
    skip "systemd-nspawn starts no container: $(grep . "$work/console.log" | tail -n 3 | tr "\n'" ' "')"
fi
# A container may not raise itself in the order of those that the kernel kills; the units do where it may.
if ! inside sh -c 'echo -200 >/proc/self/oom_score_adj' 2>/dev/null; then
    echo "test-systemd: skipped 'OOMScoreAdjust of the broker: no CAP_SYS_RESOURCE here'"
    inside install -d /etc/systemd/system/ink-broker.service.d
    printf '[Service]\nOOMScoreAdjust=0\n' | inside tee /etc/systemd/system/ink-broker.service.d/container.conf >/dev/null
    inside systemctl daemon-reload
fi
for unit in ink-broker ink-worker; do
    [[ $(inside systemctl is-enabled $unit) == disabled ]] || fail "$unit is enabled by the package"
    [[ $(property $unit ActiveState) == inactive ]] || fail "$unit is started by the package"
done

step "without keys the broker does not start"
if inside systemctl start ink-broker 2>/dev/null; then fail "it starts"; fi
inside systemctl stop ink-broker
inside systemctl reset-failed

step "keys and settings, as README.Debian says"
# Its lines that are indented, those of the broker, then those of a worker.
inside sed -n 's/^    //p' /usr/share/doc/ink-export-farm/README.Debian >"$work/commands"
sed '/systemctl enable --now ink-broker/q' "$work/commands" | inside sh -e
inside cp -r /root/ink-keys/worker /root/keys
sed '1,/systemctl enable --now ink-broker/d; s/BROKER-HOST/127.0.0.1/' "$work/commands" | inside sh -ec 'cd /root && . /dev/stdin'
for unit in ink-broker ink-worker; do
    until_true 30 "$unit is active" inside systemctl is-active $unit
done
until_true 60 "the worker has joined" workers 1

step "an export"
"$binary" export "$root/root/inputs" -o "$work/expected" --size 900x900 --quiet
inside ink export /root/inputs -o /root/pictures --size 900x900 --quiet "${client[@]}" || fail "the export"
diff -r "$work/expected" "$root/root/pictures" || fail "other pictures than without a farm"

step "users, rights, limits"
broker=$(property ink-broker MainPID) worker=$(property ink-worker MainPID)
[[ $(inside stat -c %U "/proc/$broker") == ink ]] || fail "the broker is $(inside stat -c %U "/proc/$broker")"
# The range of DynamicUser.
user=$(inside stat -c %u "/proc/$worker")
((user >= 61184 && user <= 65519)) || fail "the worker is user $user"
[[ $(inside stat -c '%U %a' /var/lib/ink) == 'ink 700' ]] || fail "/var/lib/ink: $(inside stat -c '%U %a' /var/lib/ink)"
[[ $(inside stat -c '%U %a' /etc/ink/broker.key) == 'root 600' ]] || fail "the broker's key is readable"
for process in "$broker" "$worker"; do
    for wanted in 'NoNewPrivs:	1' 'Seccomp:	2' 'CapEff:	0000000000000000' 'CapBnd:	0000000000000000'; do
        inside grep -q "^$wanted" "/proc/$process/status" || fail "not $wanted: $(inside cat "/proc/$process/status")"
    done
    # Its view of the files: nothing is writable but its state, and homes are empty.
    if inside nsenter -t "$process" -m touch /etc/written 2>/dev/null; then fail "it can write to /etc"; fi
    [[ -z $(inside nsenter -t "$process" -m ls /root /home 2>/dev/null | grep -v ':$' | grep . || true) ]] ||
        fail "it sees home folders"
done
for unit in ink-broker ink-worker; do
    inside systemd-analyze --no-pager security --threshold=15 $unit.service >"$work/security.log" ||
        fail "systemd-analyze security: $(tail -n 1 "$work/security.log")"
done

step "folders of clients, with the drop-in of broker.conf"
inside sh -ec 'mkdir -p /srv/drawings /srv/pictures /etc/systemd/system/ink-broker.service.d
    cp /root/inputs/hey.ink /root/inputs/owl.ink /srv/drawings && chown ink: /srv/pictures
    sed -i "s/^# \(input-root\|output-root\)/\1/" /etc/ink/broker.conf
    { echo "[Service]" && sed -n "s/^#   \(ReadWritePaths\|UMask\)/\1/p" /etc/ink/broker.conf
    } >/etc/systemd/system/ink-broker.service.d/folders.conf
    systemctl daemon-reload && systemctl restart ink-broker'
until_true 60 "the worker has joined again" workers 1
# Twice: pictures that are replaced keep owner and rights.
for _ in 1 2; do
    inside sh -c 'ink submit /srv/drawings --shared --into today --size 900x900 "$@" | ink wait - --no-fetch --quiet "$@"' \
        sh "${client[@]}" || fail "the pictures are not written"
done
[[ $(inside stat -c '%U %a %n' /srv/pictures/today/hey-900x900.png) == 'ink 644 '* ]] ||
    fail "$(inside ls -lR /srv/pictures)"
[[ $(find "$root/srv/pictures" -type f | wc -l) -eq 2 ]] || fail "not two pictures: $(inside ls -lR /srv/pictures)"

step "kill -9 while it exports"
inside sh -c 'ink submit /root/inputs --size 6000 --effort small "$@" >/root/jobs' sh "${client[@]}"
until_true 60 "jobs are running" jobs_running
inside systemctl kill --signal=KILL ink-broker
until_true 30 "systemd has started it again" inside sh -c "[ \"\$(systemctl show -P NRestarts ink-broker)\" = 1 ]"
until_true 30 "the worker has joined again" workers 1
inside systemctl kill --signal=KILL ink-worker
until_true 30 "systemd has started the worker again" inside sh -c "[ \"\$(systemctl show -P NRestarts ink-worker)\" = 1 ]"
"$binary" export "$root/root/inputs" -o "$work/large" --size 6000 --effort small --quiet
inside sh -c 'ink wait - -o /root/large --quiet "$@" </root/jobs' sh "${client[@]}" || fail "the jobs did not end well"
# Submitted pictures have no text of what they were made from, so their pixels are compared.
python3 Tests/deployment/same_pictures.py "$work/large" "$root/root/large" 4 ||
    fail "other pictures than without a farm"

step "stop drains"
inside sh -c 'ink submit /root/inputs --size 4k --effort small "$@" >/root/jobs' sh "${client[@]}"
until_true 60 "jobs are running" jobs_running
inside systemctl stop ink-worker
[[ $(property ink-worker Result) == success ]] || fail "the worker ended with $(property ink-worker Result)"
[[ $(inside journalctl -q --no-pager -u ink-worker) == *worker.draining* ]] || fail "the worker has not drained"
inside systemctl start ink-worker
until_true 30 "the worker has joined again" workers 1
inside systemctl stop ink-broker
[[ $(property ink-broker Result) == success ]] || fail "the broker ended with $(property ink-broker Result)"
[[ $(inside journalctl -q --no-pager -u ink-broker) == *broker.draining* ]] || fail "the broker has not drained"

step "the container starts again"
stop_container
start_container || fail "the container does not start again"
for unit in ink-broker ink-worker; do
    until_true 30 "$unit is active" inside systemctl is-active $unit
done
until_true 60 "the worker has joined" workers 1
inside sh -c 'ink wait - -o /root/continued --quiet "$@" </root/jobs' sh "${client[@]}" || fail "jobs are lost"
[[ $(find "$root/root/continued" -type f | wc -l) -eq 4 ]] || fail "not four pictures"

step "wrong settings are not tried again"
inside sh -c 'echo "colour = red" >>/etc/ink/worker.conf && systemctl restart ink-worker || true'
until_true 30 "the worker has failed" inside systemctl is-failed ink-worker
[[ $(property ink-worker NRestarts) == 0 ]] || fail "$(property ink-worker NRestarts) restarts"
inside sed -i '/^colour/d' /etc/ink/worker.conf
inside systemctl start ink-worker

step "an update keeps them running, a purge leaves nothing"
before=$(property ink-broker MainPID)
inside sh -c 'cd /root && apt-get install -q -y --reinstall ./ink-export-farm_*.deb' >"$work/apt.log" 2>&1 </dev/null ||
    fail "apt: $(tail -n 20 "$work/apt.log")"
until_true 30 "the broker is active" inside systemctl is-active ink-broker
[[ $(property ink-broker MainPID) != "$before" ]] || fail "it is still the old one"
until_true 60 "the worker has joined again" workers 1
inside apt-get purge -q -y ink-export-farm >"$work/apt.log" 2>&1 </dev/null || fail "apt: $(tail -n 20 "$work/apt.log")"
if inside pgrep -x ink >/dev/null 2>&1; then fail "something still runs"; fi
inside rm -rf /etc/systemd/system/ink-broker.service.d
left=$(find "$root/etc" "$root/usr" "$root/lib/systemd" "$root/var/lib" \( -name 'ink' -o -name 'ink-*' -o -name '_ink' \) \
    -not -path '*/dpkg/*' -print)
[[ -z $left ]] || fail "purge leaves $left"
if inside getent passwd ink; then fail "purge leaves the user"; fi
step "done"
