/** Reads listeners and forwards of a route file. */
import { parseIpAddress, parseIpNetwork } from '@tinkerbell/wire';
import {
  boolean,
  durationMs,
  Fields,
  list,
  oneOf,
  parsed,
  refuse,
  someOf,
  text,
  wholeNumber,
  type Place,
} from './fields.ts';
import type {
  CertificateFiles,
  Endpoint,
  ForwardSettings,
  ListenerSettings,
  TlsSettings,
} from './route-file.ts';

const CONNECTIONS_MAX = 10_000;
const PORT_MAX = 65_535;
/** Longer than a TFTP client waits between two packets. */
const UDP_IDLE_MS = 60_000;
const TCP_IDLE_MS = 3_600_000;
const UDP_SESSIONS_MAX = 4096;

const address = parsed(
  (source) => (parseIpAddress(source) === undefined ? undefined : source),
  'must be an IP address',
);

export function listener(place: Place): ListenerSettings {
  const fields = new Fields(place, ['name', 'address', 'port', 'tls', 'connectionsMax']);
  return {
    name: fields.required('name', text),
    address: fields.optional('address', address) ?? '0.0.0.0',
    port: fields.required('port', wholeNumber(0, PORT_MAX)),
    tls: fields.optional('tls', tls),
    connectionsMax: fields.optional('connectionsMax', wholeNumber(1, 1_000_000)) ?? CONNECTIONS_MAX,
  };
}

function tls(place: Place): TlsSettings {
  const fields = new Fields(place, ['certificates', 'minVersion', 'clientCaFile']);
  return {
    certificates: fields.required('certificates', someOf(certificate)),
    minVersion: fields.optional('minVersion', oneOf(['1.2', '1.3'])) === '1.2' ? 'TLSv1.2' : 'TLSv1.3',
    clientCaFile: fields.optional('clientCaFile', text),
  };
}

function certificate(place: Place): CertificateFiles {
  const fields = new Fields(place, ['certFile', 'keyFile']);
  return { certFile: fields.required('certFile', text), keyFile: fields.required('keyFile', text) };
}

export function forward(place: Place): ForwardSettings {
  const fields = new Fields(place, [
    'name',
    'protocol',
    'listen',
    'to',
    'proxyProtocol',
    'idle',
    'sessionsMax',
  ]);
  const protocol = fields.required('protocol', oneOf(['tcp', 'udp']));
  const { host, port } = fields.required('listen', endpoint);
  return {
    name: fields.required('name', text),
    protocol,
    address: host,
    port,
    endpoints: fields.required('to', endpoints),
    proxyProtocol: fields.optional('proxyProtocol', (one) => tcpOnly(one, protocol)) ?? false,
    idleMs: fields.optional('idle', durationMs) ?? (protocol === 'udp' ? UDP_IDLE_MS : TCP_IDLE_MS),
    sessionsMax:
      fields.optional('sessionsMax', wholeNumber(1, 1_000_000)) ??
      (protocol === 'udp' ? UDP_SESSIONS_MAX : CONNECTIONS_MAX),
  };
}

function tcpOnly(place: Place, protocol: string): boolean {
  const wanted = boolean(place);
  return wanted && protocol === 'udp' ? refuse(place, 'requires TCP: a datagram has no beginning') : wanted;
}

/** Reads one value, or a list. */
export function endpoints(place: Place): readonly Endpoint[] {
  return place.node.kind === 'list' ? someOf(endpoint)(place) : [endpoint(place)];
}

export const texts = list(text);

export const network = parsed(parseIpNetwork, 'must be a network such as 192.0.2.0/24');

const endpoint = parsed(parseEndpoint, 'must be HOST:PORT');

/** Reads `host:port`, `192.0.2.1:80` or `[2001:db8::1]:80`. */
export function parseEndpoint(source: string): Endpoint | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(source);
  const port = Number(match?.[3] ?? -1);
  if (match === null || port > PORT_MAX) return undefined;
  return { host: match[1] ?? match[2] ?? '', port };
}
