#!/bin/sh
# Runs setup.mjs with the first Node of the PATH that starts: npm puts the pinned one first, and on a bare Debian it
# lacks a library until setup.mjs has installed it.
#
#   sh scripts/setup.sh [purpose ...] [-- program.ts [argument ...]]
#
# After `--` this shell becomes the pinned Node with that program: whoever signals it signals the program, and the
# program's exit code is its own. A signal before that ends the set-up.
set -eu
here=$(dirname "$0")

node_that_starts() {
  IFS=:
  for folder in $PATH; do
    if [ -x "$folder/node" ] && "$folder/node" --version >/dev/null 2>&1; then
      echo "$folder/node"
      return
    fi
  done
}

node=$(node_that_starts)
if [ -z "$node" ]; then
  echo "setup: no Node.js found; install Node 20 or newer and npm" >&2
  exit 1
fi

purposes=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  purposes="$purposes $1"
  shift
done

stopped=
stop() {
  stopped=$1
  kill -s "$1" "$setup" 2>/dev/null || :
}
trap 'stop TERM' TERM
trap 'stop INT' INT
# shellcheck disable=SC2086 # a word each
"$node" "$here/setup.mjs" $purposes &
setup=$!
status=0
wait "$setup" || status=$?
if [ -n "$stopped" ]; then wait "$setup" || :; fi
trap - TERM INT
if [ -n "$stopped" ]; then kill -s "$stopped" $$; fi
if [ "$status" -ne 0 ] || [ $# -eq 0 ]; then exit "$status"; fi

shift
exec "$here/../node_modules/.bin/node" "$@"
