import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricSet, metricsText, samplesOf } from './index.ts';

test('counters, gauges and histograms are shown in the order of their declaration', () => {
  const set = new MetricSet();
  const ignored = set.counter('dhcp_ignored_total', 'packets that were not answered', ['reason']);
  const waiting = set.gauge('waiting', 'calls that wait');
  const took = set.histogram('took_seconds', 'until the answer', {
    labels: ['route', 'code'],
    bounds: [0.1, 1],
  });
  set.counter('unused_total', 'never counted');
  ignored.add({ reason: 'no-hardware' });
  ignored.add({ reason: 'no-hardware' }, 2);
  ignored.add({ reason: 'disabled' }, 0);
  waiting.set({}, 3);
  waiting.add({}, -1);
  for (const seconds of [0.05, 0.1, 0.5, 7]) took.observe({ route: 'api', code: '200' }, seconds);
  assert.equal(
    metricsText(set.families()),
    `# HELP dhcp_ignored_total packets that were not answered
# TYPE dhcp_ignored_total counter
dhcp_ignored_total{reason="no-hardware"} 3
dhcp_ignored_total{reason="disabled"} 0
# HELP waiting calls that wait
# TYPE waiting gauge
waiting 2
# HELP took_seconds until the answer
# TYPE took_seconds histogram
took_seconds_bucket{route="api",code="200",le="0.1"} 2
took_seconds_bucket{route="api",code="200",le="1"} 3
took_seconds_bucket{route="api",code="200",le="+Inf"} 4
took_seconds_sum{route="api",code="200"} 7.65
took_seconds_count{route="api",code="200"} 4
`,
  );
});

test('a family is read from its source when the text is created', () => {
  const set = new MetricSet();
  let open = 1;
  set.gauge('streams', 'open streams').from(() => open);
  set.gauge('healthy', 'health', ['endpoint']).from(() => [[{ endpoint: 'a' }, open]]);
  open = 5;
  assert.match(metricsText(set.families()), /^streams 5$/m);
  assert.match(metricsText(set.families()), /^healthy\{endpoint="a"\} 5$/m);
});

test('label values and help are escaped, and the same values of other labels are other combinations', () => {
  const set = new MetricSet();
  const requests = set.counter('requests_total', 'a \\ and\na line', ['route', 'code']);
  requests.add({ route: 'a"b\\c\nd', code: 'x' });
  requests.add({ route: 'a', code: 'b' });
  requests.add({ route: 'ab', code: '' });
  assert.equal(
    metricsText(set.families()),
    String.raw`# HELP requests_total a \\ and\na line
# TYPE requests_total counter
requests_total{route="a\"b\\c\nd",code="x"} 1
requests_total{route="a",code="b"} 1
requests_total{route="ab"} 1
`,
  );
});

test('a combination is counted separately, and shown with zero before', () => {
  const set = new MetricSet();
  const total = set.counter('total', 'counted', ['op', 'type']);
  const [sent, received] = [total.with({ op: 'send', type: 'a' }), total.with({ op: 'recv', type: 'a' })];
  sent.add();
  total.add({ op: 'send', type: 'a' }, 2);
  assert.deepEqual(samplesOf(set), {
    'total{op="send",type="a"}': 3,
    'total{op="recv",type="a"}': 0,
  });
  received.add(4);
  const open = set.gauge('open', 'open').with();
  open.set(5);
  open.add(-1);
  const took = set.histogram('took', 'time', { labels: ['route'], bounds: [1] });
  took.with({ route: 'a' }).observe(0.5);
  took.observe({ route: 'a' }, 2);
  const samples = samplesOf(set);
  assert.equal(samples['total{op="recv",type="a"}'], 4);
  assert.equal(samples['open'], 4);
  assert.equal(samples['took_bucket{route="a",le="1"}'], 1);
  assert.equal(samples['took_count{route="a"}'], 2);
});

test('a metric that several services declare is one family', () => {
  const [first, second] = [new MetricSet(), new MetricSet()];
  for (const [set, prefix] of [
    [first, '/images/'],
    [second, '/hook/'],
  ] as const) {
    set.counter('files_total', 'files', ['prefix']).add({ prefix });
    set.gauge('other', 'other', ['prefix']).set({ prefix }, 2);
  }
  assert.equal(
    metricsText([...first.families(), ...second.families()]),
    `# HELP files_total files
# TYPE files_total counter
files_total{prefix="/images/"} 1
files_total{prefix="/hook/"} 1
# HELP other other
# TYPE other gauge
other{prefix="/images/"} 2
other{prefix="/hook/"} 2
`,
  );
});

test('a histogram can be shown before its first value, and non-finite numbers are spelled out', () => {
  const set = new MetricSet();
  set.histogram('took', 'time', { bounds: [1] }).with();
  set.gauge('odd', 'odd').set({}, Infinity);
  assert.match(metricsText(set.families()), /^took_count 0$/m);
  assert.match(metricsText(set.families()), /^odd \+Inf$/m);
});

test('a family keeps a bounded number of combinations', () => {
  const set = new MetricSet();
  const hits = set.counter('hits_total', 'hits', ['who']);
  for (let who = 0; who < 6000; who += 1) hits.add({ who: String(who) });
  hits.with({ who: 'one more' }).add();
  assert.equal([...hits.samples()].length, 5000);
});

test('two declarations of one name are an error', () => {
  const set = new MetricSet();
  set.counter('a_total', 'a');
  assert.throws(() => set.gauge('a_total', 'a'), /declared twice/);
});
