/**
 * Reports changed verdicts: the condition `BootHealthy` of the Hardware, the timeline (from which Events are made) and webhooks. The
 * condition is what was reported last, so that a restart and another leader continue from there.
 */
import { shownVerdict, type Verdict } from '@tinkerbell/diagnosis';
import { messageOf, type Service } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { macsOf, type Hardware, type HardwareCondition } from '@tinkerbell/resources';
import { hardwareCollection } from '@tinkerbell/store-contract';
import type { DoctorConfig, DoctorDeps } from './config.ts';
import type { Doctor } from './doctor.ts';
import { createReporterMetrics } from './metrics.ts';
import { reportIn, type Report } from './webhooks/report.ts';
import { GIVE_UP_MS, Webhooks } from './webhooks/webhooks.ts';

export const BOOT_CONDITION = 'BootHealthy';
/** The text of a condition. Evidence is in the API. */
const MESSAGE_MAX = 1_000;

export function createDoctorReporter(deps: DoctorDeps, config: DoctorConfig, doctor: Doctor): Service {
  const set = new MetricSet();
  const { journal, log, view, verdicts } = deps;
  const webhooks = new Webhooks(deps, config.webhooks, {
    metrics: createReporterMetrics(set),
    delivered: ({ id }) =>
      journal.append({
        source: 'server',
        event: 'webhook-delivered',
        message: `webhook ${id} delivered`,
        details: { id },
      }),
  });
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();
  const writing = new Set<Promise<void>>();

  function take(hardware: Hardware, verdict: Verdict): void {
    if (conditionFor(shownBy(hardware), verdict) === undefined) return;
    const written = report(deps, {
      hardware,
      verdict,
      webhooks: config.webhooks.urls.length > 0 ? webhooks : undefined,
    })
      .catch((thrown: unknown) =>
        log.warn('a verdict could not be reported', {
          machine: hardware.metadata.name,
          error: messageOf(thrown),
        }),
      )
      .finally(() => writing.delete(written));
    writing.add(written);
  }

  return {
    name: 'reporter',
    routes: [],
    metrics: set,
    stopped: () => stopped,
    health: () => ({ ready: true }),
    start(signal) {
      const unlisten = doctor.onVerdict(take);
      for (const [key, verdict] of verdicts.entries()) {
        const [namespace = '', name = ''] = key.split('/');
        const hardware = view.hardwareNamed(namespace, name);
        if (hardware !== undefined) take(hardware, verdict);
      }
      const sending = webhooks.run(signal);
      doctor.onReadAll(() => {
        for (const undelivered of undeliveredOf(deps, doctor)) webhooks.send(undelivered);
      });
      signal.addEventListener('abort', () => {
        unlisten();
        void Promise.all([sending, ...writing]).then(() => markStopped());
      });
      return Promise.resolve();
    },
  };
}

interface Changed {
  readonly hardware: Hardware;
  readonly verdict: Verdict;
  readonly webhooks: Webhooks | undefined;
}

/** Writes the condition first. Of several that try, the one whose write succeeds reports. */
async function report(deps: DoctorDeps, { hardware, verdict, webhooks }: Changed): Promise<void> {
  const { store, clock, journal } = deps;
  const time = new Date(clock.nowMs()).toISOString();
  const updated = await hardwareCollection.update<'reported'>(store, hardware.metadata, (object) => {
    const condition = conditionFor(shownBy(object), verdict);
    if (condition === undefined) return { refusal: 'reported' };
    const others = (object.status?.conditions ?? []).filter(({ type }) => type !== BOOT_CONDITION);
    const lastTransitionTime = time.replace(/\.\d+Z$/, 'Z');
    // In `[...others, it]` V8 keeps room for 16 more, for each Hardware.
    const conditions = others.concat({ ...condition, lastTransitionTime });
    return { object: { ...object, status: { ...object.status, conditions } } };
  });
  if (!updated.ok) {
    if (updated.kind === 'unavailable') throw new Error(updated.message);
    return;
  }
  const isStopped = verdict.state === 'stopped';
  // A machine that never stood still has not recovered.
  if (!isStopped && shownBy(updated.before)?.status !== 'False') return;
  const { namespace, name } = hardware.metadata;
  const [machine] = macsOf(hardware);
  const event = isStopped ? 'boot-stopped' : 'boot-recovered';
  const id = `${namespace}/${name}/${verdict.cause ?? 'recovered'}/${clock.nowMs()}`;
  const sent: Report = {
    id,
    event,
    time,
    machine: { namespace, name, macs: macsOf(hardware) },
    verdict: shownVerdict(verdict),
  };
  journal.append({
    source: 'server',
    event,
    ...(machine === undefined ? {} : { machine }),
    message: verdict.text,
    details: {
      id,
      ...(verdict.cause === undefined ? {} : { cause: verdict.cause }),
      ...(webhooks === undefined ? {} : { report: JSON.stringify(sent) }),
    },
  });
  webhooks?.send(sent);
}

function shownBy({ status }: Hardware): HardwareCondition | undefined {
  return status?.conditions?.find(({ type }) => type === BOOT_CONDITION);
}

/** Returns the new condition, or undefined if the shown one is right. A machine that boots again has not recovered yet. */
function conditionFor(shown: HardwareCondition | undefined, verdict: Verdict): HardwareCondition | undefined {
  switch (verdict.state) {
    case 'stopped': {
      const reason = reasonOf(verdict.cause ?? 'unknown');
      if (shown?.status === 'False' && shown.reason === reason) return undefined;
      const message = [verdict.text, ...verdict.advice].join(' ').slice(0, MESSAGE_MAX).toWellFormed();
      return { type: BOOT_CONDITION, status: 'False', reason, message };
    }
    case 'healthy':
    case 'working':
      if (shown?.status === 'True') return undefined;
      return { type: BOOT_CONDITION, status: 'True', reason: 'Booted', message: verdict.text };
    case 'booting':
    case 'unseen':
      return undefined;
    default:
      return verdict.state satisfies never;
  }
}

/** `tftp-blocked` -> `TftpBlocked` */
export function reasonOf(cause: string): string {
  return cause.replaceAll(/(^|-)([a-z0-9])/g, (_, _dash, letter: string) => letter.toUpperCase());
}

/** Reports of the last hour of which no delivery is recorded: the server ended before it could send them. */
function undeliveredOf({ clock }: DoctorDeps, doctor: Doctor): readonly Report[] {
  const records = doctor.reported();
  const delivered = new Set(
    records.filter(({ event }) => event === 'webhook-delivered').map(({ details }) => details?.['id']),
  );
  return records
    .filter(({ atMs, details }) => !delivered.has(details?.['id']) && clock.nowMs() - atMs <= GIVE_UP_MS)
    .flatMap(({ details }) => reportIn(String(details?.['report'] ?? '')) ?? []);
}
