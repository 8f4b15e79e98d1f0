import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpRequest } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import { createWorkerTexts } from '@tinkerbell/platform-node/texts';
import { ApiError } from './api-error.ts';
import { readBody, readQuestion, readReview } from './request-body.ts';
import { startedApi } from './testing/started-api.ts';

const MIB = 1024 * 1024;
const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };

function posted(body: string | Uint8Array<ArrayBuffer>, type = 'application/json'): Request {
  return new Request('http://localhost/', { method: 'POST', body, headers: { 'content-type': type } });
}

async function reasonOf(reading: Promise<unknown>): Promise<string> {
  const thrown: unknown = await reading.then(
    () => assert.fail('it was read'),
    (reason: unknown) => reason,
  );
  assert.ok(thrown instanceof ApiError, String(thrown));
  return `${thrown.code} ${thrown.message}`;
}

/** A request with one long string, which counts how many of its bytes are read. */
function counted(total: number, headers: Record<string, string> = {}): HttpRequest & { bytes: number } {
  const request = {
    method: 'POST',
    url: 'http://localhost/',
    headers: new Headers(headers),
    bytes: 0,
    async *chunks() {
      for (; request.bytes < total; request.bytes += 64 * 1024)
        yield Buffer.from((request.bytes === 0 ? '"' : 'x').padEnd(64 * 1024, 'x'));
    },
  };
  return request as unknown as HttpRequest & { bytes: number };
}

test('reads JSON and YAML to the same value', async () => {
  const value = { kind: 'X', list: [1, 'two', null, true], text: 'línea\n'.repeat(20_000) };
  const yaml = `kind: X\nlist: [1, two, null, true]\ntext: |\n${'  línea\n'.repeat(20_000)}`;
  assert.deepEqual(await readBody(posted(JSON.stringify(value)), {}), value);
  assert.deepEqual(await readBody(posted(yaml, 'application/yaml'), {}), value);
  assert.deepEqual(await readBody(posted(JSON.stringify(value), 'application/apply-patch+yaml'), {}), value);
  assert.equal(await readBody(posted(''), {}), undefined);
  const cut = new TextEncoder().encode('{"a":"é"}').subarray(0, 7);
  assert.match(await reasonOf(readBody(posted(cut), {})), /^400 the body is not UTF-8/);
});

test('YAML may have fewer values than JSON, because each takes far more memory', async () => {
  const list = Array.from({ length: 20_001 }, () => 1);
  const yaml = JSON.stringify(list);
  assert.match(
    await reasonOf(readBody(posted(yaml, 'application/yaml'), {})),
    /^400 the body is not YAML: .*more than 20000 nodes/,
  );
  assert.deepEqual(await readBody(posted(yaml), {}), list);
});

test('reads at most the budget, and nothing of a body that declares a larger length', async () => {
  const endless = counted(Number.MAX_SAFE_INTEGER);
  assert.match(await reasonOf(readBody(endless, {})), /^413 the body is larger than 2097152 bytes/);
  assert.ok(endless.bytes <= 3 * MIB + 64 * 1024);
  const long = counted(Number.MAX_SAFE_INTEGER);
  assert.match(await reasonOf(readReview(long, review)), /^413/);
  assert.ok(long.bytes <= 128 * 1024);
  const honest = counted(Number.MAX_SAFE_INTEGER, { 'content-length': '99999999' });
  assert.match(await reasonOf(readQuestion(honest, {})), /^413/);
  assert.equal(honest.bytes, 0);
});

test('limits values, nesting and fields in JSON and YAML alike', async () => {
  const bombs: readonly [json: string, yaml: string][] = [
    [`[${'1,'.repeat(60_000)}1]`, '- 1\n'.repeat(60_000)],
    ['['.repeat(200_000), '- '.repeat(2000)],
    [
      `{${Array.from({ length: 5000 }, (_, at) => `"k${at}":1`).join(',')}}`,
      Array.from({ length: 5000 }, (_, at) => `k${at}: 1\n`).join(''),
    ],
    [`{"a":${'{"a":'.repeat(200)}`, `a: &a [${'x,'.repeat(999)}]\nb: [${'*a,'.repeat(100)}]\n`],
  ];
  await using texts = disposable(createWorkerTexts(nodeClock));
  for (const [asJson, asYaml] of bombs) {
    assert.match(await reasonOf(readBody(posted(asJson), {})), /^413 the body has more than/);
    const reason = await reasonOf(readBody(posted(asYaml, 'application/yaml'), { texts }));
    assert.match(reason, /^400 the body is not YAML: .*(more than|deeper than)/);
  }
});

test('others have turns of the event loop while a long body is read', async () => {
  await using texts = disposable(createWorkerTexts(nodeClock));
  const object = {
    data: Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`key-${at}`, 'x\n'.repeat(600)])),
  };
  const text = `data:\n${Array.from({ length: 1000 }, (_, at) => `  key-${at}: [x, x, x, x]\n`).join('')}`;
  for (const [body, type] of [
    [JSON.stringify(object), 'application/json'],
    [text, 'application/yaml'],
  ] as const) {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await readBody(posted(body, type), { texts }).finally(() => (isOver = true));
    assert.ok(turns >= 2, `${type}: ${turns} turns`);
  }
});

test('a review must be short JSON', async () => {
  assert.match(
    await reasonOf(readReview(posted('a: &a x\n', 'application/yaml'), review)),
    /^415 a review must be application\/json/,
  );
  assert.match(await reasonOf(readReview(posted(`{"spec":{"a":[${'1,'.repeat(5000)}1]}}`), review)), /^413/);
  assert.match(await reasonOf(readReview(posted('['.repeat(1000)), review)), /^413/);
  assert.deepEqual(await readReview(posted('{"spec":{}}'), review), { spec: {} });
});

test('reads a body only after its sender is authorized', async () => {
  await using api = await startedApi(undefined, { isGuarded: true });
  api.as({ name: 'nobody', groups: ['system:authenticated'] });
  const core = '/api/v1/namespaces/default/configmaps';
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const workflow = '/apis/tinkerbell.org/v1alpha1/namespaces/default/workflows/w/pause';
  for (const [method, path] of [
    ['POST', core],
    ['PUT', `${core}/a`],
    ['PATCH', `${core}/a`],
    ['DELETE', `${core}/a`],
    ['DELETE', core],
    ['POST', crds],
    ['POST', workflow],
    ['POST', '/api/v1/namespaces/default/serviceaccounts/default/token'],
    ['POST', '/apis/authentication.k8s.io/v1/tokenreviews'],
  ] as const) {
    let pulled = 0;
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(new TextEncoder().encode('{'));
        },
      },
      { highWaterMark: 0 },
    );
    const answer = await api.handle(new Request(`http://localhost${path}`, { method, body, duplex: 'half' }));
    assert.equal(answer.status, 403, path);
    assert.equal(pulled, 0, `${method} ${path} was read`);
  }
});

function disposable<Closing extends { close(): Promise<void> }>(one: Closing): Closing & AsyncDisposable {
  return Object.assign(one, { [Symbol.asyncDispose]: () => one.close() });
}
