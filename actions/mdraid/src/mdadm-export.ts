/** Reads `mdadm --examine --export` and `mdadm --detail --export`: lines of NAME=value. */
import type { ArrayFacts, RaidFacts } from './plan-array.ts';

/** Returns undefined for a text without an array. */
export function arrayIn(text: string): ArrayFacts | undefined {
  const fields = fieldsIn(text);
  const { MD_UUID: uuid, MD_LEVEL: level } = fields;
  const devices = Number(fields['MD_DEVICES']);
  if (uuid === undefined || level === undefined || !Number.isSafeInteger(devices)) return undefined;
  return { uuid, level, devices };
}

/** Returns undefined for a text without an active array. */
export function activeIn(text: string): RaidFacts['active'] {
  const fields = fieldsIn(text);
  const { MD_UUID: uuid } = fields;
  if (uuid === undefined) return undefined;
  const names = Object.keys(fields).filter((name) => /^MD_DEVICE_.*_DEV$/.test(name));
  return { uuid, members: names.map((name) => fields[name] ?? '').toSorted() };
}

function fieldsIn(text: string): Readonly<Record<string, string>> {
  const pairs = text.split('\n').flatMap((line) => {
    const equals = line.indexOf('=');
    return equals > 0 ? [[line.slice(0, equals), line.slice(equals + 1).trim()] as const] : [];
  });
  return Object.fromEntries(pairs);
}
