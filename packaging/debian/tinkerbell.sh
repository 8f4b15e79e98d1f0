#!/bin/sh
# Runs the server. See tinkerbell(8).
export MALLOC_ARENA_MAX=1
exec /usr/lib/tinkerbell/node --max-semi-space-size=8 --heap-growing-percent=110 /@PROGRAMS@/start-server.mjs "$@"
