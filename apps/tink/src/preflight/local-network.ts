/** Reads network interfaces and ports from this machine's kernel. Linux only. */
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { holderOf } from '@tinkerbell/platform-node';
import { TinkFailure } from '../failure.ts';
import { serverPorts, type LocalNetworkInterface, type LocalPort } from './observation.ts';

/** Returns the requested interface, else that of the default route, else the only one that is not a loopback. */
export async function localNetworkInterface(asked: string | undefined): Promise<LocalNetworkInterface> {
  const name = asked ?? (await usualName());
  const read = (file: string) => readFile(`/sys/class/net/${name}/${file}`, 'latin1').catch(() => undefined);
  const mac = /^[\w.:-]+$/.test(name) ? await read('address') : undefined;
  if (mac === undefined) {
    const known = Object.keys(networkInterfaces()).join(', ');
    throw new TinkFailure(`unknown network interface ${JSON.stringify(name)}`, {
      advice: `network interfaces with addresses: ${known}`,
    });
  }
  const state = (await read('operstate'))?.trim();
  return {
    name,
    mac: mac.trim(),
    isUp: state === 'up' || state === 'unknown',
    mtuBytes: Number(await read('mtu')),
    addresses: (networkInterfaces()[name] ?? [])
      .filter(({ family }) => family === 'IPv4')
      .map(({ address, netmask }) => ({ address, netmask })),
    gateway: (await defaultRoutes()).find((route) => route.name === name)?.gateway,
  };
}

async function usualName(): Promise<string> {
  const [route] = await defaultRoutes();
  if (route !== undefined) return route.name;
  const names = Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
    addresses?.some(({ internal }) => !internal) ? [name] : [],
  );
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  throw new TinkFailure(`cannot choose a network interface: ${names.join(', ') || 'none has an address'}`, {
    advice: 'select one: --interface NAME',
  });
}

/** Parses /proc/net/route, which has little-endian hexadecimal addresses. */
async function defaultRoutes(): Promise<readonly { name: string; gateway: string }[]> {
  const table = await readFile('/proc/net/route', 'latin1').catch(() => '');
  return table.split('\n').flatMap((line) => {
    const [name = '', destination, gateway = ''] = line.split('\t');
    if (destination !== '00000000' || gateway === '00000000') return [];
    const octets = gateway.match(/../g) ?? [];
    return [
      {
        name,
        gateway: octets
          .reverse()
          .map((octet) => Number.parseInt(octet, 16))
          .join('.'),
      },
    ];
  });
}

/** Flags in /proc/net/ipv6_route: through a router, and learnt from its advertisement. */
const ROUTE_BY_ROUTER = 0x2;
const ROUTE_ADVERTISED = 0x4_0000;
const DEFAULT_DESTINATION = `${'0'.repeat(32)} 00`;

export async function ipv6Routers(networkInterface: string): Promise<readonly string[]> {
  const table = await readFile('/proc/net/ipv6_route', 'latin1').catch(() => '');
  return table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const flags = Number.parseInt(fields[8] ?? '0', 16);
    const isMeant = line.startsWith(DEFAULT_DESTINATION) && fields[9] === networkInterface;
    const isAdvertised = (flags & ROUTE_BY_ROUTER) !== 0 && (flags & ROUTE_ADVERTISED) !== 0;
    return isMeant && isAdvertised ? [ipv6Text(fields[4] ?? '')] : [];
  });
}

/** Formats an IPv6 address in its shortest form, as in URLs. */
function ipv6Text(hex: string): string {
  const long = (hex.match(/.{4}/g) ?? []).join(':');
  return new URL(`http://[${long}]/`).hostname.slice(1, -1);
}

export function localPorts(): Promise<readonly LocalPort[]> {
  return Promise.all(
    serverPorts.map(async ({ protocol, port }) => {
      const holder = (await holderOf(protocol, port)).replace(/^ by /, '');
      if (holder !== '') return { protocol, port, holder };
      return { protocol, port, holder: (await isHeld(protocol, port)) ? 'a program' : undefined };
    }),
  );
}

const LISTENING = '0A';

/** Without the right to read other processes: returns whether the port is in use, not by which program. */
async function isHeld(protocol: string, port: number): Promise<boolean> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const table of [protocol, `${protocol}6`]) {
    const lines = (await readFile(`/proc/net/${table}`, 'latin1').catch(() => '')).split('\n');
    const fields = lines.map((line) => line.trim().split(/\s+/));
    if (
      fields.some(
        ([, local, , state]) => local?.endsWith(wanted) && (protocol === 'udp' || state === LISTENING),
      )
    )
      return true;
  }
  return false;
}

const HEALTH_TIMEOUT_MS = 1000;

export async function isTinkerbellHere(address = '127.0.0.1'): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
    const answer: unknown = await (await fetch(`http://${address}:7080/healthcheck`, { signal })).json();
    return typeof answer === 'object' && answer !== null && 'git_rev' in answer && 'uptime_seconds' in answer;
  } catch {
    return false;
  }
}
