import { freemem } from 'node:os';

/** A smaller share would leave the kernel without memory for its own needs. */
const KEPT_BYTES = 256 * 1024 * 1024;

/** Bytes that may be allocated: `MemAvailable` of the kernel, without what it keeps. */
export function availableMemory(): number {
  return Math.max(freemem() - KEPT_BYTES, 0);
}
