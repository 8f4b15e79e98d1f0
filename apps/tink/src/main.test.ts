/** The command as its own process, for behaviour that only a process shows. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { hardware } from './testing/manifests.ts';
import { type RunningServer, forgetMachines, runServer } from './testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

const main = join(import.meta.dirname, 'main.mjs');

function run(command: string, input = '', environment: Record<string, string> = {}) {
  const { promise, resolve } = Promise.withResolvers<{ code: number; out: string; err: string }>();
  const env = {
    ...process.env,
    TINK_SERVER: server.url,
    TINK_CONFIG: '/nonexistent',
    TINKERBELL_DATA_DIR: join(server.folder, 'data'),
    ...environment,
  };
  const child = execFile(
    '/bin/sh',
    ['-c', command.replaceAll('tink', `${process.execPath} ${main}`)],
    { env },
    (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
  );
  child.stdin?.end(input);
  return promise;
}

test('reads standard input, writes standard output, and exits with 0', async () => {
  const applied = await run('tink apply -f -', hardware('m1', '08:00:27:00:00:01'));
  assert.deepEqual(applied, { code: 0, out: 'hardware/m1 created\n', err: '' });
});

test('exits with 1 for a failure, 2 for an invalid command line, and 0 for help', async () => {
  const codes = await Promise.all(
    ['tink get hw nobody', 'tink get', 'tink', 'tink --help'].map((one) => run(one)),
  );
  assert.deepEqual(
    codes.map((one) => one.code),
    [1, 2, 2, 0],
  );
});

test('a reader that closes the pipe early is not a failure', async () => {
  const { err } = await run('tink get hw -o yaml | true');
  assert.equal(err, '');
});

test('recognises a server that is not a Tinkerbell server', async (context) => {
  const other = createServer((_request, response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<p>'),
  );
  context.after(() => other.close());
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const { code, err } = await run('tink get hw', '', { TINK_SERVER: url });
  assert.equal(code, 1);
  assert.match(err, /is not that of a Tinkerbell server \(404 text\/html\)/);
});

test('prints the message of the server when it rejects a request', async (context) => {
  const message = 'the API needs a token or a client certificate; 10.0.0.9 sent none';
  const status = { kind: 'Status', reason: 'Forbidden', message, code: 403 };
  const other = createServer((_request, response) => response.writeHead(403).end(JSON.stringify(status)));
  context.after(() => other.close());
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const { code, err } = await run('tink get hw', '', { TINK_SERVER: url });
  assert.deepEqual([code, err], [1, `tink: ${message}\n`]);
});
