/** TLS to a server that is known by its address: an address is no server name in TLS, and is checked against the certificate here. */
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

export interface TlsTarget {
  /** Options of the channel. */
  readonly channel: Readonly<Record<string, string>>;
  /** Added to what the certificate is verified by. */
  readonly verify: {
    readonly checkServerIdentity?: (name: string, certificate: PeerCertificate) => Error | undefined;
  };
}

/** `.invalid` (RFC 2606): sent as the server name where there is only an address, and no certificate is for it. */
const NO_NAME = 'address.invalid';

/** @param server `host:port`; an IPv6 address in brackets. */
export function tlsTargetOf(server: string): TlsTarget {
  const host = server.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) === 0) return { channel: {}, verify: {} };
  return {
    channel: { 'grpc.ssl_target_name_override': NO_NAME, 'grpc.default_authority': server },
    verify: { checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate) },
  };
}
