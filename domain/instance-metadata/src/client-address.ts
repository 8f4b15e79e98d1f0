import {
  formatIpAddress,
  ipNetworkContains,
  parseIpAddress,
  parseIpv4,
  type IpAddress,
  type IpNetwork,
} from '@tinkerbell/wire';

export interface Sender {
  /** The address of the socket. */
  readonly peer: string;
  /** X-Forwarded-For, all values of all headers joined by commas, or null when there is none. */
  readonly forwardedFor: string | null;
}

/** How an address was determined. `unproven`: an untrusted proxy claims to forward for another client. */
type Origin = 'socket' | 'trusted-proxy' | 'unproven';

export type ClientAddress =
  | {
      readonly ok: true;
      readonly address: IpAddress;
      /** The address in the format of `formatIpAddress`. */
      readonly text: string;
      readonly origin: Origin;
    }
  | { readonly ok: false; readonly error: string };

/** More consecutive proxies than any real deployment has. */
const HOPS_MAX = 32;

/**
 * Returns the client's address. A trusted proxy's X-Forwarded-For is read from the right, because each proxy appends the address
 * that it received from. The first one that is not a trusted proxy is the client, and everything left of it is unverified text
 * from the client. Headers of other senders are ignored. When all are trusted, the leftmost is the client.
 */
export function clientAddressOf(sender: Sender, trusted: readonly IpNetwork[]): ClientAddress {
  const peer = parseIpAddress(sender.peer);
  if (peer === undefined) return unparsable(sender.peer);
  if (sender.forwardedFor === null) return known(peer, sender.peer, 'socket');
  const isTrusted = (address: IpAddress) => trusted.some((network) => ipNetworkContains(network, address));
  if (!isTrusted(peer)) return known(peer, sender.peer, 'unproven');
  const hops = sender.forwardedFor.split(',');
  if (hops.length > HOPS_MAX)
    return { ok: false, error: `more than ${HOPS_MAX} addresses in X-Forwarded-For` };
  let [client, spelled] = [peer, sender.peer];
  while (isTrusted(client)) {
    const hop = hops.pop()?.trim();
    if (hop === undefined) break;
    const address = parseIpAddress(hop) ?? parseIpAddress(withoutPort(hop));
    if (address === undefined) return unparsable(hop);
    [client, spelled] = [address, hop];
  }
  return known(client, spelled, 'trusted-proxy');
}

/** An address that is already in canonical form is not formatted again. */
function known(address: IpAddress, spelled: string, origin: Origin): ClientAddress {
  return { ok: true, address, text: parseIpv4(spelled) ?? formatIpAddress(address), origin };
}

function unparsable(text: string): ClientAddress {
  return { ok: false, error: `not an IP address: ${JSON.stringify(text.slice(0, 64))}` };
}

/** Some proxies append the port: `192.0.2.7:40000`, `[2001:db8::7]:40000`. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text);
  return bracketed?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
}
