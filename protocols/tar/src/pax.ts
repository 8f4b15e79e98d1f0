/** PAX records, `<length> <key>=<value>\n`: POSIX.1-2017 "pax Extended Header". Values are byte strings. */
import { byteString } from './byte-string.ts';
import { TarError } from './tar-error.ts';

const RECORDS_MAX = 4096;

/** Throws a TarError. */
export function decodePax(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  const text = byteString(bytes);
  let at = 0;
  while (at < text.length) {
    const [, digits = ''] = /^(\d{1,10}) /.exec(text.slice(at, at + 12)) ?? [];
    const end = at + Number(digits);
    const start = at + digits.length + 1;
    const equals = text.indexOf('=', start);
    if (digits === '' || end > text.length || text[end - 1] !== '\n' || equals < start || equals >= end)
      throw new TarError(`a PAX record at byte ${at} is invalid`);
    if (records.size >= RECORDS_MAX) throw new TarError(`an entry has more than ${RECORDS_MAX} PAX records`);
    records.set(text.slice(start, equals), text.slice(equals + 1, end - 1));
    at = end;
  }
  return records;
}

/** A whole number of a record. Throws a TarError. */
export function paxInteger(records: ReadonlyMap<string, string>, key: string): number | undefined {
  const text = records.get(key);
  if (text === undefined) return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new TarError(`the PAX record ${key}=${text.slice(0, 40)} is not a number`);
}

/** Seconds, with a fraction, and perhaps before 1970. */
export function paxTime(records: ReadonlyMap<string, string>, key: string): number | undefined {
  const text = records.get(key);
  if (text === undefined) return undefined;
  if (/^-?\d{1,12}(?:\.\d*)?$/.test(text)) return Number(text);
  throw new TarError(`the PAX record ${key}=${text.slice(0, 40)} is not a time`);
}
