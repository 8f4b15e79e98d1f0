/** What Go clients of Kubernetes send and accept for built-in kinds since client-go 0.33.4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeKubernetes, encodeKubernetes } from '@tinkerbell/kube-protobuf';
import { base, startedApi } from './testing/started-api.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const limits = { nodes: 100_000, depth: 100, keys: 10_000 };
const core = '/api/v1/namespaces/default';

type Api = Awaited<ReturnType<typeof startedApi>>;

function bytesOf(object: object): Uint8Array<ArrayBuffer> {
  const bytes = encodeKubernetes(object);
  assert.ok(bytes !== undefined);
  return Uint8Array.from(bytes);
}

// oxlint-disable-next-line typescript/no-explicit-any
function objectIn(bytes: Uint8Array): any {
  const found = decodeKubernetes(bytes, limits);
  assert.ok(found.ok, found.ok ? '' : found.message);
  return found.value;
}

async function sent(
  api: Api,
  method: string,
  path: string,
  {
    body,
    type = PROTOBUF,
    accept = `${PROTOBUF},application/json`,
  }: { body?: Uint8Array<ArrayBuffer>; type?: string; accept?: string } = {},
) {
  const response = await api.handle(
    new Request(`http://localhost${path}`, {
      method,
      headers: { accept, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body }),
    }),
  );
  const contentType = response.headers.get('content-type');
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isProtobuf = contentType === PROTOBUF;
  return {
    code: response.status,
    contentType,
    body: isProtobuf ? objectIn(bytes) : JSON.parse(new TextDecoder().decode(bytes)),
  };
}

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } };

test('a built-in kind is created, read, replaced, listed and deleted as protobuf', async () => {
  await using api = await startedApi();
  const made = await sent(api, 'POST', `${core}/configmaps`, { body: bytesOf(configMap) });
  assert.deepEqual([made.code, made.contentType], [201, PROTOBUF]);
  assert.deepEqual(made.body.data, { x: '1' });
  const asJson = await api.call('GET', `${core}/configmaps/a`);
  const read = await sent(api, 'GET', `${core}/configmaps/a`);
  assert.deepEqual(read.body, asJson.body);
  const replaced = await sent(api, 'PUT', `${core}/configmaps/a`, {
    body: bytesOf({ ...read.body, data: { x: '2' } }),
  });
  assert.deepEqual([replaced.code, replaced.contentType, replaced.body.data.x], [200, PROTOBUF, '2']);
  const listed = await sent(api, 'GET', `${core}/configmaps`);
  assert.deepEqual([listed.contentType, listed.body.kind], [PROTOBUF, 'ConfigMapList']);
  assert.deepEqual(
    listed.body.items.map((one: typeof configMap) => one.data),
    [{ x: '2' }],
  );
  assert.equal(listed.body.metadata.resourceVersion, replaced.body.metadata.resourceVersion);
  const patch = new TextEncoder().encode('{"data":{"x":"3"}}');
  const patched = await sent(api, 'PATCH', `${core}/configmaps/a`, {
    body: patch,
    type: 'application/merge-patch+json',
  });
  assert.deepEqual([patched.contentType, patched.body.data.x], [PROTOBUF, '3']);
  const options = (extra: object) => bytesOf({ apiVersion: 'v1', kind: 'DeleteOptions', ...extra });
  const wrong = await sent(api, 'DELETE', `${core}/configmaps/a`, {
    body: options({ preconditions: { uid: 'other' } }),
  });
  assert.deepEqual([wrong.code, wrong.contentType, wrong.body.kind], [409, PROTOBUF, 'Status']);
  const dry = await sent(api, 'DELETE', `${core}/configmaps/a`, { body: options({ dryRun: ['All'] }) });
  assert.equal(dry.code, 200);
  const gone = await sent(api, 'DELETE', `${core}/configmaps/a`, {
    body: options({ propagationPolicy: 'Background' }),
  });
  assert.deepEqual([gone.code, gone.body.status], [200, 'Success']);
  const missing = await sent(api, 'GET', `${core}/configmaps/a`);
  assert.deepEqual([missing.code, missing.contentType, missing.body.reason], [404, PROTOBUF, 'NotFound']);
});

test('a collection is deleted as protobuf', async () => {
  await using api = await startedApi();
  await sent(api, 'POST', `${core}/secrets`, {
    body: bytesOf({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'b' } }),
  });
  const body = bytesOf({ apiVersion: 'v1', kind: 'DeleteOptions' });
  const gone = await sent(api, 'DELETE', `${core}/secrets`, { body });
  assert.deepEqual([gone.code, gone.contentType, gone.body.items[0].data], [200, PROTOBUF, { a: 'Yg==' }]);
});

test('sends and answers reviews as protobuf', async () => {
  await using api = await startedApi();
  const [authorization, authentication] = ['authorization.k8s.io/v1', 'authentication.k8s.io/v1'];
  const spec = { resourceAttributes: { verb: 'get', resource: 'secrets' } };
  const access = await sent(api, 'POST', `/apis/${authorization}/selfsubjectaccessreviews`, {
    body: bytesOf({ apiVersion: authorization, kind: 'SelfSubjectAccessReview', spec }),
  });
  assert.deepEqual([access.code, access.contentType, access.body.status.allowed], [201, PROTOBUF, true]);
  const self = await sent(api, 'POST', `/apis/${authentication}/selfsubjectreviews`, {
    body: bytesOf({ apiVersion: authentication, kind: 'SelfSubjectReview' }),
  });
  assert.ok(self.body.status.userInfo.username !== '');
  const wrong = await sent(api, 'POST', `/apis/${authorization}/selfsubjectaccessreviews`, {
    body: bytesOf({ apiVersion: authorization, kind: 'SelfSubjectAccessReview' }),
  });
  assert.deepEqual([wrong.code, wrong.contentType, wrong.body.reason], [400, PROTOBUF, 'BadRequest']);
});

test('a token is requested as protobuf', async () => {
  const tokens = {
    issuer: 'https://issuer',
    publicKeys: { keys: [] },
    sign: (claims: object) => Promise.resolve(JSON.stringify(claims)),
  };
  await using api = await startedApi(undefined, { tokens });
  await sent(api, 'POST', `${core}/serviceaccounts`, {
    body: bytesOf({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'ci' } }),
  });
  const body = bytesOf({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { expirationSeconds: 600 },
  });
  const made = await sent(api, 'POST', `${core}/serviceaccounts/ci/token`, { body });
  assert.deepEqual([made.code, made.contentType, made.body.spec.expirationSeconds], [201, PROTOBUF, 600]);
  assert.match(made.body.status.token, /system:serviceaccount:default:ci/);
});

test('custom resources are JSON: 415 for another body, 406 if the client accepts nothing else', async () => {
  await using api = await startedApi();
  const body = bytesOf(configMap);
  const posted = await sent(api, 'POST', `${base}/hardware`, { body });
  assert.deepEqual(
    [posted.code, posted.contentType, posted.body.reason],
    [415, 'application/json', 'UnsupportedMediaType'],
  );
  assert.match(posted.body.message, /application\/json/);
  const listed = await sent(api, 'GET', `${base}/hardware`);
  assert.deepEqual([listed.code, listed.contentType], [200, 'application/json']);
  const only = await sent(api, 'GET', `${base}/hardware`, { accept: PROTOBUF });
  assert.deepEqual(
    [only.code, only.contentType, only.body.reason],
    [406, 'application/json', 'NotAcceptable'],
  );
  const options = bytesOf({ apiVersion: 'tinkerbell.org/v1alpha1', kind: 'DeleteOptions' });
  assert.equal((await sent(api, 'DELETE', `${base}/hardware/none`, { body: options })).code, 404);
});

test('answers 415 to a protobuf patch, and to any CBOR body', async () => {
  await using api = await startedApi();
  const body = bytesOf(configMap);
  assert.equal((await sent(api, 'PATCH', `${core}/configmaps/a`, { body })).code, 415);
  assert.equal((await sent(api, 'POST', `${core}/configmaps`, { body, type: 'application/cbor' })).code, 415);
  assert.equal(
    (await sent(api, 'PATCH', `${base}/hardware/x`, { body, type: 'application/apply-patch+cbor' })).code,
    415,
  );
});

test('answers 400 to wrong bytes, and 413 beyond the limits', async () => {
  await using api = await startedApi();
  const cut = await sent(api, 'POST', `${core}/configmaps`, { body: bytesOf(configMap).subarray(0, -2) });
  assert.equal(cut.code, 400);
  assert.match(cut.body.message, /^the body is not protobuf of a ConfigMap: /);
  const other = await sent(api, 'POST', `${core}/configmaps`, {
    body: bytesOf({ apiVersion: 'v1', kind: 'DeleteOptions' }),
  });
  assert.ok(other.code === 400 || other.code === 422, JSON.stringify(other.body));
  const data = Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`k${index}`, '']));
  const wide = await sent(api, 'POST', `${core}/configmaps`, { body: bytesOf({ ...configMap, data }) });
  assert.equal(wide.code, 413);
});

test('a list that is too long for protobuf is JSON, or rejected if the client does not accept JSON', async () => {
  await using api = await startedApi();
  const data = { x: 'x'.repeat(600_000) };
  for (const index of Array.from({ length: 30 }, (_, at) => at))
    await sent(api, 'POST', `${core}/configmaps`, {
      body: bytesOf({ ...configMap, metadata: { name: `c${index}` }, data }),
    });
  const listed = await sent(api, 'GET', `${core}/configmaps`);
  assert.deepEqual(
    [listed.code, listed.contentType, listed.body.items.length],
    [200, 'application/json', 30],
  );
  const only = await sent(api, 'GET', `${core}/configmaps`, { accept: PROTOBUF });
  assert.equal(only.code, 406);
  assert.match(JSON.stringify(only.body), /limit/);
  const page = await sent(api, 'GET', `${core}/configmaps?limit=3`, { accept: PROTOBUF });
  assert.deepEqual(
    [page.code, page.body.items.length, page.body.metadata.continue !== undefined],
    [200, 3, true],
  );
});

test('a watch consists of frames with their lengths', async () => {
  await using api = await startedApi();
  await sent(api, 'POST', `${core}/configmaps`, { body: bytesOf(configMap) });
  const stopping = new AbortController();
  const response = await api.handle(
    new Request(
      `http://localhost${core}/configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      { headers: { accept: PROTOBUF } },
    ),
    { signal: stopping.signal },
  );
  assert.equal(response.headers.get('content-type'), `${PROTOBUF};stream=watch`);
  const events: string[] = [];
  let held = new Uint8Array();
  for await (const chunk of response.body ?? []) {
    held = Uint8Array.from([...held, ...(chunk as Uint8Array)]);
    while (held.length >= 4) {
      const length = new DataView(held.buffer).getUint32(0);
      if (held.length < 4 + length) break;
      const frame = held.subarray(4, 4 + length);
      const type = new TextDecoder().decode(frame.subarray(2, 2 + (frame[1] ?? 0)));
      const begin = Buffer.from(frame).indexOf(Buffer.from('k8s\0'));
      const object = objectIn(frame.subarray(begin));
      events.push(`${type} ${object.kind} ${object.metadata.name ?? ''}`);
      held = held.slice(4 + length);
    }
    if (events.length === 2) await sent(api, 'DELETE', `${core}/configmaps/a`);
    if (events.length === 3) break;
  }
  stopping.abort();
  assert.deepEqual(events, ['ADDED ConfigMap a', 'BOOKMARK ConfigMap ', 'DELETED ConfigMap a']);
});
