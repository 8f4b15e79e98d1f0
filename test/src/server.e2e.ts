/** Tests the server as an operator uses it: start, wrong flags, kill, start again. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { documentedMetrics, shownMetrics, undocumented } from './metrics-reference.ts';
import { startServer, type ServerChild } from './start-server.ts';

const path = '/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware';
const hardware = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'h' },
  spec: {},
};

function post({ url, request }: ServerChild, body: object): Promise<Response> {
  return request(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

test('keeps what it acknowledged when it is killed', async () => {
  const first = await startServer();
  assert.equal((await post(first, hardware)).status, 201);
  await first.kill();
  await using second = await startServer({ dataDirectory: first.dataDirectory });
  assert.equal((await second.request(`${second.url}${path}/h`)).status, 200);
});

test('reports that a data folder is in use, and the flag to choose another', async () => {
  await using server = await startServer();
  await assert.rejects(
    startServer({ dataDirectory: server.dataDirectory }),
    /in use by another tinkerbell; stop it, or set another folder with --data-dir/,
  );
});

test('names the port in use, its holder and the flag', async () => {
  await using server = await startServer();
  const { port } = new URL(server.url);
  for (const flag of ['--http-port', '--tink-server-bind-port'])
    await assert.rejects(
      startServer({ flags: [flag, port] }),
      new RegExp(
        `TCP port ${port} is in use by \\S+ \\(process ${server.pid}\\); choose another with ${flag}`,
      ),
    );
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port: number } = socket.address();
  await assert.rejects(
    startServer({ flags: ['--syslog-enabled=true', `--syslog-bind-port=${number}`] }),
    new RegExp(
      `UDP port ${number} is in use by \\S+ \\(process ${process.pid}\\); choose another with --syslog-bind-port`,
    ),
  );
  socket.close();
});

test('names wrong flags and values', async () => {
  await assert.rejects(
    startServer({ flags: ['--htp-port', '1'] }),
    /unknown flag --htp-port; did you mean --http-port\?/,
  );
  await assert.rejects(
    startServer({ flags: ['--http-port', 'x'] }),
    /--http-port must be a whole number from 0 to 65535, not "x"/,
  );
  await assert.rejects(startServer({ flags: ['--dhcp-mode', 'proxi'] }), /--dhcp-mode must be reservation/);
});

test('is healthy, ready, and counts', async () => {
  await using server = await startServer();
  assert.equal(await (await fetch(`${server.url}/healthz`)).text(), 'ok');
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  const verbose = await (await fetch(`${server.url}/readyz?verbose`)).text();
  assert.match(verbose, /^\[\+\]store ok\n\[\+\]view ok\n(\[\+\]\w+ ok\n)+readyz check passed\n$/);
  assert.equal((await fetch(`${server.url}/nothing`)).status, 404);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  assert.match(metrics, /http_server_requests_total\{method="GET",status_code="404"\} 1\n/);
  const samples = metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const lines = samples.map((line) => line.slice(0, line.lastIndexOf(' ')));
  assert.equal(new Set(lines).size, lines.length, 'each metric once');
  const families = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  assert.equal(new Set(families).size, families.length, 'each family once');
});

test('shows the metrics that the reference lists, with their types and labels, on the pages that it names', async () => {
  await using server = await startServer();
  await fetch(`${server.url}/nothing`);
  const reference = documentedMetrics();
  const all = [...reference.values()].flatMap((families) => [...families]);
  for (const page of ['/smee/metrics', '/tink-server/metrics', '/controllers/metrics', '/http/metrics']) {
    const shown = shownMetrics(await (await fetch(`${server.url}${page}`)).text());
    assert.notDeepEqual(shown, [], page);
    assert.deepEqual(undocumented(shown, new Map(reference.get(page))), [], page);
  }
  const shown = shownMetrics(await (await fetch(`${server.url}/metrics`)).text());
  const own = shown.filter(({ name }) => !/^(process|nodejs)_/.test(name));
  assert.ok(own.length > 20, `${own.length}`);
  assert.deepEqual(undocumented(own, new Map(all)), []);
});

test('reports at the start which boot files are missing, and how to get them', async () => {
  await using server = await startServer({
    flags: ['--ipxe-binary-dir', '/nowhere', '--images-dir', '/no-images'],
  });
  const said = server.said().join('\n');
  assert.match(said, /--images-dir \/no-images does not exist: create it or correct the path/);
  assert.match(said, /no in-memory OS in .*: build it with npm run hook/);
  assert.match(said, /no iPXE binaries in \/nowhere: download them with npm run setup -- ipxe/);
});

test('stops at a signal within the grace period of its connections', async () => {
  const server = await startServer();
  const watch = await server.request(`${server.url}${path}?watch=true`);
  const ended = watch.text();
  await server[Symbol.asyncDispose]();
  assert.equal(await ended, '');
});

test('announces its shutdown first, and serves until then', async () => {
  const server = await startServer({ flags: ['--shutdown-delay-duration', '3s'] });
  const ended = server[Symbol.asyncDispose]();
  let answer = await fetch(`${server.url}/readyz`);
  while (answer.status === 200) answer = await fetch(`${server.url}/readyz`);
  assert.equal(answer.status, 503);
  assert.match(await answer.text(), /shutting down/);
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  assert.equal((await server.request(`${server.url}${path}`)).status, 200);
  await ended;
});

/** At its end, Node prints the modules of its own that it has loaded. */
const TELLS_MODULES = `data:text/javascript,process.on('exit',()=>console.error('loaded:'+process.moduleLoadList.join()))`;

test('answers requests and streams without loading what only clients of HTTP need', async () => {
  const server = await startServer({ prefix: ['env', `NODE_OPTIONS=--import=${TELLS_MODULES}`] });
  const watch = new AbortController();
  for (const [target, status] of [
    ['/healthcheck', 200],
    ['/metrics', 200],
    ['/none', 404],
    [path, 200],
    [`${path}/none`, 404],
  ] as const) {
    const response = await server.request(server.url + target);
    await response.text();
    assert.equal(response.status, status, target);
  }
  const watching = await server.request(`${server.url}${path}?watch=true`, { signal: watch.signal });
  assert.equal(watching.status, 200);
  watch.abort();
  await server[Symbol.asyncDispose]();
  const loaded = server.said().findLast((line) => line.startsWith('loaded:')) ?? '';
  assert.match(loaded, /NativeModule http,/);
  assert.doesNotMatch(loaded, /undici/);
});
