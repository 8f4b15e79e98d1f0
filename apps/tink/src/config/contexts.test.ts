/** Contexts select the server, the credentials and the connection. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runTink } from '../run.ts';
import { createRecordingTerminal } from '../testing/recording-terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'tink-contexts-'));
after(() => rmSync(folder, { recursive: true }));
const config = join(folder, 'config.yaml');

async function tink(words: string, environment: Readonly<Record<string, string>> = {}) {
  const terminal = createRecordingTerminal({ environment: { TINK_CONFIG: config, ...environment } });
  return { code: await runTink(words.split(' '), terminal), ...terminal.printed };
}

test('a context sets server, credentials and namespace, and its token is sent only to its own server', async () => {
  const [key, certificate, token] = ['key.pem', 'cert.pem', 'token'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      ...subject,
    ],
    { stdio: 'ignore' },
  );
  writeFileSync(token, 'secret-1\n');
  const seen: (string | undefined)[] = [];
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (request, response) => {
      seen.push(request.headers.authorization);
      response.setHeader('content-type', 'application/json').end('{"gitVersion": "v1.29.0"}');
    },
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  assert.equal((await tink(`config set-context site --url ${url} --token-file ${token}`)).code, 0);
  assert.equal((await tink('config use-context site')).code, 0);
  assert.match((await tink('version')).out, /unknown: cannot reach/);
  assert.equal((await tink(`config set-context site --certificate-authority ${certificate}`)).code, 0);
  assert.match((await tink('version')).out, /server +API 1\.29\.0/);
  assert.match((await tink('version', { TINK_TOKEN: 'secret-2' })).out, /API 1\.29\.0/);
  assert.deepEqual(seen, ['Bearer secret-1', 'Bearer secret-2']);
  await tink('config set-context open --url http://127.0.0.1:1');
  assert.match(
    (await tink('config view --context open')).out,
    /server +http:\/\/127\.0\.0\.1:1 +from context open/,
  );
  await tink(`config set-context any --url ${url} --insecure`);
  const any = await tink('version --context any');
  assert.deepEqual(
    [/API 1/.test(any.out), /warning: the server’s certificate is not verified/.test(any.err), seen.at(-1)],
    [true, true, undefined],
  );
  assert.match((await tink('version --context sitee')).err, /unknown context "sitee"\n.*did you mean site\?/);
  assert.equal(statSync(config).mode & 0o777, 0o600);
  assert.match((await tink('config get-contexts')).out, /^\* +site +https.* token file$/m);
  assert.equal((await tink('config current-context')).out, 'site\n');
  await tink('config delete-context site');
  assert.equal((await tink('config current-context')).code, 1);
  server.closeAllConnections();
  server.close();
});

test('a file from before contexts still works, and the environment overrides it', async () => {
  writeFileSync(config, 'server: http://127.0.0.1:9\nnamespace: lab\n', { mode: 0o644 });
  assert.match((await tink('config view')).out, /http:\/\/127\.0\.0\.1:9 .*\nnamespace +lab /);
  await tink('config set-context b --url http://127.0.0.1:8');
  assert.match((await tink('config view', { TINK_CONTEXT: 'b' })).out, /127\.0\.0\.1:8/);
  assert.match(
    (await tink('config view', { TINK_CONTEXT: 'b', TINK_SERVER: 'http://127.0.0.1:7' })).out,
    /127\.0\.0\.1:7/,
  );
  assert.equal(statSync(config).mode & 0o777, 0o600);
});
