import type { Dhcpv6Message } from './message.ts';
import { joined } from './option-codec.ts';
import { rawOptions } from './option-table.ts';
import { writeRawOptions } from './raw-options.ts';

export function encodeMessage({ type, transactionId, options }: Dhcpv6Message): Uint8Array {
  const header = Uint8Array.of(type, transactionId >>> 16, transactionId >>> 8, transactionId);
  return joined([header, writeRawOptions(rawOptions(options))]);
}
