#!/bin/sh
# Makes the keys of a farm, each once: folders for the broker, the workers and the clients, each with what they may see.
#
#   BROKER/broker.key broker.pub health.key workers/*.pub clients/*.pub
#   WORKER/worker.key broker.pub
#   CLIENT/client.key broker.pub
#
# Keys that are there stay. It can be stopped at any moment and run again: a secret key is moved to its place last, when
# all that need its public half have it.
set -eu
umask 077

root=${1:-/keyring}
broker=$root/broker
worker=$root/worker
client=$root/client

# make NAME ROLE FOLDER PUBLIC...: FOLDER/NAME.key, and its public half in every folder PUBLIC.
make() {
    name=$1 role=$2 folder=$3
    shift 3
    [ -e "$folder/$name.key" ] && return 0
    rm -rf "$folder/.new"
    mkdir "$folder/.new"
    ink keygen "$name" --role "$role" -o "$folder/.new" >/dev/null
    for public in "$@"; do
        cp "$folder/.new/$name.pub" "$public/.$name.new"
        mv "$public/.$name.new" "$public/$name.pub"
    done
    sync
    mv "$folder/.new/$name.key" "$folder/$name.key"
    rm -rf "$folder/.new"
    echo "ink-keyring: made $folder/$name.key"
}

mkdir -p "$broker/workers" "$broker/clients" "$worker" "$client"
make broker broker "$broker" "$broker" "$worker" "$client"
make health client "$broker" "$broker/clients"
make worker worker "$worker" "$broker/workers"
make client client "$client" "$broker/clients"
