import type { Verdict } from './diagnose.ts';

/** A verdict with times as RFC 3339, as the API and webhooks show it. */
export interface ShownVerdict extends Omit<Verdict, 'sinceMs' | 'evidence'> {
  readonly since?: string;
  readonly evidence: readonly { readonly time: string; readonly text: string }[];
}

export function shownVerdict({ sinceMs, evidence, ...verdict }: Verdict): ShownVerdict {
  return {
    ...verdict,
    ...(sinceMs === undefined ? {} : { since: new Date(sinceMs).toISOString() }),
    evidence: evidence.map(({ atMs, text }) => ({ time: new Date(atMs).toISOString(), text })),
  };
}
