/** Boot tokens for kernel arguments: decides which machine gets one, and for which workflow. */
import type { Reservation } from '@tinkerbell/netboot';
import type { View } from '@tinkerbell/store-contract';
import type { BootConfig, BootDeps } from './config.ts';
import { workflowOfBoot } from './machine-state.ts';

export interface BootTokens {
  /** The token for one rendering. Empty when the requester is not that machine. */
  tokenFor(reservation: Reservation, clientAddress: string): string;
}

/** Returns undefined where agents need no tokens. Works from memory, also while the store is unreachable. */
export function createBootTokens(
  { view, bootTokens }: Pick<BootDeps, 'view' | 'bootTokens'>,
  { netboot }: Pick<BootConfig, 'netboot'>,
): BootTokens | undefined {
  if (bootTokens === undefined) return undefined;
  return {
    tokenFor(reservation, clientAddress) {
      if (!isOwnAddress(view, { reservation, clientAddress, mode: netboot.mode })) return '';
      return bootTokens.mint(reservation.mac, workflowOfBoot(view, reservation)?.metadata.uid);
    },
  };
}

interface Place {
  readonly reservation: Reservation;
  readonly clientAddress: string;
  readonly mode: BootConfig['netboot']['mode'];
}

/**
 * Scripts are sent to any requester, and a token for another machine would let the requester act for it. If the Hardware states
 * the machine's address, and this server assigns it, only that address is accepted. Otherwise any address is accepted that does
 * not belong to another machine.
 */
function isOwnAddress(view: View, { reservation, clientAddress, mode }: Place): boolean {
  const { namespace, hardwareName, address } = reservation;
  const owners = view.hardwareByIp(clientAddress);
  if (owners.length > 0)
    return owners.every(({ metadata }) => metadata.namespace === namespace && metadata.name === hardwareName);
  return address === undefined || mode !== 'reservation' || clientAddress.includes(':');
}
