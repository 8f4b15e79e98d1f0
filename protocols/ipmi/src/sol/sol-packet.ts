import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { joinBytes } from '../bytes.ts';

/** A packet of the serial console (table 15-2). */
export interface SolPacket {
  /** 1 to 15. 0: the packet only acknowledges. */
  readonly sequence: number;
  /** The number of the packet that is acknowledged. 0: none. */
  readonly acknowledged: number;
  /** How many characters of that packet were accepted. */
  readonly acceptedCount: number;
  /** Flags of `solOperation` to the BMC, and of `solStatus` from it. */
  readonly flags: number;
  readonly characters: Uint8Array;
}

/** Flags from the console to the BMC. */
export const solOperation = { refused: 0x40, sendBreak: 0x10 } as const;
/** Flags from the BMC to the console. */
export const solStatus = {
  refused: 0x40,
  unavailable: 0x20,
  deactivated: 0x10,
  overrun: 0x08,
  breakDetected: 0x04,
} as const;

const SEQUENCE_MASK = 0x0f;
/** The count of accepted characters is one byte. */
export const CHARACTERS_MAX = 255;

export function decodeSol(payload: Uint8Array): Decoded<SolPacket> {
  return decoded(() => {
    const reader = new ByteReader(payload);
    const sequence = reader.uint8('packet sequence number') & SEQUENCE_MASK;
    const acknowledged = reader.uint8('acknowledged sequence number') & SEQUENCE_MASK;
    const acceptedCount = reader.uint8('accepted character count');
    const flags = reader.uint8('operation or status');
    const count = reader.remaining;
    if (count > CHARACTERS_MAX) reader.fail('too-long', 'characters', `${count}, at most ${CHARACTERS_MAX}`);
    return { sequence, acknowledged, acceptedCount, flags, characters: reader.bytes(count, 'characters') };
  });
}

export function encodeSol(packet: SolPacket): Uint8Array {
  const { sequence, acknowledged, acceptedCount, flags, characters } = packet;
  return joinBytes(Uint8Array.of(sequence, acknowledged, acceptedCount, flags), characters);
}
