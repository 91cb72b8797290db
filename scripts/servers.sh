#!/usr/bin/env bash
# Makes sure that the programs which the tests start are installed: redis-server and, for the durable inbox, PostgreSQL and
# PgBouncer; Chromium for the pages; and promtool, which Debian packs with Prometheus, for alert rules.
# Tests start their own, on free ports and in temporary folders; a server that runs already is left alone.
set -euo pipefail

# Debian keeps the programs of PostgreSQL out of PATH, one folder a version, and PgBouncer where only root looks.
have_redis() { command -v redis-server >/dev/null; }
have_postgres() { command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }
have_chromium() {
  command -v chromium-headless-shell chromium chromium-browser google-chrome >/dev/null || [ -n "${CHROMIUM:-}" ]
}
have_pgbouncer() { command -v pgbouncer >/dev/null || [ -x /usr/sbin/pgbouncer ]; }
have_promtool() { command -v promtool >/dev/null; }

missing=()
have_redis || missing+=(redis-server)
have_postgres || missing+=(postgresql)
have_pgbouncer || missing+=(pgbouncer)
have_chromium || missing+=(chromium)
have_promtool || missing+=(prometheus)
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

give_up() {
  echo "The tests need ${missing[*]}: $1." >&2
  echo "Install it by hand, so that redis-server, initdb, pgbouncer, chromium and promtool are found, and run the tests again." >&2
  echo "  Debian, Ubuntu: sudo apt-get install redis-server postgresql pgbouncer chromium prometheus" >&2
  echo "  macOS: brew install redis postgresql pgbouncer prometheus, and set CHROMIUM to the path of a Chromium" >&2
  exit 1
}

command -v apt-get >/dev/null || give_up 'not installed, and there is no apt here to install it with'
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || give_up 'not installed, and installing it takes root'
  as_root=(sudo -n)
fi

echo "installing ${missing[*]}"
log=$(mktemp)
policy=/usr/sbin/policy-rc.d
has_policy=false
clean_up() {
  rm -f "$log"
  if $has_policy; then "${as_root[@]}" rm -f "$policy"; fi
}
trap clean_up EXIT

# Debian asks this program before it starts a service. The tests start their own servers.
if [ ! -e "$policy" ]; then
  has_policy=true
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
fi
apt_get() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >>"$log" 2>&1; }
apt_get update || { tail -n 20 "$log" >&2; give_up 'apt-get could not update its lists'; }
# The headless shell renders the same pages with less work. Not every release of Debian and Ubuntu packs it.
if apt-cache show chromium-headless-shell >/dev/null 2>&1; then
  missing=("${missing[@]/%chromium/chromium-headless-shell}")
fi
if ! apt_get install --no-install-recommends "${missing[@]}"; then
  tail -n 20 "$log" >&2
  give_up 'apt-get could not install it'
fi
have_redis && have_postgres && have_pgbouncer && have_chromium && have_promtool || give_up 'apt-get says it is installed, but it is not found'

# Of these the tests need the programs alone, and Debian has made services of them that would start with the machine.
for service in pgbouncer prometheus; do
  if [[ " ${missing[*]} " == *" $service "* ]]; then
    "${as_root[@]}" update-rc.d "$service" disable >>"$log" 2>&1 || true
  fi
done
