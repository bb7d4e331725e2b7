#!/bin/sh
# Whether the container's broker answers, or its worker is connected. Leaves with 0, or with something else.
#
# HEALTH_BROKER      the broker's endpoint for clients (tcp://127.0.0.1:5571)
# HEALTH_KEY         key of a client of its own (/keys/health.key, when it is there)
# HEALTH_BROKER_KEY  the broker's public key (/keys/broker.pub)
set -eu

# Process 1 is ink, or an init that was given ink's command line.
role=$(tr '\0' '\n' </proc/1/cmdline | grep -m 1 -x -E 'broker|worker') || role=none

case $role in
broker)
    key=${HEALTH_KEY:-/keys/health.key}
    set -- status --broker "${HEALTH_BROKER:-tcp://127.0.0.1:5571}" --timeout 3
    if [ -e "$key" ]; then
        set -- "$@" --key "$key" --broker-key "${HEALTH_BROKER_KEY:-/keys/broker.pub}"
    fi
    # The broker's own settings are not this client's.
    unset INK_KEY INK_BROKER_KEY
    exec ink "$@" >/dev/null
    ;;
worker)
    # A worker listens nowhere, and the broker knows by its heartbeats how it is. What can be seen from here is whether
    # there is a connection to the broker's port; without one ZeroMQ is trying again.
    port=${INK_BROKER:-:5570}
    port=${port##*:}
    cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
        awk -v port="$(printf ':%04X' "$port")" '
            substr($3, length($3) - 4) == port && $4 == "01" { found = 1 }
            END { exit !found }'
    ;;
esac
