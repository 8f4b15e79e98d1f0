import type { View } from '@tinkerbell/store-contract';
import type { Ipv4, Mac } from '@tinkerbell/wire';

/**
 * Returns a sentence for the operator about who else may use an address that a client found in use, as far as the server knows.
 */
export function holdersOf(view: View, address: Ipv4, client: Mac): string {
  const others = view
    .hardwareByIp(address)
    .flatMap(({ metadata, spec }) =>
      (spec?.interfaces ?? [])
        .filter(({ dhcp }) => dhcp?.ip?.address === address && dhcp.mac?.toLowerCase() !== client)
        .map(({ dhcp }) => `${metadata.namespace}/${metadata.name} (${dhcp?.mac ?? 'no MAC'})`),
    );
  return others.length === 0
    ? 'no other Hardware has it: search for a machine with a fixed address, or for another DHCP server'
    : `it is also the address of Hardware ${others.join(', ')}`;
}
