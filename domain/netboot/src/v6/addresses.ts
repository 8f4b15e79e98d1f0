import { messageType, statusCode, type IdentityAssociation } from '@tinkerbell/dhcpv6';
import type { Ipv6 } from '@tinkerbell/wire';

interface AddressInput {
  readonly type: number;
  readonly asked: readonly IdentityAssociation[];
  readonly address: Ipv6 | undefined;
  readonly lifetimeSeconds: number;
}

/**
 * Returns the answer to each identity association of a client. The one address of a reservation goes to the first. The others,
 * and all when there is no address, get a status: NoAddrsAvail where the client requests addresses (RFC 8415 sections 18.3.1 and
 * 18.3.2), NoBinding where it renews them (18.3.4). Addresses that are not the client's get lifetimes of zero.
 */
export function v6Associations(input: AddressInput): readonly IdentityAssociation[] {
  const { type, asked, address, lifetimeSeconds } = input;
  const isRenewal = type === messageType.renew || type === messageType.rebind;
  return asked.map((association, index) => {
    const own = index === 0 ? address : undefined;
    if (own === undefined) return withoutAddress(association.id, isRenewal);
    const others = isRenewal ? association.addresses.filter((each) => each.address !== own) : [];
    return {
      id: association.id,
      renewalTimeSeconds: Math.floor(lifetimeSeconds * 0.5),
      rebindingTimeSeconds: Math.floor(lifetimeSeconds * 0.8),
      addresses: [
        {
          address: own,
          preferredLifetimeSeconds: lifetimeSeconds,
          validLifetimeSeconds: lifetimeSeconds,
        },
        ...others.map((each) => ({
          address: each.address,
          preferredLifetimeSeconds: 0,
          validLifetimeSeconds: 0,
        })),
      ],
    };
  });
}

function withoutAddress(id: number, isRenewal: boolean): IdentityAssociation {
  const status = isRenewal
    ? { code: statusCode.noBinding, message: 'no address of this client is known' }
    : { code: statusCode.noAddressesAvailable, message: 'the Hardware has no IPv6 address' };
  return { id, renewalTimeSeconds: 0, rebindingTimeSeconds: 0, addresses: [], status };
}
