#!/usr/bin/env bash
# Installs ink with its man pages and completions, or removes what it installed.
#
#   Scripts/install.sh INK FOLDER          (INK: the program; FOLDER: DESTDIR and PREFIX, such as /usr/local)
#   Scripts/install.sh --uninstall FOLDER
set -euo pipefail

if (($# != 2)); then
    echo "usage: Scripts/install.sh INK|--uninstall FOLDER" >&2
    exit 64
fi
ink=$1 root=${2%/}
man=$root/share/man/man1
bash=$root/share/bash-completion/completions/ink
zsh=$root/share/zsh/site-functions/_ink
fish=$root/share/fish/vendor_completions.d/ink.fish

# Pages with this first line are ours.
mark='.\" Made by "ink help --man".'

remove_pages() {
    local page
    for page in "$man/ink.1" "$man"/ink-*.1; do
        if [[ -f $page && $(head -n 1 "$page") == "$mark" ]]; then rm -f "$page"; fi
    done
}

if [[ $ink == --uninstall ]]; then
    rm -f "$root/bin/ink" "$bash" "$zsh" "$fish"
    remove_pages
    exit 0
fi

# write FILE COMMAND...: what the command prints.
write() {
    local file=$1
    shift
    install -d "$(dirname "$file")"
    "$@" >"$file.new"
    chmod 644 "$file.new"
    mv "$file.new" "$file"
}

install -D -m 755 "$ink" "$root/bin/ink"
# Those of an older version may be of commands that are gone.
remove_pages
write "$man/ink.1" "$ink" help --man
"$ink" help --man | sed -n 's/^\.BR ink\\-\([a-z\\-]*\) (1)$/\1/p' | tr -d '\\' | while read -r command; do
    write "$man/ink-$command.1" "$ink" help --man "$command"
done
write "$bash" "$ink" completions bash
write "$zsh" "$ink" completions zsh
write "$fish" "$ink" completions fish
echo "installed $root/bin/ink, man pages and completions"
