/** Requests that no honest client sends, from a generator. Set REGISTRY_SEED to repeat a run. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { digestOf, manifestText, pushImage } from './testing/pushed-image.ts';
import { startRegistry } from './testing/registry-bench.ts';

const seed = Number(process.env['REGISTRY_SEED'] ?? 20_261_123);

const element = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '',
    '%2e%2e',
    '%2f',
    '%00',
    '%',
    '_manifests',
    '_layers',
    '_tags',
    'A',
    'a',
    'b-c',
  ),
  fc.constantFrom('blobs', 'manifests', 'uploads', 'tags', 'list', 'referrers', '_catalog', 'a'.repeat(300)),
  fc.string({ maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
);
const reference = fc.oneof(
  fc.constantFrom('v1', digestOf('layer'), 'sha256:', `sha256:${'g'.repeat(64)}`, `sha512:${'0'.repeat(64)}`),
  fc.constantFrom(
    'sha256:../../../../etc/passwd',
    '..%2f..%2fetc',
    '-x',
    '.hidden',
    'x'.repeat(129),
    '0'.repeat(32),
  ),
  fc.constantFrom('0', 'a', 'F').map((digit) => `sha256:${digit.repeat(64)}`),
  element,
);
const path = fc.oneof(
  fc.array(element, { maxLength: 6 }).map((elements) => `/v2/${elements.join('/')}`),
  fc
    .tuple(
      fc.array(element, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('blobs', 'manifests', 'referrers', 'blobs/uploads'),
      reference,
    )
    .map(([name, kind, last]) => `/v2/${name.join('/')}/${kind}/${last}`),
  fc
    .tuple(fc.constantFrom('blobs', 'manifests', 'referrers'), reference)
    .map(([kind, last]) => `/v2/a/${kind}/${last}`),
  fc.constant('/v2/a/blobs/uploads/'),
);
const query = fc.oneof(
  fc.constant(''),
  fc
    .record(
      { digest: reference, mount: reference, from: element, n: element, last: element, tag: reference },
      { requiredKeys: [] },
    )
    .map((fields) => `?${new URLSearchParams(fields as Record<string, string>).toString()}`),
);
const number = fc.oneof(
  fc.constantFrom('0', '-1', '1e9', '99999999999999999999', '0x10', ' 1'),
  fc.nat().map(String),
);
const headers = fc.record(
  {
    range: fc.oneof(
      fc.tuple(number, number).map(([from, to]) => `bytes=${from}-${to}`),
      fc.constant('bytes=-0,0-,1-1'),
    ),
    'content-range': fc.tuple(number, number).map(([from, to]) => `${from}-${to}`),
    'content-length': number,
    'content-type': fc.constantFrom('application/vnd.oci.image.manifest.v1+json', 'text/html', 'a/b;c=d', ''),
    'if-none-match': fc.constantFrom('*', '"x"', ''),
    authorization: fc.constantFrom('Basic ', 'Basic ////', 'Bearer'),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  fc.constant(''),
  fc.constant(manifestText(['layer'])),
  fc.json(),
  fc
    .json()
    .map((layers) => `{"schemaVersion":2,"config":${layers},"layers":[${layers}],"subject":${layers}}`),
  fc.string({ maxLength: 200 }),
);
const request = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
  path,
  query,
  headers,
  body,
});

test('hostile requests get a clear error or an answer, change nothing outside, and leave no upload', async () => {
  await using bench = await startRegistry({ config: { bytesMax: 1_000_000 } });
  const around = readdirSync(dirname(bench.directory)).filter((name) => name === 'etc');
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(
      request,
      async ({ method, path: where, query: asked, body: content, headers: given }) => {
        const hasBody = method !== 'GET' && method !== 'HEAD';
        const answer = await bench.call(method, `${where}${asked}`, {
          headers: given,
          ...(hasBody && { body: content }),
        });
        const text = await answer.text();
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        assert.ok(answer.status < 500 || answer.status === 507, `${answer.status} ${text}`);
        if (answer.status >= 400 && answer.status !== 416 && method !== 'HEAD' && text !== '')
          assert.match(text, /^\{"errors":\[\{"code":"[A-Z_]+","message":".+"\}\]\}$/);
      },
    ),
    { seed, numRuns: 3000 },
  );
  for (const status of [200, 202, 400, 404, 405, 413])
    assert.ok(statuses.has(status), `the generator reaches ${status}`);
  assert.deepEqual(
    readdirSync(dirname(bench.directory)).filter((name) => name === 'etc'),
    around,
  );
  const allowed = ['.unfinished', 'blobs', 'repositories', 'uploads'];
  assert.deepEqual(
    readdirSync(bench.directory).filter((name) => !allowed.includes(name)),
    [],
  );
  assert.deepEqual(readdirSync(`${bench.directory}/.unfinished`), []);
  await pushImage(bench, ['a', 'v1'], ['layer']);
  assert.equal((await bench.call('GET', '/v2/a/manifests/v1')).status, 200);
});
