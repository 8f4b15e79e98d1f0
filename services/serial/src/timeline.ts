import { primaryMacOf, type Hardware } from '@tinkerbell/resources';
import type { Journal } from '@tinkerbell/store-contract';

/** Adds a record about the serial console to the timeline of a machine. */
export function recordConsole(
  journal: Journal,
  hardware: Hardware,
  { event, message }: { readonly event: string; readonly message: string },
): void {
  const machine = primaryMacOf(hardware);
  journal.append({ source: 'bmc', event, message, ...(machine === undefined ? {} : { machine }) });
}
