/**
 * Equal strings of objects as one string. Each machine of a site repeats its name and MAC, and the netmask and gateway of all.
 * JSON.parse shares only strings of up to ten characters.
 */
import { isRecord } from '@tinkerbell/resources';

const PARSED_SHARED_MAX = 10;
/** What deleted objects leave in the table is at most 16 MiB. */
const SHARED_MAX = 4096;
/** A power of two. A string has one slot, and the last one in it is the one that is shared. */
const SLOTS = 4096;

const slots: string[] = Array.from({ length: SLOTS }, () => '');

/** Changes an object that JSON.parse has just returned: its values stay equal. */
export function shareStrings(parsed: unknown): void {
  if (Array.isArray(parsed)) {
    for (let index = 0; index < parsed.length; index += 1) parsed[index] = valueOf(parsed[index]);
  } else if (isRecord(parsed)) {
    for (const key in parsed) parsed[key] = valueOf(parsed[key]);
  }
}

function valueOf(value: unknown): unknown {
  if (typeof value === 'string') return isShared(value) ? shared(value) : value;
  shareStrings(value);
  return value;
}

function isShared({ length }: string): boolean {
  return length > PARSED_SHARED_MAX && length <= SHARED_MAX;
}

function shared(text: string): string {
  const slot = slotOf(text);
  const last = slots[slot];
  if (last === text) return last;
  slots[slot] = text;
  return text;
}

/** Addresses and names count up, so they differ at the end. */
function slotOf(text: string): number {
  const { length } = text;
  const end =
    text.charCodeAt(length - 1) * 1031 + text.charCodeAt(length - 2) * 337 + text.charCodeAt(length - 4) * 97;
  return (length * 31 + text.charCodeAt(0) * 7 + text.charCodeAt(length >> 1) * 131 + end) & (SLOTS - 1);
}
