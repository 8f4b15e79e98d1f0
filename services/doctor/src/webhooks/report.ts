/** What a webhook is sent about a machine. */
import type { ShownVerdict } from '@tinkerbell/diagnosis';
import { isRecord } from '@tinkerbell/resources';
import type { WebhookFormat } from '../config.ts';

export interface Report {
  /** The same for every attempt, so that a receiver can drop repetitions. */
  readonly id: string;
  readonly event: 'boot-stopped' | 'boot-recovered';
  /** RFC 3339. */
  readonly time: string;
  readonly machine: {
    readonly namespace: string;
    readonly name: string;
    readonly macs: readonly string[];
  };
  readonly verdict: ShownVerdict;
}

/** Returns undefined for a text that is not a report. */
export function reportIn(text: string): Report | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isReport(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isReport(value: unknown): value is Report {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    isRecord(value['machine']) &&
    isRecord(value['verdict'])
  );
}

export function bodyOf(report: Report, format: WebhookFormat): string {
  return JSON.stringify(format === 'slack' ? { text: slackText(report) } : report);
}

function slackText({ event, machine, verdict }: Report): string {
  const name = `*${escaped(`${machine.namespace}/${machine.name}`)}*`;
  if (event === 'boot-recovered') return `${name} no longer stands still. ${escaped(verdict.text)}`;
  const evidence = verdict.evidence.map(({ text }) => `> ${escaped(text)}`);
  const advice = verdict.advice.map((text) => `• ${escaped(text)}`);
  return [`${name} does not boot. ${escaped(verdict.text)} (${verdict.cause})`, ...evidence, ...advice].join(
    '\n',
  );
}

/** Slack's three control characters. Machines choose parts of the texts. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', ' ');
}
