#!/bin/sh
# Runs the command line. See tink(1). Without other settings it uses the server of this machine, which only root may.
if [ -z "${TINKERBELL_DATA_DIR-}" ] && [ -r /var/lib/tinkerbell/kubeconfig ]; then
  export TINKERBELL_DATA_DIR=/var/lib/tinkerbell
fi
exec /usr/lib/tinkerbell/node --min-semi-space-size=16 /@PROGRAMS@/start-tink.mjs "$@"
