/**
 * TLS to a server known only by its IP address. TLS server names cannot be addresses, so the certificate is checked against
 * the address here.
 */
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

export interface TlsTarget {
  /** Options of the channel. */
  readonly channel: Readonly<Record<string, string>>;
  /** Additional options to verify the certificate. */
  readonly verify: {
    readonly checkServerIdentity?: (name: string, certificate: PeerCertificate) => Error | undefined;
  };
}

/** `.invalid` (RFC 2606): sent as the server name if there is only an address. No certificate is for it. */
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
