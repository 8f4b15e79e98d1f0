/** Calls of gRPC that repeat earlier ones of their connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import {
  connect,
  createServer,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { createTokenSigner, newSigningKey } from '@tinkerbell/platform-jwt';
import type { Log, LogFields } from '@tinkerbell/platform-contract';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { nodeClock } from '@tinkerbell/platform-node';
import { startGateway } from './testing/gateway-bench.ts';

/** More than a connection has before anything is kept. */
const MANY = 20;
const upstream = createServer();
const seen: IncomingHttpHeaders[] = [];
let port = 0;

before(async () => {
  upstream.on('stream', (one, headers) => {
    const stream = one as ServerHttp2Stream;
    seen.push(headers);
    stream.on('error', () => undefined);
    if (headers['x-do'] === 'reset') stream.close(2);
    if (headers['x-do'] !== undefined) return;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.pipe(stream);
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  ({ port } = upstream.address() as AddressInfo);
});

after(() => upstream.close());

/** Keeps the fields of each request. */
function keptLog(lines: LogFields[], own: LogFields = {}): Log {
  const add = (message: string, fields: LogFields = {}): void => {
    if (message === 'request') lines.push({ ...own, ...fields });
  };
  return {
    debug: add,
    info: add,
    warn: add,
    error: add,
    child: (fields) => keptLog(lines, { ...own, ...fields }),
  };
}

async function scene(context: TestContext, middlewares = '') {
  const lines: LogFields[] = [];
  const routes = (more: string): string =>
    `listeners: [{name: web, address: 127.0.0.1, port: 0}]
routes: [{name: r, ${more}upstream: {protocol: h2c, endpoints: "127.0.0.1:${port}"}}]\n`;
  const bench = await startGateway(routes(middlewares), nodeClock, { log: keptLog(lines) });
  const client = connect(`http://127.0.0.1:${bench.gateway.portOf('web')}`);
  client.on('error', () => undefined);
  await once(client, 'connect');
  seen.length = 0;
  context.after(async () => {
    client.destroy();
    await bench[Symbol.asyncDispose]();
  });
  return { lines, bench, client, use: (more: string) => bench.use(routes(more)) };
}

/** Its route needs a token. `fields` has one. */
async function securedScene(context: TestContext) {
  const issuer = 'https://id.example';
  const signer = await createTokenSigner({ key: await newSigningKey(), issuer, clock: nodeClock });
  const { use, ...rest } = await scene(context);
  const file = join(rest.bench.folder, 'jwks.json');
  writeFileSync(file, JSON.stringify(signer.publicKeys));
  await use(`middlewares: {validateJwt: {issuer: "${issuer}", jwksFile: ${file}, audiences: [a]}}, `);
  const fields = { authorization: `Bearer ${await signer.sign({ aud: 'a', sub: 'me' }, 600)}` };
  return { ...rest, fields };
}

interface Answer {
  readonly body: string;
  readonly status: unknown;
}

function begin(client: ClientHttp2Session, fields: Record<string, string> = {}) {
  const own = { 'content-type': 'application/grpc', te: 'trailers', ...fields };
  const stream = client.request({ ':method': 'POST', ':path': '/a.B/Echo?q=1', ...own });
  stream.on('error', () => undefined);
  return stream;
}

async function call(client: ClientHttp2Session, fields?: Record<string, string>): Promise<Answer> {
  const stream = begin(client, fields);
  const answer: { body: string; status: unknown } = { body: '', status: undefined };
  for (const event of ['response', 'trailers'])
    stream.on(event, (headers: IncomingHttpHeaders) => (answer.status = headers['grpc-status']));
  stream.setEncoding('utf8').on('data', (text: string) => void (answer.body += text));
  stream.end('hello');
  await once(stream, 'close');
  return answer;
}

async function calls(client: ClientHttp2Session, count: number, fields?: Record<string, string>) {
  const statuses: unknown[] = [];
  for (let index = 0; index < count; index += 1) statuses.push((await call(client, fields)).status);
  return statuses;
}

const all = (status: string): string[] => Array.from({ length: MANY }, () => status);

test('each is forwarded like the first one, in a trace of its own', async (context) => {
  const { client, lines, bench } = await scene(context);
  for (let index = 0; index < MANY; index += 1)
    assert.deepEqual(await call(client), { body: 'hello', status: '0' });
  const traces = seen.map((headers) => headers['traceparent']);
  assert.equal(new Set(traces).size, MANY);
  for (const trace of traces) assert.match(String(trace), /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  const [first, last] = [seen[0], seen.at(-1)].map((headers) => ({ ...headers, traceparent: '' }));
  assert.deepEqual(last, first);
  while (lines.length < MANY) await new Promise(setImmediate);
  const plain = lines.map((fields) => ({ ...fields, ms: 0, trace: '' }));
  for (const line of plain) assert.deepEqual(line, plain[0]);
  assert.deepEqual(
    lines.map(({ trace }) => trace),
    traces.map((trace) => String(trace).slice(3, 35)),
  );
  assert.equal(samplesOf(bench.gateway.metrics)['gateway_requests_total{route="r",code="200"}'], MANY);
  assert.equal(samplesOf(bench.gateway.metrics)['gateway_request_seconds_count{route="r"}'], MANY);
});

test('a trace of the client continues', async (context) => {
  const { client } = await scene(context);
  const fields = { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` };
  assert.deepEqual(await calls(client, MANY, fields), all('0'));
  for (const { traceparent } of seen) assert.match(String(traceparent), /^00-1{32}-(?!2{16})\w{16}-01$/);
});

test('a new route file concerns them at once', async (context) => {
  const { client, use } = await scene(context);
  await calls(client, MANY);
  await use('middlewares: {headers: {request: {x-new: "1"}}}, ');
  await calls(client, MANY);
  assert.deepEqual(
    seen.map((headers) => headers['x-new']),
    [...all('').map(() => undefined), ...all('1')],
  );
  await use('match: {host: other.example.org}, ');
  assert.deepEqual(await calls(client, MANY), all('12'));
});

test('limits of rate and concurrency hold for them', async (context) => {
  const limits = 'middlewares: {rateLimit: {average: 1, burst: 15}, maxConnections: 1}, ';
  const { client, bench } = await scene(context, limits);
  const statuses = await calls(client, MANY);
  assert.ok(statuses.slice(0, 15).every((status) => status === '0'));
  assert.ok(
    statuses.slice(16).every((status) => status === '8'),
    statuses.join(' '),
  );
  assert.ok(
    (samplesOf(bench.gateway.metrics)['gateway_refused_total{route="r",reason="rate-limited"}'] ?? 0) >= 4,
  );
});

test('a call that the client has left frees its place', async (context) => {
  const { client, bench, lines } = await scene(context, 'middlewares: {maxConnections: 1}, ');
  const waiting = { 'x-do': 'wait' };
  for (let index = 1; index <= MANY; index += 1) {
    const stream = begin(client, waiting);
    while (seen.length < index) await new Promise(setImmediate);
    stream.close(8);
    while (lines.length < index) await new Promise(setImmediate);
  }
  const samples = samplesOf(bench.gateway.metrics);
  assert.equal(samples['gateway_requests_total{route="r",code="499"}'], MANY);
  assert.equal(samples['gateway_refused_total{route="r",reason="client-gone"}'], MANY);
});

test('a call that the upstream resets is refused and counted', async (context) => {
  const { client, bench } = await scene(context);
  assert.deepEqual(await calls(client, MANY, { 'x-do': 'reset' }), all('14'));
  const samples = samplesOf(bench.gateway.metrics);
  assert.equal(samples['gateway_requests_total{route="r",code="502"}'], MANY);
  assert.equal(samples[`gateway_upstream_failures_total{endpoint="127.0.0.1:${port}"}`], MANY);
});

test('who has proven an identity does not wait behind requests without one', async (context) => {
  const { client, bench, lines, fields } = await securedScene(context);
  assert.deepEqual(await calls(client, MANY, fields), all('0'));
  const flood = connect(`http://127.0.0.1:${bench.gateway.portOf('web')}`);
  flood.on('error', () => undefined);
  await once(flood, 'connect');
  lines.length = 0;
  const refused = Array.from({ length: 1900 }, () => once(begin(flood).resume().end(), 'close'));
  while (lines.length < 100) await new Promise(setImmediate);
  assert.deepEqual(await call(client, fields), { body: 'hello', status: '0' });
  const before = lines.findIndex(({ status }) => status === 200);
  // 141, and 388 for a call that waits for its turn.
  assert.ok(before < 250, `${before} requests without a token were refused first`);
  await Promise.all(refused);
  flood.destroy();
});

test('a token that no longer holds is refused', async (context) => {
  const issuer = 'https://id.example';
  const [old, fresh] = [await newSigningKey(), await newSigningKey()];
  const signers = [];
  for (const key of [old, fresh]) signers.push(await createTokenSigner({ key, issuer, clock: nodeClock }));
  const { client, bench, use } = await scene(context);
  const file = join(bench.folder, 'jwks.json');
  const secured = `middlewares: {validateJwt: {issuer: "${issuer}", jwksFile: ${file}, audiences: [a], claimsToHeaders: {sub: x-user}}}, `;
  writeFileSync(file, JSON.stringify(signers[0]?.publicKeys));
  await use(secured);
  const token = await signers[0]?.sign({ aud: 'a', sub: 'me' }, 600);
  const fields = { authorization: `Bearer ${token}` };
  assert.deepEqual(await calls(client, MANY, fields), all('0'));
  assert.ok(seen.every((headers) => headers['x-user'] === 'me'));
  assert.deepEqual(await calls(client, MANY), all('16'));
  writeFileSync(file, JSON.stringify(signers[1]?.publicKeys));
  await use(secured);
  assert.deepEqual(await calls(client, MANY, fields), all('16'));
});

test('beside calls with a token, requests without one begin one at a time', async (context) => {
  const { bench, client, fields } = await securedScene(context);
  const refused = (): number =>
    samplesOf(bench.gateway.metrics)['gateway_refused_total{route="r",reason="token-missing"}'] ?? 0;
  /** Returns the most of a hundred requests in one packet that began in one turn of the event loop. */
  const mostInOneTurn = async (): Promise<number> => {
    const other = connect(`http://127.0.0.1:${bench.gateway.portOf('web')}`);
    const before = refused();
    for (let index = 0; index < 100; index += 1) begin(other).end();
    let most = 0;
    for (let last = before; last < before + 100;) {
      await new Promise(setImmediate);
      const now = refused();
      most = Math.max(most, now - last);
      last = now;
    }
    other.destroy();
    return most;
  };
  assert.equal(await mostInOneTurn(), 8);
  assert.deepEqual(await calls(client, MANY, fields), all('0'));
  assert.equal(await mostInOneTurn(), 1);
});
