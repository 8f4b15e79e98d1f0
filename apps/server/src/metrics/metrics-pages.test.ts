import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { metricsPage, type Measured } from './metrics-pages.ts';

test('requests at the same time share one text, and later ones get a new one', async () => {
  let asked = 0;
  const set = new MetricSet();
  const measured = {
    services: [],
    requests: { jobs: set, all: set },
    process: { text: () => Promise.resolve(`asked ${++asked}\n`) },
    others: [],
  } as unknown as Measured;
  const textNow = async () => (await metricsPage('/metrics', measured))?.text();
  assert.deepEqual(await Promise.all([textNow(), textNow(), textNow()]), [
    'asked 1\n',
    'asked 1\n',
    'asked 1\n',
  ]);
  assert.equal(await textNow(), 'asked 2\n');
  assert.equal(metricsPage('/other/metrics', measured), undefined);
});
