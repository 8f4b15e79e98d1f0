/**
 * Kubernetes Events of what happens, made from the timelines: whoever writes a timeline knows nothing of them and never waits for
 * one. Runs where the timelines are seen: on one of several servers that share a journal, on each that has its own.
 */
import type { Service } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { apiVersionOf, hardwareKind, type Resource } from '@tinkerbell/resources';
import type { Journal, JournalRecord, View } from '@tinkerbell/store-contract';
import { componentOf, recordedEvents, wordsOf } from './event-table.ts';
import { EventWriter, type EventWriterDeps } from './event-writer.ts';
import { createEventsMetrics } from '../metrics.ts';
import { sweepEvents } from './sweep-events.ts';

export interface EventsDeps extends EventWriterDeps {
  readonly view: View;
  readonly journal: Journal;
}

export interface EventsConfig {
  /** True where nobody else deletes old Events; a cluster's API server does. */
  readonly sweeps: boolean;
}

const SWEEP_EVERY_MS = 300_000;

export function createEventsService(deps: EventsDeps, { sweeps }: EventsConfig): Service {
  const set = new MetricSet();
  const writer = new EventWriter(deps, createEventsMetrics(set));
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>();
  let sweeping = Promise.resolve();

  function take(record: JournalRecord): void {
    const words = wordsOf(record);
    if (words === undefined) return;
    const { message, source } = record;
    for (const object of objectsOf(deps.view, record))
      writer.record({ object, message, component: componentOf(source), ...words });
  }

  async function sweep(): Promise<void> {
    try {
      await sweepEvents(deps.store, deps.clock.nowMs());
    } catch (thrown) {
      deps.log.warn('old events are not deleted', { error: String(thrown) });
    }
  }

  return {
    name: 'events',
    routes: [],
    metrics: set,
    stopped: () => stopped,
    health: () => ({ ready: true }),
    start(signal) {
      const unfollow = deps.journal.follow({ events: recordedEvents }, take);
      let cancel = (): void => undefined;
      const sweepLater = (): void => {
        cancel = deps.clock.schedule(SWEEP_EVERY_MS, () => {
          sweeping = sweep();
          sweepLater();
        });
      };
      if (sweeps) sweepLater();
      signal.addEventListener('abort', () => {
        unfollow();
        cancel();
        void Promise.all([writer.idle(), sweeping]).then(() => markStopped());
      });
      return Promise.resolve();
    },
  };
}

/** The workflow that a record is about, else the Hardware that owns the MAC of its machine. */
function objectsOf(view: View, { workflow, machine, event }: JournalRecord): readonly Resource[] {
  const [namespace = '', name = ''] = (workflow ?? '').split('/');
  const found = workflow === undefined ? undefined : view.workflowNamed(namespace, name);
  if (found !== undefined) return [found];
  if (machine === undefined) return [];
  return event === 'machine-unknown' ? [hardwareToBe(machine)] : view.hardwareByMac(machine);
}

/** An Event is about an object: here about the Hardware that is not there yet, under the name that `tink hardware accept` gives it. */
function hardwareToBe(mac: string): Resource {
  const name = `machine-${mac.replaceAll(':', '-')}`;
  return {
    apiVersion: apiVersionOf(hardwareKind),
    kind: 'Hardware',
    metadata: { name, namespace: 'default' },
  };
}
