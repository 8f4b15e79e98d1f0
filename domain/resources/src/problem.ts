import type { Path } from './schema/place.ts';

/** One problem of an object. Kinds follow the causes of a Kubernetes Status. */
export interface Problem {
  readonly reason: 'unknown-field' | 'required' | 'invalid' | 'not-supported';
  readonly path: Path;
  /** The invalid value. Absent for a missing field. */
  readonly value?: unknown;
  /** The beginning of the value as JSON, where the value itself is not at hand. */
  readonly shown?: string;
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
export function formatProblem(problem: Problem): string {
  const { path, message } = problem;
  const shown = shownValue(problem);
  const place = path.length === 0 && shown === undefined ? '' : `${formatPath(path)}: `;
  return `${place}${shown === undefined ? '' : `${shown}: `}${message}`;
}

function shownValue({ value, shown }: Problem): string | undefined {
  return value === undefined ? shown : preview(value);
}

/** Returns the problem without its value and with short names, however large they are. It is formatted like before. */
export function withoutValue(problem: Problem): Problem {
  const { reason, path, message } = problem;
  const shown = shownValue(problem);
  const short = path.map((step) => (typeof step === 'string' ? shortened(step) : step));
  return { reason, path: short, message, ...(shown === undefined ? {} : { shown }) };
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
