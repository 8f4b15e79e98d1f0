#!/bin/sh
# Runs setup.mjs with the first Node of the PATH that starts: npm puts the pinned one first, and on a bare Debian it
# lacks a library until setup.mjs has installed it.
set -eu
here=$(dirname "$0")
IFS=:
for folder in $PATH; do
  if [ -x "$folder/node" ] && "$folder/node" --version >/dev/null 2>&1; then
    exec "$folder/node" "$here/setup.mjs" "$@"
  fi
done
echo "setup: no Node.js found; install Node 20 or newer and npm" >&2
exit 1
