#!/usr/bin/env bash
# Installs the servers that tests and benchmarks start, faketime and Chromium, on Debian and Ubuntu.
#
#   npm run setup:servers                  all of them
#   npm run setup:servers -- redis         only the named ones
#   bash scripts/setup-servers.sh --list   the table: name and programs
#
# Needs no network or root when every program is installed. Installed services stay off: suites
# start their servers themselves, on private ports. A service that ran before keeps running.
set -euo pipefail

# name | programs that suites run | Debian package | service that the package installs
SERVERS='
pgbouncer  | pgbouncer                                | pgbouncer    | pgbouncer
redis      | redis-server                             | redis-server | redis-server
postgresql | postgres initdb pg_ctl psql pg_basebackup | postgresql   | postgresql
faketime   | faketime                                 | faketime     |
sshd       | sshd ssh ssh-keygen                      | openssh-server | ssh
chromium   | chromium                                 | chromium     |
'

# A script at this path that exits with 101 keeps packages from starting their services.
POLICY=/usr/sbin/policy-rc.d
POLICY_ASIDE="$POLICY.before-punctual"
POLICY_MARK='# Put here by setup-servers.sh while it installs.'

# Without a terminal sudo must not ask for a password.
if [[ -t 0 ]]; then SUDO=(sudo); else SUDO=(sudo -n); fi

# Bash 3.2 on macOS must be able to read this far and print what to install.
main() {
  local names name missing=()
  read -ra names <<<"$(server_names)"
  if [[ "${1:-}" == --list ]]; then
    for name in "${names[@]}"; do echo "$name $(field "$name" 2)"; done
    return
  fi
  (($# > 0)) || set -- "${names[@]}"
  for name in "$@"; do
    [[ " ${names[*]} " == *" $name "* ]] || fail "unknown server $name; known: ${names[*]}"
    if [[ -z "$(missing_programs "$name")" ]]; then
      echo "$name: already installed"
    else
      missing+=("$name")
    fi
  done
  if ((${#missing[@]} > 0)); then install_servers "${missing[@]}"; fi
}

install_servers() {
  local name failed=()
  if ! command -v apt-get >/dev/null; then
    for name in "$@"; do echo "$name: install the programs $(missing_programs "$name")" >&2; done
    fail "this system has no apt-get; put the programs above on the PATH by its own means"
  fi
  ((EUID == 0)) || command -v sudo >/dev/null || fail "needs root or sudo to install: $*"
  as_root true || fail "sudo refused; run this as root to install: $*"
  forbid_service_starts
  echo 'Reading the package lists'
  apt_get update || echo 'could not read the package lists; continuing with the existing ones' >&2
  for name in "$@"; do install_server "$name" || failed+=("$name"); done
  ((${#failed[@]} == 0)) || fail "could not install: ${failed[*]}"
}

install_server() {
  local name=$1 package service known=no output missing
  package=$(field "$name" 3)
  service=$(field "$name" 4)
  ! knows_service "$service" || known=yes
  echo "$name: installing $package"
  output=$(apt_get install --yes --no-install-recommends "$package" 2>&1) || echo "$output" >&2
  # A service that this installation added must not start at the next boot either.
  if [[ $known == no ]] && knows_service "$service"; then
    as_root systemctl disable --quiet "$service" || true
  fi
  missing=$(missing_programs "$name")
  if [[ -n "$missing" ]]; then
    echo "$name: FAILED, still missing: $missing" >&2
    return 1
  fi
  echo "$name: installed"
}

forbid_service_starts() {
  trap allow_service_starts EXIT
  trap 'exit 130' INT TERM
  # Our script may be left from an installation that was killed; another one is restored afterwards.
  if [[ -e $POLICY ]] && ! grep -qF "$POLICY_MARK" "$POLICY"; then
    as_root mv "$POLICY" "$POLICY_ASIDE"
  fi
  printf '#!/bin/sh\n%s\nexit 101\n' "$POLICY_MARK" | as_root tee "$POLICY" >/dev/null
  as_root chmod 755 "$POLICY"
}

allow_service_starts() {
  as_root rm -f "$POLICY"
  if [[ -e $POLICY_ASIDE ]]; then as_root mv "$POLICY_ASIDE" "$POLICY"; fi
}

server_names() { awk '/[|]/ { printf "%s ", $1 }' <<<"$SERVERS"; }

field() { # name, number of the column
  awk -F ' *[|] *' -v name="$1" -v column="$2" '$1 == name { print $column }' <<<"$SERVERS"
}

missing_programs() { # name
  local program missing=()
  for program in $(field "$1" 2); do has_program "$program" || missing+=("$program"); done
  echo "${missing[*]-}"
}

has_program() {
  local path
  ! command -v "$1" >/dev/null || return 0
  for path in /usr/local/sbin/"$1" /usr/sbin/"$1" /sbin/"$1" /usr/lib/postgresql/*/bin/"$1"; do
    [[ ! -x $path ]] || return 0
  done
  return 1
}

knows_service() { [[ -n $1 && -d /run/systemd/system ]] && systemctl cat "$1.service" &>/dev/null; }

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get --quiet=2 -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "$@" </dev/null
}

as_root() {
  if ((EUID == 0)); then "$@"; else "${SUDO[@]}" "$@"; fi
}

fail() {
  echo "setup-servers: $*" >&2
  exit 1
}

main "$@"
