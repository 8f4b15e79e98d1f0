import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  noTracer,
  type HttpContext,
  type ApiRoute,
  type HttpRoute,
  type Service,
} from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import { createHttpFront } from './http-front.ts';
import { createReadiness, servicesChecks } from './readiness.ts';
import { createRequestCounts } from '../metrics/request-counts.ts';

function front(routes: readonly HttpRoute[], apiAnonymous: 'none' | 'everyone' = 'none', tracer = noTracer) {
  const service: Service = {
    name: 'some',
    routes,
    start: () => Promise.resolve(),
    stopped: () => Promise.resolve(),
    health: () => ({ ready: true }),
  };
  const readiness = createReadiness(nodeClock, servicesChecks([service]));
  const requests = createRequestCounts();
  const process = { text: () => Promise.resolve('') };
  const handler = createHttpFront({
    services: [service],
    readiness,
    apiAnonymous,
    apiAnonymousHosts: [],
    clock: nodeClock,
    measured: { requests, process, others: [] },
    history: { answer: () => new Response('the last hour') },
    tracing: { tracer, view: { hardwareByIp: () => [] } },
    uptimeSeconds: () => 0,
  });
  const context: HttpContext = {
    peer: { address: '10.1.0.2', port: 1 },
    localAddress: '10.1.0.1',
    signal: new AbortController().signal,
  };
  return (path: string, init?: RequestInit) =>
    handler(new Request(`http://10.1.0.1:7080${path}`, init), context);
}

const answers = { handle: () => Promise.resolve(new Response('answered')) };

test('routes with access `api` reject callers without a credential, whatever their names', async () => {
  const ask = front([
    { name: 'api', access: 'api', prefix: '/api', ...answers },
    {
      name: 'other',
      access: 'api',
      prefix: '/v1/',
      ...answers,
      rejection: (message, status = 403) => new Response(`no: ${message}`, { status }),
    },
    { name: 'images', access: 'public', prefix: '/images/', ...answers },
    { name: 'api', access: 'machine', prefix: '/boot/', ...answers },
  ]);
  const kubernetes = await ask('/api/v1');
  assert.equal(((await kubernetes.json()) as { reason: string }).reason, 'Unauthorized');
  assert.equal(kubernetes.headers.get('www-authenticate'), 'Bearer realm="tinkerbell"');
  const own = await ask('/v1/jobs');
  assert.equal(own.status, 401);
  assert.match(
    await own.text(),
    /^no: the API requires a token or a client certificate, and 10\.1\.0\.2 sent none/,
  );
  for (const open of ['/images/a', '/boot/a']) assert.equal(await (await ask(open)).text(), 'answered');
});

test('public paths of a route need no credential for reading, but for writing', async () => {
  const ask = front([
    { name: 'api', access: 'api', prefix: '/api', ...answers, isPublic: (path) => path === '/api' },
  ]);
  assert.equal(await (await ask('/api')).text(), 'answered');
  assert.equal((await ask('/api/v1/secrets')).status, 401);
  assert.equal((await ask('/api', { method: 'POST' })).status, 401);
});

test('a route can answer other methods than reads without a credential', async () => {
  const open = { access: 'api', ...answers, isPublic: () => true, publicMethods: ['POST'] } as const;
  const ask = front([{ name: 'peers', prefix: '/v1/peers', ...open }]);
  assert.equal(await (await ask('/v1/peers', { method: 'POST' })).text(), 'answered');
  for (const method of ['GET', 'PUT']) assert.equal((await ask('/v1/peers', { method })).status, 401);
});

test('a route is notified of callers that the front rejected', async () => {
  const heard: string[] = [];
  const onRejected: ApiRoute['onRejected'] = ({ method }, { peer }, status) =>
    void heard.push(`${method} ${peer.address} ${status}`);
  const ask = front([{ name: 'api', access: 'api', prefix: '/api', ...answers, onRejected }]);
  await ask('/api/v1');
  assert.deepEqual(heard, ['GET 10.1.0.2 401']);
});

test('an open API answers everybody', async () => {
  const ask = front([{ name: 'api', access: 'api', prefix: '/v1/', ...answers }], 'everyone');
  assert.equal(await (await ask('/v1/jobs')).text(), 'answered');
});

test('answers probes, briefly or with details', async () => {
  const ask = front([]);
  assert.equal(await (await ask('/readyz')).text(), 'ok');
  assert.equal(
    await (await ask('/readyz?verbose')).text(),
    '[+]some ok\n[+]shutdown ok\nreadyz check passed\n',
  );
  assert.equal(await (await ask('/healthz?verbose')).text(), '[+]ping ok\nhealthz check passed\n');
});

test('counts answers by route, never by path, and a request passed to another route only once', async () => {
  const ask = front([
    { name: 'shy', access: 'public', prefix: '/', handle: () => Promise.resolve(undefined) },
    { name: 'images', access: 'public', prefix: '/images/', ...answers },
    { name: 'broken', access: 'public', prefix: '/broken', handle: () => Promise.reject(new Error('bug')) },
  ]);
  for (const path of ['/images/a', '/images/b', '/nothing']) await ask(path);
  await assert.rejects(async () => ask('/broken'), /bug/);
  const text = await (await ask('/http/metrics')).text();
  const values = text.split('\n').filter((line) => /_(total|count|in_progress)\{/.test(line));
  const took = 'http_server_request_duration_seconds_count';
  assert.deepEqual(values, [
    'http_server_requests_total{method="GET",status_code="200"} 2',
    'http_server_requests_total{method="GET",status_code="404"} 1',
    'http_server_requests_total{method="GET",status_code="500"} 1',
    'http_server_requests_in_progress{route="shy"} 0',
    'http_server_requests_in_progress{route="images"} 0',
    'http_server_requests_in_progress{route="server"} 0',
    'http_server_requests_in_progress{route="broken"} 0',
    `${took}{route="images",method="GET",status_code="200"} 2`,
    `${took}{route="server",method="GET",status_code="404"} 1`,
    `${took}{route="broken",method="GET",status_code="500"} 1`,
  ]);
  assert.match(text, /^# HELP http_server_requests_total .+\n# TYPE http_server_requests_total counter\n/);
});

test('counts routes that answer in the same turn as those that wait', async () => {
  const ask = front([
    { name: 'shy', access: 'public', prefix: '/', handle: () => undefined },
    { name: 'prompt', access: 'public', prefix: '/prompt', handle: () => new Response('answered') },
    {
      name: 'broken',
      access: 'public',
      prefix: '/broken',
      handle: () => {
        throw new Error('bug');
      },
    },
  ]);
  const response = ask('/prompt');
  assert.ok(response instanceof Response, 'it is there without a promise');
  await assert.rejects(async () => ask('/broken'), /bug/);
  const text = await (await ask('/http/metrics')).text();
  const values = text.split('\n').filter((line) => /_(total|in_progress)\{/.test(line));
  assert.deepEqual(values, [
    'http_server_requests_total{method="GET",status_code="200"} 1',
    'http_server_requests_total{method="GET",status_code="500"} 1',
    'http_server_requests_in_progress{route="shy"} 0',
    'http_server_requests_in_progress{route="prompt"} 0',
    'http_server_requests_in_progress{route="broken"} 0',
  ]);
});
