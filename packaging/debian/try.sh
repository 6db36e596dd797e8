#!/bin/sh
# try.sh FOLDER: installs the newest Debian package of FOLDER on a system of its own (debootstrap, in FOLDER/system), starts the
# service under its user, installs the same again under a higher revision over it, removes it and purges it, and says what is
# not as it should be. As root.
set -eu

folder=$(cd "$1" && pwd)
system=$folder/system
package=$(ls -t "$folder"/site-audit_*.deb 2>/dev/null | head -n 1)
if [ -z "$package" ]; then
    echo "there is no package in $folder: cargo xtask dist makes one" >&2
    exit 2
fi
failures=0

# check WHAT COMMAND…: runs a check and tells its result.
check() {
    what=$1
    shift
    if "$@" >"$folder/try.log" 2>&1; then
        echo "ok      $what"
    else
        echo "FAILED  $what"
        sed 's/^/        /' "$folder/try.log" | tail -n 15
        failures=$((failures + 1))
    fi
}
inside() { chroot "$system" env PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
no() { ! "$@"; }

# wait_until COMMAND…: up to 20 seconds, until it succeeds.
wait_until() {
    for _ in $(seq 100); do
        if "$@"; then return 0; fi
        sleep 0.2
    done
    return 1
}
healthy() { inside site-audit healthcheck --config /etc/site-audit/site-audit.toml; }
# The last command of the line is the program itself, so that $! is its process.
start() {
    chroot "$system" setpriv --reuid site-audit --regid site-audit --clear-groups env --chdir /var/lib/site-audit \
        /usr/bin/site-audit serve --config /etc/site-audit/site-audit.toml >"$folder/service.log" 2>&1 &
    service=$!
    wait_until healthy && kill -0 "$service"
}
stop() {
    kill "$service"
    wait "$service" || true
}

rm -rf "$system"
debootstrap --variant=minbase --include=adduser,init-system-helpers "${DEBIAN_RELEASE:-bookworm}" "$system" >"$folder/try.log" 2>&1 \
    || { tail -n 20 "$folder/try.log" >&2; exit 2; }
mount --bind /proc "$system/proc"
trap 'stop 2>/dev/null || true; umount "$system/proc"' EXIT

cp "$package" "$system/tmp/first.deb"
check "it installs" inside apt-get install --yes --no-install-recommends /tmp/first.deb
check "nothing of dpkg is left to do" sh -c "! chroot '$system' dpkg --audit | grep ."
check "the program says its version" inside site-audit --version
check "there is a manual page for each command" inside test -f /usr/share/man/man1/site-audit-serve.1.gz
check "there are completions" inside test -s /usr/share/bash-completion/completions/site-audit
check "only the service reads its secrets" sh -c "[ \"\$(chroot '$system' stat --format '%U:%G %a' /etc/site-audit/environment)\" = 'root:site-audit 640' ]"
check "its folder belongs to the service" sh -c "[ \"\$(chroot '$system' stat --format '%U %a' /var/lib/site-audit)\" = 'site-audit 700' ]"
check "the service is enabled" inside test -L /etc/systemd/system/multi-user.target.wants/site-audit.service
check "the service starts as its user" start
check "the database is in its folder" inside test -s /var/lib/site-audit/site-audit.db
stop

echo '# kept by the owner' >>"$system/etc/site-audit/site-audit.toml"
before=$(inside sha256sum /var/lib/site-audit/site-audit.db)
rm -rf "$folder/second"
dpkg-deb --raw-extract "$package" "$folder/second"
sed -i 's/^\(Version: .*\)$/\1+1/' "$folder/second/DEBIAN/control"
dpkg-deb --build --root-owner-group "$folder/second" "$system/tmp/second.deb" >/dev/null
rm -rf "$folder/second"
check "it upgrades" inside apt-get install --yes /tmp/second.deb
check "the newer version is installed" sh -c "chroot '$system' dpkg-query --show site-audit | grep -F '+1'"
check "an upgrade keeps settings" inside grep --quiet 'kept by the owner' /etc/site-audit/site-audit.toml
check "an upgrade leaves the database alone" sh -c "[ \"\$(chroot '$system' sha256sum /var/lib/site-audit/site-audit.db)\" = '$before' ]"
check "the service starts with the database of before" start
stop

check "it is removed" inside apt-get remove --yes site-audit
check "the program is gone" no inside test -e /usr/bin/site-audit
check "a removal keeps settings" inside test -f /etc/site-audit/site-audit.toml
check "it is purged" inside apt-get purge --yes site-audit
check "settings are gone after a purge" no inside test -e /etc/site-audit/site-audit.toml
check "audits are there after a purge" inside test -s /var/lib/site-audit/site-audit.db
check "it installs again beside them" inside apt-get install --yes --no-install-recommends /tmp/first.deb
check "the service starts with them" start

if [ "$failures" -gt 0 ]; then
    echo "$failures checks failed" >&2
    exit 1
fi
