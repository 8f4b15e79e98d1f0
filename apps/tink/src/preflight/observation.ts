/** What a preflight saw, before anybody says what it means. */
import type { DhcpPacket } from '@tinkerbell/dhcp';
import type { ProbeKind } from './probe.ts';

export interface Observation {
  readonly networkInterface: LocalNetworkInterface;
  readonly answers: readonly Answer[];
  readonly requests: readonly Overheard[];
  readonly ports: readonly LocalPort[];
  readonly ipv6: {
    /** Link-local addresses of the routers this machine has a route by. */
    readonly routers: readonly string[];
    /** Undefined: could not be asked. */
    readonly dhcpServers: readonly string[] | undefined;
  };
  /** Whether the program on our own HTTP port says that it is Tinkerbell. */
  readonly isTinkerbellHere: boolean;
  /** False: no packet could be sent, so that silence says nothing. */
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

/** A reply, and to which question; `overheard`: to a machine that asked meanwhile. */
export interface Answer {
  readonly to: ProbeKind | 'overheard';
  /** Who put it on this link. */
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
  /** `dnsmasq (process 812)`; undefined when the port is free. */
  readonly holder: string | undefined;
}

/** The ports that the server opens, and what for. */
export const serverPorts = [
  { protocol: 'udp', port: 67, use: 'DHCP', flag: undefined },
  { protocol: 'udp', port: 69, use: 'TFTP', flag: undefined },
  { protocol: 'udp', port: 514, use: 'syslog', flag: '--syslog-enabled=false' },
  { protocol: 'udp', port: 4011, use: 'boot server', flag: undefined },
  { protocol: 'tcp', port: 7080, use: 'HTTP', flag: '--http-port=7081' },
  { protocol: 'tcp', port: 42113, use: 'gRPC', flag: '--tink-server-bind-port=42114' },
] as const;
