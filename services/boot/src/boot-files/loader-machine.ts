import { loaderFileNameOf, reservationFor, type LoaderKind, type Reservation } from '@tinkerbell/netboot';
import type { BootDeps } from '../config.ts';
import { macAt } from '../machine-state.ts';
import type { BootFileRequest } from './boot-file.ts';

/**
 * Returns which boot loader requests its configuration, and the machine that the file name identifies. Returns undefined for
 * other names.
 */
export function loaderMachine(
  view: BootDeps['view'],
  { fileName, clientAddress }: BootFileRequest,
): { readonly loader: LoaderKind; readonly reservation: Reservation } | undefined {
  const name = loaderFileNameOf(fileName, clientAddress);
  if (name === undefined) return undefined;
  const { machine, loader } = name;
  const mac = machine.by === 'mac' ? machine.mac : macAt(view, machine.address);
  const reservation = mac === undefined ? undefined : reservationFor(view.hardwareByMac(mac), mac);
  return reservation?.ok === true ? { loader, reservation: reservation.value } : undefined;
}
