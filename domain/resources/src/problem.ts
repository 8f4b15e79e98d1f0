import type { Path } from './structure.ts';

/** One thing wrong with an object. Kinds follow the causes of a Kubernetes Status. */
export interface Problem {
  readonly reason: 'unknown-field' | 'required' | 'invalid' | 'not-supported';
  readonly path: Path;
  /** The offending value; absent for a missing field. */
  readonly value?: unknown;
  /** What is wrong and what would be right. */
  readonly message: string;
}

/** `spec.interfaces[0].dhcp.mac` */
export function formatPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** `spec.interfaces[0].dhcp.mac: "AA:…": must be lower case; write "aa:…"` */
export function formatProblem(problem: Problem): string {
  const value = problem.value === undefined ? '' : `${shorten(JSON.stringify(problem.value))}: `;
  return `${formatPath(problem.path)}: ${value}${problem.message}`;
}

const SHOWN_VALUE_LIMIT = 80;

function shorten(text: string): string {
  return text.length <= SHOWN_VALUE_LIMIT ? text : `${text.slice(0, SHOWN_VALUE_LIMIT)}…`;
}
