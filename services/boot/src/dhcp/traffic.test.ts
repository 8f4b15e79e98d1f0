import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageType } from '@tinkerbell/dhcp';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import { createBootMetrics } from '../metrics.ts';
import { DhcpTraffic } from './traffic.ts';

test('counts by direction and type, and counts an invalid type as unknown', () => {
  const set = new MetricSet();
  const traffic = new DhcpTraffic(createBootMetrics(set));
  traffic.received(messageType.discover);
  for (const type of [undefined, 0, 9, 255]) traffic.received(type);
  traffic.sent(messageType.offer);
  const counted = Object.entries(samplesOf(set)).filter(([, value]) => value > 0);
  assert.deepEqual(counted, [
    ['dhcp_total{op="recv",type="unknown"}', 4],
    ['dhcp_total{op="recv",type="DHCPDISCOVER"}', 1],
    ['dhcp_total{op="send",type="DHCPOFFER"}', 1],
    ['discover_total{from="dhcp"}', 5],
  ]);
});
