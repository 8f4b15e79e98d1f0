/**
 * The sequence numbers that a session has received. A packet is accepted once, and only near the highest number so far (section
 * 6.12.13): up to 15 above it and 16 below. Packets may thus be reordered or lost. A recorded packet cannot be replayed. The first packet
 * may have any number, because the keys of the session are new, so no packet can have been recorded.
 */
export interface SequenceWindow {
  /** 0: nothing was received. */
  readonly highest: number;
  /** Bit n is set when `highest - 1 - n` was received. */
  readonly below: number;
}

export const emptyWindow: SequenceWindow = { highest: 0, below: 0 };

const ABOVE_MAX = 15;
const BELOW_MAX = 16;
const BELOW_MASK = 0xffff;

export type SequenceRefusal = 'replayed-packet' | 'packet-outside-window';

/** Returns the window after the packet, or why the packet is ignored. Number 0 never occurs within a session. */
export function windowAfter(window: SequenceWindow, sequence: number): SequenceWindow | SequenceRefusal {
  if (sequence === 0) return 'packet-outside-window';
  if (window.highest === 0) return { highest: sequence, below: 0 };
  if (sequence === window.highest) return 'replayed-packet';
  const above = (sequence - window.highest) >>> 0;
  if (above <= ABOVE_MAX) {
    return { highest: sequence, below: ((window.below << above) | (1 << (above - 1))) & BELOW_MASK };
  }
  const down = (window.highest - sequence) >>> 0;
  if (down > BELOW_MAX) return 'packet-outside-window';
  const bit = 1 << (down - 1);
  if ((window.below & bit) !== 0) return 'replayed-packet';
  return { highest: window.highest, below: window.below | bit };
}

/** Returns the number of the next packet to send. It skips 0, which marks packets outside a session. */
export function sequenceAfter(sequence: number): number {
  return sequence === 0xffff_ffff ? 1 : sequence + 1;
}
