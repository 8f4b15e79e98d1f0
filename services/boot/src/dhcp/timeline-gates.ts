/** How many records of a flood are written. */

/** A machine that gets no answer repeats its request every few seconds, for hours. One record a minute is enough. */
export const IGNORED_GATE = { intervalMs: 60_000, keysMax: 256 } as const;

/** A machine whose address another host has declines it every few seconds. The second decline shows that it was no coincidence. */
export const DECLINED_GATE = { intervalMs: 10_000, keysMax: 256 } as const;

/**
 * The journal keeps a bounded number of records: a looping client, or a flood of forged MACs, must not evict the records of all
 * others. Writing each of 10,000 exchanges a second would take half of the processor time they cost, and the disk's checkpoints
 * would delay replies. Writing a second's whole allowance at its start delays replies by 20 ms.
 */
export const REPLIED_GATE = { intervalMs: 1_000, keysMax: 500, atOnce: 100 } as const;
