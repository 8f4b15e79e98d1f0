import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectorUrl } from './open-tracer.ts';

const none = { endpoint: '', isInsecure: false };

test('the collector is that of the flag, else that of the environment, else nobody', () => {
  assert.equal(collectorUrl(none, {}), undefined);
  assert.equal(collectorUrl({ endpoint: 'otel:4317', isInsecure: true }, {}), 'http://otel:4317');
  assert.equal(collectorUrl({ endpoint: 'otel:4317', isInsecure: false }, {}), 'https://otel:4317');
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4317' };
  assert.equal(collectorUrl(none, environment), 'http://c:4317');
  assert.equal(collectorUrl({ ...none, endpoint: 'https://d' }, environment), 'https://d');
});

test('names where a wrong one stands', () => {
  assert.throws(() => collectorUrl({ ...none, endpoint: 'a b' }, {}), /--otel-endpoint must be .*"a b"/);
  assert.throws(
    () => collectorUrl(none, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://' }),
    /OTEL_EXPORTER_OTLP_ENDPOINT must be/,
  );
});
