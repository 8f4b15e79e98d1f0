import { clientAddressOf } from '@tinkerbell/instance-metadata';
import { ipNetworkContains, type IpAddress } from '@tinkerbell/wire';
import type { Exchange } from './exchange.ts';
import { oneValue } from './header-fields.ts';
import type { RouteTable } from './route-table.ts';

/** Who sent a request: the client, also behind trusted proxies. */
export type Sender =
  | { readonly ok: true; readonly client: IpAddress; readonly address: string }
  | { readonly ok: false };

/** Whether the peer is a proxy whose forwarding fields count. */
export function isTrusted(peer: string, { trustedProxies }: RouteTable): boolean {
  const sender = clientAddressOf({ peer, forwardedFor: null }, []);
  return sender.ok && trustedProxies.some((network) => ipNetworkContains(network, sender.address));
}

export function senderOf({ peer, fields }: Exchange, { trustedProxies }: RouteTable): Sender {
  const forwardedFor = oneValue(fields['x-forwarded-for']) ?? null;
  const sender = clientAddressOf({ peer, forwardedFor }, trustedProxies);
  return sender.ok ? { ok: true, client: sender.address, address: sender.text } : { ok: false };
}

/** Returns the host without port, in lower case, or undefined when it is not a host. */
export function hostOf(authority: string): string | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/.exec(authority);
  return match?.[1]?.toLowerCase().replace(/\.$/, '');
}
