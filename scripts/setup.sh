#!/bin/sh
# Installs the missing system packages (Debian 12, Ubuntu 24.04 or newer) for `run`, `compiler`, `tool`, `python`,
# `test-build`, `test`, `bench`, `check`, `site` or `other-processor`. Prints one line for packages that cannot be installed; the
# build then reports what it needs. Prints nothing if all are present.
set -u

compiler="g++ cmake make pkg-config libcli11-dev nlohmann-json3-dev zlib1g-dev libzstd-dev libblosc-dev"
packages="$compiler libvips-dev"
python="python3 python3-dev python3-numpy pybind11-dev"
# Pages: a server, and npm, which downloads OpenSeadragon; tests look at them in a browser.
pages=libcpp-httplib-dev
command -v npm >/dev/null 2>&1 || pages="$pages nodejs npm"
mpi="libopenmpi-dev openmpi-bin libmpich-dev mpich"
browser=
command -v chromium >/dev/null 2>&1 || browser=chromium
case "${1:-run}" in
  run) ;;
  compiler) packages=$compiler ;;
  tool) packages="$packages $pages libclang-dev" ;;
  python) packages="$packages $python" ;;
  test-build) packages="$packages $pages $mpi libclang-dev libgtest-dev $python" ;;
  test) packages="$packages $pages $browser $mpi libclang-dev libgtest-dev $python python3-scipy python3-skimage python3-matplotlib python3-pytest python3-pip" ;;
  bench) packages="$packages python3 python3-numpy python3-scipy python3-skimage python3-opencv" ;;
  check) packages="$packages libclang-dev libgtest-dev clang clang-format clang-tidy libomp-dev libclang-rt-dev" ;;
  site) packages="python3 mkdocs" ;;
  other-processor)
    case $(uname -m) in aarch64) other=x86-64 ;; *) other=aarch64 ;; esac
    packages="cmake make googletest qemu-user g++-$other-linux-gnu" ;;
  *) echo "usage: setup.sh run|compiler|tool|python|test-build|test|bench|check|site|other-processor" >&2; exit 2 ;;
esac

command -v dpkg-query >/dev/null 2>&1 || exit 0
missing_of() {
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf ' %s' "$package"
  done
}
missing=$(missing_of $packages)
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null 2>&1 || { echo "missing packages (needs root or sudo):$missing" >&2; exit 0; }
  as_root=sudo
fi
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=1 "$@" >/dev/null 2>&1; }

# All at once if possible; else one by one, so that one missing package does not block the others.
apt install -y --no-install-recommends $missing || {
  apt update
  apt install -y --no-install-recommends $missing ||
    for package in $missing; do apt install -y --no-install-recommends "$package"; done
}
missing=$(missing_of $missing)
[ -z "$missing" ] || echo "packages that could not be installed (offline, or not in this release):$missing" >&2
exit 0
