#!/bin/sh
# Install the collector into a bare Debian: an image, a machine, or a folder that debootstrap made.
# Run it as root in the repository's root (or in a copy of it), once; run again, it installs anew.
# What is installed is pinned by version and hash in requirements/collector.txt.
set -eu

HOME_DIR=/opt/graphldp
export DEBIAN_FRONTEND=noninteractive PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1

apt-get update -q
apt-get install -q -y --no-install-recommends python3 python3-venv ca-certificates

# a user without a login, who owns nothing but the folder of the database
id graphldp >/dev/null 2>&1 || useradd --system --home-dir /var/lib/graphldp --shell /usr/sbin/nologin graphldp
install -d -o graphldp -g graphldp -m 0700 /var/lib/graphldp

python3 -m venv --clear "$HOME_DIR"
# what builds the package is not part of what runs: it goes with its folder
BUILD=$(mktemp -d)
trap 'rm -rf "$BUILD"' EXIT
python3 -m venv "$BUILD/venv"
"$BUILD/venv/bin/pip" install --quiet --constraint constraints.txt hatchling
"$BUILD/venv/bin/python" -m hatchling build -t wheel -d "$BUILD/dist"
"$HOME_DIR/bin/pip" install --quiet --require-hashes --only-binary :all: -r requirements/collector.txt
"$HOME_DIR/bin/pip" install --quiet --no-deps --no-index "$BUILD"/dist/*.whl

ln -sf "$HOME_DIR/bin/graphldp" /usr/local/bin/graphldp
rm -rf /var/lib/apt/lists/*
graphldp serve --settings >/dev/null
echo "graphldp is installed in $HOME_DIR"
