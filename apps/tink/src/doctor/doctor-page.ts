/** Formats the verdicts of the doctor. */
import type { Check } from '@tinkerbell/diagnosis';
import type { Diagnosed } from '../client/answers.ts';
import { timestampOf } from '../events/event-line.ts';
import { printable } from '../output/printable.ts';
import { alignedText } from '../output/table-text.ts';
import { checkPlaceText, type CheckPlace } from './check-place.ts';

/** A machine and its verdict, or the reason why the server has not decided yet. */
export type Examined =
  | Diagnosed
  | { readonly namespace: string; readonly machine: string; readonly reason: string };

/** What was examined, and with `--check` the active checks and who performed them. */
export type Checked = Examined & { readonly checks?: readonly Check[]; readonly from?: CheckPlace };

export function isStopped(examined: Examined): boolean {
  return 'state' in examined && examined.state === 'stopped';
}

export function machineText(examined: Checked): string {
  const { checks, from = 'here' } = examined;
  return `${diagnosisText(examined)}${checks === undefined ? '' : checksText(checks, from)}`;
}

export function diagnosisText(examined: Examined): string {
  const name = printable(examined.machine);
  if ('reason' in examined) return `${name}: unknown: ${printable(examined.reason)}\n`;
  const { state, cause, certainty, text, since, evidence, advice } = examined;
  const why = cause === undefined ? '' : `, ${cause}${certainty === undefined ? '' : ` (${certainty})`}`;
  const when = since === undefined ? '' : `, since ${timestampOf(Date.parse(since))}`;
  return [
    `${name}: ${state}${printable(why)}${when}\n`,
    `  ${printable(text)}\n`,
    ...evidence.map((one) => `    ${timestampOf(Date.parse(one.time))}  ${printable(one.text)}\n`),
    ...advice.map((line, at) => `  ${at + 1}. ${printable(line)}\n`),
  ].join('');
}

const shownStates: Readonly<Record<Check['state'], string>> = {
  ok: 'ok',
  note: '',
  warning: 'warning',
  failed: 'FAILED',
};

function checksText(checks: readonly Check[], from: CheckPlace): string {
  const rows = checks.map(({ check, state, message }) => [
    `    ${check}`,
    shownStates[state],
    printable(message),
  ]);
  return `  Checks from ${printable(checkPlaceText(from))}:\n${alignedText(rows)}`;
}

/** Shows machines that stand still in full, and counts the others. */
export function summaryText(all: readonly Examined[]): string {
  const stopped = all.filter(isStopped).map((one) => `${diagnosisText(one)}\n`);
  const counts = Map.groupBy(all, (one) => ('state' in one ? one.state : 'unknown'));
  const parts = [...counts].map(([state, machines]) => `${machines.length} ${state}`).sort();
  const amount = all.length === 1 ? '1 machine' : `${all.length} machines`;
  return `${stopped.join('')}${amount}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}\n`;
}
