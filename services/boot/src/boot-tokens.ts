/** Boot tokens for kernel arguments: which machine gets one, and for which workflow. */
import type { Reservation } from '@tinkerbell/netboot';
import type { View } from '@tinkerbell/store-contract';
import type { BootConfig, BootDeps } from './config.ts';
import { workflowOfBoot } from './machine-state.ts';

export interface BootTokens {
  /** For one rendering; empty when whoever asks is not that machine. */
  tokenFor(reservation: Reservation, clientAddress: string): string;
}

/** Undefined where agents are not asked for tokens. Works from memory: also while the store is away. */
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
 * Scripts are told to whoever asks: a token for another machine would let him speak for it. Where the Hardware says which
 * address the machine has, and we give it, only that one will do; elsewhere any that is not another machine's.
 */
function isOwnAddress(view: View, { reservation, clientAddress, mode }: Place): boolean {
  const { namespace, hardwareName, address } = reservation;
  const owners = view.hardwareByIp(clientAddress);
  if (owners.length > 0)
    return owners.every(({ metadata }) => metadata.namespace === namespace && metadata.name === hardwareName);
  return address === undefined || mode !== 'reservation' || clientAddress.includes(':');
}
