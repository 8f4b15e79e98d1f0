import type { LogFields } from '@tinkerbell/platform-contract';

/** Returns `,"name":value` for each field. Functions and undefined values are left out, and what JSON cannot express is named. */
export function membersOf(fields: LogFields): string {
  let text = '';
  for (const [name, value] of Object.entries(fields)) {
    const json = jsonOf(value);
    if (json !== undefined) text += `,${JSON.stringify(name)}:${json}`;
  }
  return text;
}

function jsonOf(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    // A line must not end the request that it is about.
    return '"[not JSON]"';
  }
}
