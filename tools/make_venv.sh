#!/usr/bin/env bash
# Make a virtual environment: make_venv.sh PYTHON DIRECTORY
set -euo pipefail
python=$1
directory=$2

fail() {
    echo "make: $*" >&2
    exit 1
}

command -v "$python" >/dev/null ||
    fail "no '$python' found: install Python 3.11 or newer, or name one: make PYTHON=python3.12"
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') ||
    fail "'$python' does not start: install Python 3.11 or newer, or name one: make PYTHON=python3.12"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "'$python' is Python $version, but 3.11 or newer is needed: make PYTHON=python3.12"

# Debian and Ubuntu keep ensurepip, without which venv makes no pip, in a package of its own.
if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
    package="python$version-venv"
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing $package, which virtual environments need here."
        { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$package"; } ||
            fail "could not install $package: install it by hand, then run make again"
    else
        fail "'$python' cannot make virtual environments. On Debian or Ubuntu:" \
            "sudo apt-get install $package"
    fi
fi

# A half-made directory would look finished to the next run.
"$python" -m venv --clear "$directory" || {
    rm -rf "$directory"
    fail "'$python -m venv $directory' failed (see above)"
}
