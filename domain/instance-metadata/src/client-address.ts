import { networkHolds, parseIpAddress, type IpAddress, type IpNetwork } from './ip-address.ts';

export interface Sender {
  /** Of the socket. */
  readonly peer: string;
  /** X-Forwarded-For, all values of all headers joined by commas; null when there is none. */
  readonly forwardedFor: string | null;
}

export type ClientAddress =
  | {
      readonly ok: true;
      readonly address: IpAddress;
      /** How the address was learned. `unproven`: a proxy nobody trusts claims to speak for another. */
      readonly origin: 'socket' | 'trusted-proxy' | 'unproven';
    }
  | { readonly ok: false; readonly error: string };

/** More proxies in a row than anyone has. */
const HOPS_MAX = 32;

/**
 * Who asks. A trusted proxy's X-Forwarded-For is read from the right, as each proxy appends the address it saw: the first
 * one that is no trusted proxy is the client, and what stands left of it is the client's own invention. Anybody else's
 * header is ignored. When all are trusted the leftmost is the client.
 */
export function clientAddressOf(sender: Sender, trusted: readonly IpNetwork[]): ClientAddress {
  const peer = parseIpAddress(sender.peer);
  if (peer === undefined) return unparsable(sender.peer);
  const isTrusted = (address: IpAddress) => trusted.some((network) => networkHolds(network, address));
  if (sender.forwardedFor === null) return { ok: true, address: peer, origin: 'socket' };
  if (!isTrusted(peer)) return { ok: true, address: peer, origin: 'unproven' };
  const hops = sender.forwardedFor.split(',');
  if (hops.length > HOPS_MAX)
    return { ok: false, error: `more than ${HOPS_MAX} addresses in X-Forwarded-For` };
  let client = peer;
  while (isTrusted(client)) {
    const hop = hops.pop();
    if (hop === undefined) break;
    const address = parseIpAddress(withoutPort(hop.trim()));
    if (address === undefined) return unparsable(hop.trim());
    client = address;
  }
  return { ok: true, address: client, origin: 'trusted-proxy' };
}

function unparsable(text: string): ClientAddress {
  return { ok: false, error: `not an IP address: ${JSON.stringify(text.slice(0, 64))}` };
}

/** Some proxies append the port: `192.0.2.7:40000`, `[2001:db8::7]:40000`. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text);
  return bracketed?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
}
