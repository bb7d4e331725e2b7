#!/usr/bin/env bash
# Builds the image of the Dockerfile, runs a broker and two workers of it as the image's user, exports examples through
# them, and compares the pictures with those that the same project gives without a farm.
#
# Nothing is pulled: a fresh Debian (debootstrap) stands in for both base images, with this machine's Swift mounted while
# the program is built. So what differs from the real bases is not tested. Needs root on a Debian or Ubuntu, Swift,
# about 6 GB of disk, and no container daemon: buildah does it with vfs storage and chroot isolation.
#
# Containers share this machine's network here, and their root is writable; users, rights of files, folders of the
# image, health check, keys and signals are the real ones.
#
# INK_BINARY     the program to compare with (.build/release/ink)
# DEBIAN_MIRROR  (http://deb.debian.org/debian)
# KEEP=1         keep images and containers in .build/test-image
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$PWD/.build/test-image
binary=${INK_BINARY:-$PWD/.build/release/ink}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
release=bookworm
image=localhost/ink-export-farm:test

fail() {
    echo "test-image: $*" >&2
    exit 1
}
step() { printf 'test-image: %4d s  %s\n' "$SECONDS" "$*"; }

[[ $(id -u) -eq 0 ]] || fail "needs root, for debootstrap and chroot"
[[ -x $binary ]] || fail "$binary is missing: make build"
swift=$(readlink -f "$(command -v swift)") || fail "Swift is missing"
toolchain=${swift%/usr/bin/*}
[[ -x $toolchain/usr/bin/swift ]] || fail "Swift is not in a folder of its own: $swift"
missing=()
for tool in buildah debootstrap; do command -v "$tool" >/dev/null || missing+=("$tool"); done
if ((${#missing[@]} > 0)); then
    step "installing ${missing[*]}"
    apt-get update -q >/dev/null
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null
fi

mkdir -p "$work"
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
buildah() { command buildah --root "$work/storage" --runroot "$work/run" "$@"; }

# Host processes that were started below, by what they are.
declare -A running=()
containers=()
# Made by the user of the image, so not below a folder that only root may enter.
field=$(mktemp -d)
chmod 0755 "$field"
clean() {
    local code=$?
    trap - EXIT
    if ((code != 0)); then tail -n 20 "$field"/*.log >&2 2>/dev/null || true; fi
    # Bash would tell that they were killed.
    exec 2>/dev/null
    for name in "${!running[@]}"; do kill -KILL -- "-${running[$name]}" 2>/dev/null || true; done
    wait || true
    if [[ -z ${KEEP:-} ]]; then
        for container in "${containers[@]}"; do buildah rm "$container" >/dev/null 2>&1 || true; done
        buildah rmi -f "$image" >/dev/null 2>&1 || true
    fi
    rm -rf "$field"
    exit "$code"
}
trap clean EXIT

# 1. The bases, kept for the next time.
if ! buildah inspect --type image localhost/base-runtime >/dev/null 2>&1; then
    step "debootstrap $release"
    rm -rf "$work/root"
    debootstrap --variant=minbase "$release" "$work/root" "$mirror" >"$work/debootstrap.log" ||
        fail "debootstrap: see $work/debootstrap.log"
    printf 'deb %s %s main\n' "$mirror" "$release" "$mirror" "$release-updates" >"$work/root/etc/apt/sources.list"
    container=$(buildah from scratch)
    buildah add -q "$container" "$work/root" / >/dev/null
    buildah config --cmd bash "$container"
    buildah commit -q --rm "$container" localhost/base-runtime >/dev/null
    rm -rf "$work/root"
fi
if ! buildah inspect --type image localhost/base-build >/dev/null 2>&1; then
    step "what the image of Swift has beside Swift"
    container=$(buildah from localhost/base-runtime)
    buildah run --network host "$container" -- sh -c 'apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install \
        -q -y --no-install-recommends binutils ca-certificates git gnupg libc6-dev libcurl4-openssl-dev libedit2 libgcc-12-dev \
        libncurses6 libpython3-dev libsqlite3-0 libstdc++-12-dev libxml2-dev libz3-dev pkg-config tzdata zlib1g-dev &&
        apt-get clean' >"$work/base-build.log" 2>&1 || fail "packages: see $work/base-build.log"
    buildah config --env PATH=/opt/swift/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
    buildah commit -q --rm "$container" localhost/base-build >/dev/null
fi

# 2. The image, by the Dockerfile as it is.
step "building the image"
buildah bud --network host --format docker --volume "$toolchain:/opt/swift:ro" \
    --build-arg BUILD_IMAGE=localhost/base-build --build-arg RUNTIME_IMAGE=localhost/base-runtime \
    --build-arg VERSION=test --build-arg REVISION=test -t "$image" . >"$work/build.log" 2>&1 || {
    tail -n 30 "$work/build.log" >&2
    fail "the build failed: see $work/build.log"
}
setting() { buildah inspect --type image --format "{{.Docker.Config.$1}}" "$image"; }
[[ $(setting User) == 10001:10001 ]] || fail "user $(setting User)"
[[ $(setting StopSignal) == SIGTERM ]] || fail "stop signal $(setting StopSignal)"
[[ $(setting Healthcheck.Test) == '[CMD ink-health]' ]] || fail "health check $(setting Healthcheck.Test)"
[[ $(setting Entrypoint) == '[ink]' ]] || fail "entry point $(setting Entrypoint)"

# 3. A farm of it. `inside NAME COMMAND...` is `docker run`, NAME's container with the volumes that it is to see.
volumes=(data inputs pictures broker worker client)
for volume in "${volumes[@]}"; do mkdir "$field/$volume"; done
chown 10001:10001 "$field"/{data,pictures,broker,worker,client}
cp examples/hey.ink examples/owl.ink "$field/inputs"
chmod -R a+rX "$field/inputs"
declare -A keys=([broker]=broker [worker1]=worker [worker2]=worker [client]=client)
declare -A container=()
for name in broker worker1 worker2 client; do
    container[$name]=$(buildah from --pull-never "$image")
    containers+=("${container[$name]}")
done
mounts() {
    printf -- '--volume=%s ' "$field/${keys[$1]}:/keys:ro" "$field/inputs:/inputs:ro" "$field/pictures:/pictures"
    if [[ $1 == broker ]]; then printf -- '--volume=%s ' "$field/data:/data"; fi
}
inside() {
    local name=$1
    shift
    # shellcheck disable=SC2046 # a list of words
    buildah run --network host $(mounts "$name") "${variables[@]/#/--env=}" "${container[$name]}" -- "$@"
}
# start NAME COMMAND...: in a process group of its own.
start() {
    local name=$1
    shift
    set -m
    inside "$name" "$@" >"$field/$name.log" 2>&1 &
    running[$name]=$!
    set +m
}
# The process of ink below the one that was started, for signals: no daemon is there to send them.
process() {
    local pid above
    for pid in $(pgrep -x ink); do
        above=$pid
        while ((above > 1)); do
            if ((above == running[$1])); then echo "$pid" && return 0; fi
            above=$(awk '$1 == "PPid:" { print $2 }' "/proc/$above/status" 2>/dev/null) || break
        done
    done
    return 1
}
# until_true SECONDS WHAT COMMAND...
until_true() {
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < end)) || fail "not within its time: $what"
        sleep 0.3
    done
}

variables=()
step "keys"
# Its three volumes, as in the compose file.
buildah run --volume "$field/broker:/keyring/broker" --volume "$field/worker:/keyring/worker" \
    --volume "$field/client:/keyring/client" "${container[client]}" -- ink-keyring /keyring >"$field/keys.log"
[[ $(stat -c %u:%a "$field/broker/broker.key") == 10001:600 ]] || fail "$(ls -l "$field/broker")"

step "a broker, two workers"
base=$((20000 + $$ % 10000 * 2))
clients=tcp://127.0.0.1:$((base + 1))
variables=(INK_KEY=/keys/worker.key INK_BROKER_KEY=/keys/broker.pub "INK_BROKER=tcp://127.0.0.1:$base" INK_LOG=json
    INK_THREADS=1)
# Workers first: they wait for their broker.
start worker1 ink worker --name one
start worker2 ink worker --name two
variables=("INK_WORKERS=tcp://*:$base" "INK_CLIENTS=tcp://*:$((base + 1))" INK_KEY=/keys/broker.key
    INK_ALLOW_WORKERS=/keys/workers INK_ALLOW_CLIENTS=/keys/clients INK_INPUT_ROOT=/inputs INK_OUTPUT_ROOT=/pictures
    INK_LOG=json)
start broker ink broker
variables=("HEALTH_BROKER=$clients")
healthy() { inside broker ink-health broker; }
until_true 60 "the broker is healthy" healthy
variables=("INK_BROKER=$clients" INK_KEY=/keys/client.key INK_BROKER_KEY=/keys/broker.pub)
# status_says PYTHON: whether the expression holds for what `ink status --json` prints.
status_says() {
    inside client ink status --json --timeout 3 |
        python3 -c "import json, sys; s = json.load(sys.stdin); sys.exit(not ($1))"
}
both() { status_says 'sorted(worker["name"] for worker in s["workers"]) == ["one", "two"]'; }
until_true 60 "both workers are there" both
variables=("INK_BROKER=tcp://127.0.0.1:$base")
inside worker1 ink-health worker || fail "a worker is not healthy"
variables=("INK_BROKER=tcp://127.0.0.1:9")
if inside worker1 ink-health worker 2>/dev/null; then fail "a worker that is not connected is healthy"; fi
variables=("INK_BROKER=$clients" INK_KEY=/keys/client.key INK_BROKER_KEY=/keys/broker.pub)
for name in broker worker1 worker2; do
    user=$(awk '$1 == "Uid:" { print $2 }' "/proc/$(process "$name")/status")
    [[ $user == 10001 ]] || fail "$name runs as user $user"
done

step "an export by content, and one of shared folders"
inside client ink export /inputs -o /pictures/fetched --size 900x900 --broker "$clients" --quiet
inside client sh -c 'ink submit /inputs --shared --into written --size 900x900 | ink wait - --no-fetch' >"$field/submit.log"
"$binary" export "$field/inputs" -o "$field/alone" --size 900x900 --quiet
diff -r "$field/alone" "$field/pictures/fetched" || fail "other files than without a farm"
# `ink export` also writes down what its picture was made from, `ink submit` does not; the chunks of the picture
# itself are the same.
python3 Tests/deployment/same_pictures.py "$field/alone" "$field/pictures/written" ||
    fail "other pictures than without a farm"
[[ $(find "$field/alone" -type f | wc -l) -eq 2 ]] || fail "not two pictures"

step "who has another role is not let in"
variables=("INK_BROKER=$clients" INK_KEY=/keys/worker.key INK_BROKER_KEY=/keys/broker.pub)
if inside worker1 ink status --timeout 3 >"$field/role.log" 2>&1; then fail "a worker's key asks as a client"; fi

step "SIGTERM"
for name in worker1 worker2 broker; do
    pid=$(process "$name")
    kill -TERM "$pid"
    code=0
    wait "${running[$name]}" || code=$?
    unset "running[$name]"
    [[ $code -eq 0 || $code -eq 143 ]] || fail "$name left with $code"
done

# Compose file and manifests make it impossible; so it must not be needed.
for name in broker worker1 client; do
    written=$(find "$(buildah mount "${container[$name]}")" -xdev -user 10001 -newer "$field/keys.log" ! -type d)
    [[ -z $written ]] || fail "$name wrote outside of its volumes: $written"
done

step "a broker that is started again knows its jobs"
variables=("INK_WORKERS=tcp://*:$base" "INK_CLIENTS=tcp://*:$((base + 1))" INK_KEY=/keys/broker.key
    INK_ALLOW_WORKERS=/keys/workers INK_ALLOW_CLIENTS=/keys/clients INK_LOG=json)
start broker ink broker
variables=("HEALTH_BROKER=$clients")
until_true 60 "the broker is healthy again" healthy
variables=("INK_BROKER=$clients" INK_KEY=/keys/client.key INK_BROKER_KEY=/keys/broker.pub)
status_says 's["jobs"]["finished"] > 0' || fail "it knows of no finished job"
size=$(du -sm "$(buildah mount "${container[client]}")" | cut -f 1)
step "done; the image has $size MB, $(stat -c %s "$(buildah mount "${container[client]}")/usr/local/bin/ink") bytes of them ink"
