/**
 * TCP ports of this server that a forward must not lead to: what answers there would see the gateway as its client, and
 * everything that depends on who the client is (metadata, agents' sessions, limits) would take all clients for one.
 */
import { hostname } from 'node:os';
import { isOwnAddress } from '@tinkerbell/platform-node';
import type { ForwardSettings } from '@tinkerbell/service-gateway';
import type { FlagReader } from './flag-reader.ts';

const PORT_FLAGS = [
  'http-port',
  'https-port',
  'local-api-port',
  'tootles-legacy-port',
  'tink-server-bind-port',
];

export type RefuseForward = (forward: ForwardSettings) => string | undefined;

/** Says of a forward why it is refused and what to use instead; undefined for one that may be. */
export function forwardRefusal(flags: FlagReader): RefuseForward {
  const own = new Map(PORT_FLAGS.map((name) => [flags.port(name), name]));
  return ({ protocol, name, endpoints }) => {
    if (protocol !== 'tcp') return undefined;
    for (const { host, port } of endpoints) {
      const flag = port === 0 ? undefined : own.get(port);
      if (flag === undefined || !isThisHost(host)) continue;
      return `forward ${name}: ${host}:${port} is this server's own --${flag}; let clients connect to it directly (--bind-address), or publish its paths with a route`;
    }
    return undefined;
  };
}

function isThisHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return name === 'localhost' || name === hostname().toLowerCase() || isOwnAddress(name);
}
