#!/usr/bin/env bash
# Makes a Debian package of the program, for this distribution and processor, and prints its path.
#
#   Scripts/deb.sh INK [FOLDER]     (INK: the program; FOLDER: for the package, .build/deb)
#
# The same program and commit give the same package, byte for byte.
#
# MAINTAINER         the package's (Ink export farm <ink-export-farm@localhost.invalid>)
# SOURCE_DATE_EPOCH  its time (that of the last commit)
set -euo pipefail
umask 022
cd "$(dirname "${BASH_SOURCE[0]}")/.."

ink=${1:?usage: Scripts/deb.sh INK [FOLDER]} out=${2:-.build/deb}
package='ink-export-farm'
maintainer=${MAINTAINER:-Ink export farm <ink-export-farm@localhost.invalid>}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y "$ink")}

fail() {
    echo "deb: $*" >&2
    exit 1
}
command -v dpkg-deb >/dev/null || fail "no dpkg here, which makes the package"
. Scripts/clean-root.sh
missing_tools dpkg-shlibdeps=dpkg-dev strip=binutils
version=$("$ink" --version | sed -n 's/^ink //p')
# Debian sorts 1.0~rc1 before 1.0.
version=${version/-/\~}
architecture=$(dpkg --print-architecture)

build=$out/build root=$out/build/root
rm -rf "$build"
mkdir -p "$root/DEBIAN" "$build/debian"

# The program, man pages, completions.
cp "$ink" "$build/ink"
strip --strip-all --remove-section=.comment --remove-section=.note "$build/ink"
Scripts/install.sh "$build/ink" "$root/usr" >/dev/null
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
install -D -m 755 deploy/bin/ink-keyring "$root/usr/bin/ink-keyring"
install -D -m 644 deploy/debian/ink-keyring.1 "$root/usr/share/man/man1/ink-keyring.1"
gzip -9n "$root"/usr/share/man/man1/*.1

# Units, settings, the broker's user.
for unit in broker worker; do
    install -d "$root/lib/systemd/system"
    sed 's|/usr/local/bin/ink|/usr/bin/ink|' "deploy/systemd/ink-$unit.service" >"$root/lib/systemd/system/ink-$unit.service"
    install -D -m 644 -t "$root/etc/ink" "deploy/systemd/$unit.conf" "deploy/systemd/$unit.env"
done
install -d "$root/usr/lib/sysusers.d"
sed 's|/etc/sysusers.d/ink.conf|The user of the broker|; s|: the user of the broker\.|.|' deploy/systemd/ink.sysusers.conf \
    >"$root/usr/lib/sysusers.d/$package.conf"

# Documents.
documents=$root/usr/share/doc/$package
install -D -m 644 -t "$documents" deploy/debian/copyright deploy/debian/README.Debian CHANGELOG.md \
    docs/{using-ink,running-a-farm,deployment,http,formats,protocol,threat-model}.md
for example in slurm nginx; do install -D -m 644 -t "$documents/examples/$example" "deploy/$example"/*; done
cat >"$documents/changelog" <<END
$package ($version) unstable; urgency=medium

  * See CHANGELOG.md.

 -- $maintainer  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
END
gzip -9n "$documents/changelog" "$documents/CHANGELOG.md"

# What it is linked to, as the distribution's packages are named, and what it loads when needed. A library that needs their
# functions stands for those that it cannot do without.
loaded=$(sed -n '/^library /,/^$/p' Sources/CLazy/ink_lazy.S)
mapfile -t needs < <(grep -o 'lib[^ ,]*\.so\.[0-9]*' <<<"$loaded" | sed 's/^/-l:/'
    sed '/^library /d' <<<"$loaded" | grep -o '[A-Za-z0-9_]*' | sed 's/^/-u/')
ld -shared --no-as-needed -o "$build/loaded.so" "${needs[@]}"
printf 'Source: %s\n\nPackage: %s\nArchitecture: any\n' "$package" "$package" >"$build/debian/control"
depends=$(cd "$build" && dpkg-shlibdeps -O ink loaded.so 2>shlibdeps.log | sed -n 's/^shlibs:Depends=//p')
[[ -n $depends ]] || fail "dpkg-shlibdeps: $(<"$build/shlibdeps.log")"
recommends=()
for library in libheif.so.1 'libjxl.so.0.*' librsvg-2.so.2; do
    found=$(dpkg-query -S "*/$library" 2>/dev/null | sed -n 's/:.*//p' | sort -u | head -n 1) ||
        fail "$library is not installed, which packages recommend: make setup"
    recommends+=("$found")
done

(cd "$root" && find etc -type f | sort | sed 's|^|/|') >"$root/DEBIAN/conffiles"
install -m 755 deploy/debian/{postinst,prerm,postrm} "$root/DEBIAN"
size=$(du -k -s --apparent-size --exclude=DEBIAN "$root" | cut -f 1)
sed "s|@version@|$version|; s|@architecture@|$architecture|; s|@maintainer@|$maintainer|; s|@size@|$size|
    s|@depends@|$depends|; s|@recommends@|$(printf '%s, ' "${recommends[@]}" | sed 's/, $//')|" \
    deploy/debian/control >"$root/DEBIAN/control"
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch --no-dereference -d "@$SOURCE_DATE_EPOCH" {} +
file=$out/${package}_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$file" >/dev/null
rm -rf "$build"
echo "$file"
