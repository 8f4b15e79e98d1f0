/**
 * Ports of this server that a forward must not target. The program there would see the gateway as its client, and everything
 * that depends on the client (metadata, agents' sessions, limits) would treat all clients as one.
 */
import { hostname } from 'node:os';
import { isOwnAddress } from '@tinkerbell/platform-node';
import type { ForwardSettings } from '@tinkerbell/service-gateway';
import type { FlagReader } from './flag-reader.ts';
import type { FlagName } from './flags/index.ts';
import { SettingsError } from './settings-error.ts';

const TCP_FLAGS = [
  'http-port',
  'https-port',
  'local-api-port',
  'tootles-legacy-port',
  'tink-server-bind-port',
  'secondstar-port',
] as const;

const UDP_FLAGS = ['dhcp-bind-port', 'tftp-server-bind-port', 'syslog-bind-port'] as const;
/** The ports of the PXE boot server and of DHCPv6, which have no flag. */
const DHCP_PORTS = [4011, 547].map((port) => [port, 'dhcp-enabled'] as const);

/** Limit, because each port is a listener. */
const STACK_PORTS_MAX = 8;

/** Parses `--http-stack-ports` without duplicates. Throws a SettingsError that names the value. */
export function stackPorts(flags: FlagReader): readonly number[] {
  const texts = flags.list('http-stack-ports');
  const ports = texts.map(Number);
  const isPort = (port: number, index: number): boolean =>
    /^\d{1,5}$/.test(texts[index] ?? '') && port > 0 && port <= 65_535;
  if (!ports.every(isPort) || ports.length > STACK_PORTS_MAX || new Set(ports).size < ports.length)
    throw new SettingsError(
      `--http-stack-ports must be at most ${STACK_PORTS_MAX} different ports such as 8080,7171, not ${JSON.stringify(texts.join(','))}`,
    );
  return ports;
}

export type RefuseForward = (forward: ForwardSettings) => string | undefined;

/** Returns why a forward is rejected and what to use instead; undefined if it is allowed. */
export function forwardRefusal(flags: FlagReader): RefuseForward {
  const named = (names: readonly FlagName<'number'>[]) =>
    names.map((name) => [flags.port(name), name] as const);
  const stack = stackPorts(flags).map((port) => [port, 'http-stack-ports'] as const);
  const own = {
    tcp: new Map([...stack, ...named(TCP_FLAGS)]),
    udp: new Map([...DHCP_PORTS, ...named(UDP_FLAGS)]),
  };
  return ({ protocol, name, endpoints }) => {
    for (const { host, port } of endpoints) {
      const flag = port === 0 ? undefined : own[protocol].get(port);
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
