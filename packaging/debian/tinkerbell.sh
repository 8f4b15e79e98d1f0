#!/bin/sh
# Runs the server. See tinkerbell(8).
export MALLOC_ARENA_MAX=1
# dpkg removes the programs of this version when it unpacks another one, and a server that runs may load a part of them later.
programs=/usr/lib/tinkerbell/running/@HASH@
if [ ! -d "$programs" ]; then programs=/@PROGRAMS@; fi
exec /usr/lib/tinkerbell/node --max-semi-space-size=8 --sparkplug-filter=none --maglev-filter=none --turbo-filter=none --heap-growing-percent=110 --no-allocation-site-pretenuring "$programs/start-server.mjs" "$@"
