import {
  formatIpAddress,
  ipNetworkContains,
  parseIpAddress,
  parseIpv4,
  type IpAddress,
  type IpNetwork,
} from '@tinkerbell/wire';

export interface Sender {
  /** Of the socket. */
  readonly peer: string;
  /** X-Forwarded-For, all values of all headers joined by commas; null when there is none. */
  readonly forwardedFor: string | null;
}

/** How an address was learned. `unproven`: a proxy nobody trusts claims to speak for another. */
type Origin = 'socket' | 'trusted-proxy' | 'unproven';

export type ClientAddress =
  | {
      readonly ok: true;
      readonly address: IpAddress;
      /** The address as `formatIpAddress` writes it. */
      readonly text: string;
      readonly origin: Origin;
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

/** What is spelled as it would be written needs not be written. */
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
