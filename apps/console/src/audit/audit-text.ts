/** What the page says about a write over the API. Pure. */
import type { JournalRecord } from '@tinkerbell/store-contract/journal';

type Write = Pick<JournalRecord, 'message' | 'details'>;

/** `ann delete hardware.tinkerbell.org lab/m1: rejected (403), from 10.0.0.7`. */
export function auditText({ message, details = {} }: Write): string {
  const { code, peer } = details;
  const outcome = Number(code) < 400 ? 'done' : `rejected (${String(code)})`;
  const text = code === undefined ? message : message.replace(`: ${String(code)}`, `: ${outcome}`);
  return peer === undefined ? text : `${text}, from ${String(peer)}`;
}
