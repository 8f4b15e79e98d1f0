/** The raw observations of a preflight. */
import type { DhcpPacket } from '@tinkerbell/dhcp';
import type { ProbeKind } from './probe.ts';

export interface Observation {
  readonly networkInterface: LocalNetworkInterface;
  readonly answers: readonly Answer[];
  readonly requests: readonly Overheard[];
  readonly ports: readonly LocalPort[];
  readonly ipv6: {
    /** Link-local addresses of the routers in this machine's routes. */
    readonly routers: readonly string[];
    /** Undefined if the probe could not be sent. */
    readonly dhcpServers: readonly string[] | undefined;
  };
  /** True if the program on our own HTTP port identifies itself as Tinkerbell. */
  readonly isTinkerbellHere: boolean;
  /** False if no packet could be sent, so that missing answers mean nothing. */
  readonly isAsked: boolean;
}

export interface LocalNetworkInterface {
  readonly name: string;
  readonly mac: string;
  readonly isUp: boolean;
  readonly mtuBytes: number;
  readonly addresses: readonly { readonly address: string; readonly netmask: string }[];
  readonly gateway: string | undefined;
}

/** A reply and the probe that it answers; `overheard` is a reply to another machine. */
export interface Answer {
  readonly to: ProbeKind | 'overheard';
  /** The MAC that sent it on this link. */
  readonly fromMac: string;
  readonly from: string;
  readonly packet: DhcpPacket;
}

/** A request of another machine. */
export interface Overheard {
  readonly fromMac: string;
  readonly packet: DhcpPacket;
}

export interface LocalPort {
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  /** `dnsmasq (process 812)`; undefined if the port is free. */
  readonly holder: string | undefined;
}

/** The ports that the server opens, and their purpose. */
export const serverPorts = [
  { protocol: 'udp', port: 67, use: 'DHCP', flag: undefined },
  { protocol: 'udp', port: 69, use: 'TFTP', flag: undefined },
  { protocol: 'udp', port: 514, use: 'syslog', flag: '--syslog-enabled=false' },
  { protocol: 'udp', port: 4011, use: 'boot server', flag: undefined },
  { protocol: 'tcp', port: 7080, use: 'HTTP', flag: '--http-port=7081' },
  { protocol: 'tcp', port: 42113, use: 'gRPC', flag: '--tink-server-bind-port=42114' },
] as const;
