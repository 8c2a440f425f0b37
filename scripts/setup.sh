#!/bin/sh
# Installs what is missing for `run`, `test` or `check` from the system's packages (Debian, Ubuntu). Says nothing where
# everything is there; where it cannot install, it names what is missing and lets the build say what it needs.
set -u

packages="g++ cmake make pkg-config zlib1g-dev libvips-dev libcli11-dev nlohmann-json3-dev"
case "${1:-run}" in
  run) ;;
  test) packages="$packages libgtest-dev python3 python3-numpy python3-scipy python3-skimage" ;;
  check) packages="$packages libgtest-dev clang clang-format clang-tidy libomp-dev" ;;
  *) echo "usage: setup.sh run|test|check" >&2; exit 2 ;;
esac

command -v dpkg-query >/dev/null 2>&1 || exit 0
missing=""
for package in $packages; do
  case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
    installed) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null 2>&1 || { echo "missing packages:$missing (no sudo to install them)" >&2; exit 0; }
  as_root="sudo"
fi

echo "installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >"$log" 2>&1; }
install || { $as_root apt-get update >"$log" 2>&1 && install; } || {
  echo "could not install:$missing" >&2
  tail -n 3 "$log" >&2
}
exit 0
