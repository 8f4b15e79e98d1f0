import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { createMetadataMetrics } from './metrics.ts';
import { createRequestTimeline } from './request-timeline.ts';

test('an address without Hardware is logged once a minute, whatever it requests', () => {
  const told: unknown[] = [];
  const log: Log = {
    debug() {},
    info: (_message, fields) => told.push(fields?.['address']),
    warn() {},
    error() {},
    child: () => log,
  };
  let nowMs = 0;
  const timeline = createRequestTimeline(
    { journal: { append() {} }, clock: { monotonicMs: () => nowMs }, log },
    createMetadataMetrics(new MetricSet()),
  );
  const ask = (address: string) => {
    const search = { ok: false, outcome: 'machine-unknown' } as const;
    const visitor = { address, origin: 'socket', isLocal: false, search } as const;
    for (const kind of ['meta-data', 'user-data', 'meta-data'] as const)
      timeline.record({ kind, outcome: 'machine-unknown' }, { path: '/', visitor });
  };
  ask('192.0.2.1');
  ask('192.0.2.2');
  nowMs = 60_000;
  ask('192.0.2.1');
  assert.deepEqual(told, ['192.0.2.1', '192.0.2.2', '192.0.2.1']);
});
