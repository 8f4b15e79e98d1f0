/**
 * Creates Kubernetes Events from the timelines. Writers of timelines do not know about Events and never wait for one. The service
 * runs on each server with its own journal, and on one of several servers that share a journal.
 */
import { repeat, type Service } from '@tinkerbell/platform-contract';
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
  /** True if this service must delete old Events. In a cluster, its API server does. */
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
      deps.log.warn('cannot delete old events', { error: String(thrown) });
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
      if (sweeps) repeat(deps.clock, { everyMs: SWEEP_EVERY_MS, signal }, () => (sweeping = sweep()));
      signal.addEventListener('abort', () => {
        unfollow();
        void Promise.all([writer.idle(), sweeping]).then(() => markStopped());
      });
      return Promise.resolve();
    },
  };
}

/** Returns the workflow of a record, else the Hardware that owns the MAC of its machine. */
function objectsOf(view: View, { workflow, machine, event }: JournalRecord): readonly Resource[] {
  const [namespace = '', name = ''] = (workflow ?? '').split('/');
  const found = workflow === undefined ? undefined : view.workflowNamed(namespace, name);
  if (found !== undefined) return [found];
  if (machine === undefined) return [];
  return event === 'machine-unknown' ? [hardwareToBe(machine)] : view.hardwareByMac(machine);
}

/** The Event needs an object. For an unknown machine, this is the future Hardware, named as `tink hardware accept` will name it. */
function hardwareToBe(mac: string): Resource {
  const name = `machine-${mac.replaceAll(':', '-')}`;
  return {
    apiVersion: apiVersionOf(hardwareKind),
    kind: 'Hardware',
    metadata: { name, namespace: 'default' },
  };
}
