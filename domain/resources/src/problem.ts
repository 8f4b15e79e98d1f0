import type { Path } from './schema/place.ts';

/** One problem of an object. Kinds follow the causes of a Kubernetes Status. */
export interface Problem {
  readonly reason: 'unknown-field' | 'required' | 'invalid' | 'not-supported';
  readonly path: Path;
  /** The invalid value. Absent for a missing field. */
  readonly value?: unknown;
  /** The cause and the fix. */
  readonly message: string;
}

/** `spec.interfaces[0].dhcp.mac`. Names from unknown senders are truncated. */
export function formatPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[A-Za-z_][\w-]{0,63}$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(shortened(step))}]`;
  }
  return text;
}

/** Returns `spec.interfaces[0].dhcp.mac: "AA:…": must be lower case; write "aa:…"`. */
export function formatProblem({ path, value, message }: Problem): string {
  const place = path.length === 0 && value === undefined ? '' : `${formatPath(path)}: `;
  return `${place}${value === undefined ? '' : `${preview(value)}: `}${message}`;
}

const SHOWN_VALUE_LIMIT = 80;

/** Returns as much of a text as a message shows. */
export function shortened(text: string): string {
  return text.length <= SHOWN_VALUE_LIMIT ? text : `${text.slice(0, SHOWN_VALUE_LIMIT)}…`;
}

/** Returns the beginning of a value as JSON. The rest is not read. */
function preview(value: unknown): string {
  let left = SHOWN_VALUE_LIMIT;
  const text = JSON.stringify(value, (_key, one: unknown) => {
    if (left <= 0) return undefined;
    left -= typeof one === 'string' ? one.length : 1;
    if (typeof one === 'string') return shortened(one);
    if (Array.isArray(one)) return one.slice(0, SHOWN_VALUE_LIMIT);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).slice(0, SHOWN_VALUE_LIMIT));
  });
  return shortened(text);
}
