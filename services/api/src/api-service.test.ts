import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base, startedApi } from './testing/started-api.ts';

function hardwareOf(name = 'm1', fields: object = {}) {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name, ...fields },
    spec: { interfaces: [{ dhcp: { mac: macOf(name) } }] },
  };
}

/** Each machine has its own. */
function macOf(name: string): string {
  const last = name === 'm1' ? 1 : (name.codePointAt(name.length - 1) ?? 0);
  return `52:54:00:00:00:${last.toString(16).padStart(2, '0')}`;
}

const merge = { 'content-type': 'application/merge-patch+json' };

test('serves discovery', async () => {
  await using api = await startedApi();
  const groups = await api.call('GET', '/apis');
  assert.deepEqual(
    groups.body.groups.map((group: { name: string }) => group.name),
    [
      'coordination.k8s.io',
      'rbac.authorization.k8s.io',
      'apiextensions.k8s.io',
      'tinkerbell.org',
      'bmc.tinkerbell.org',
      'authorization.k8s.io',
      'authentication.k8s.io',
    ],
  );
  const resources = await api.call('GET', '/apis/tinkerbell.org/v1alpha1');
  const names = resources.body.resources.map((one: { name: string }) => one.name);
  assert.ok(names.includes('hardware') && names.includes('workflows/status'));
  assert.equal((await api.call('GET', '/version')).body.major, '1');
  assert.equal((await api.call('GET', '/apis/nothing.org/v1')).code, 404);
});

test('creates with identity and defaults, and reads back', async () => {
  await using api = await startedApi();
  const created = await api.call('POST', `${base}/hardware`, hardwareOf());
  assert.equal(created.code, 201);
  assert.match(
    created.body.metadata.uid,
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  assert.equal(created.body.metadata.generation, 1);
  assert.equal(created.body.metadata.namespace, 'default');
  assert.equal(created.body.spec.interfaces[0].disableDhcp, false);
  const read = await api.call('GET', `${base}/hardware/m1`);
  assert.deepEqual(read.body, created.body);
});

test('deletes an object that another client changed meanwhile, unless a version is given', async () => {
  await using api = await startedApi();
  await api.call('POST', `${base}/hardware`, hardwareOf());
  const commit = api.store.commit.bind(api.store);
  const changes = ['once', 'twice'];
  let isChangedInBetween = true;
  api.store.commit = async (writes) => {
    if (writes[0]?.operation === 'delete' && isChangedInBetween) {
      isChangedInBetween = false;
      const labels = { changed: changes.shift() };
      await api.call('PATCH', `${base}/hardware/m1`, { metadata: { labels } }, merge);
    }
    return commit(writes);
  };
  const { resourceVersion } = (await api.call('GET', `${base}/hardware/m1`)).body.metadata;
  const precise = await api.call('DELETE', `${base}/hardware/m1`, { preconditions: { resourceVersion } });
  assert.equal(precise.code, 409);
  isChangedInBetween = true;
  assert.equal((await api.call('DELETE', `${base}/hardware/m1`)).code, 200);
});

test('generates a name from generateName', async () => {
  await using api = await startedApi();
  const { metadata: _, ...rest } = hardwareOf();
  const created = await api.call('POST', `${base}/hardware`, {
    ...rest,
    metadata: { generateName: 'auto-' },
  });
  assert.match(created.body.metadata.name, /^auto-[a-z0-9]{5}$/);
});

test('answers failures as Status objects with causes', async () => {
  await using api = await startedApi();
  const bad = hardwareOf();
  bad.spec.interfaces[0]!.dhcp.mac = 'AA:BB:CC:DD:EE:FF';
  const invalid = await api.call('POST', `${base}/hardware`, bad);
  assert.equal(invalid.code, 422);
  assert.equal(invalid.body.reason, 'Invalid');
  assert.equal(invalid.body.details.causes[0].field, 'spec.interfaces[0].dhcp.mac');
  assert.match(invalid.body.message, /write "aa:bb:cc:dd:ee:ff"/);
  await api.call('POST', `${base}/hardware`, hardwareOf());
  const twice = await api.call('POST', `${base}/hardware`, hardwareOf());
  assert.deepEqual([twice.code, twice.body.reason], [409, 'AlreadyExists']);
  const missing = await api.call('GET', `${base}/hardware/none`);
  assert.deepEqual([missing.code, missing.body.message], [404, 'hardware.tinkerbell.org "none" not found']);
  const garbage = await api.call('POST', `${base}/hardware`, '{');
  assert.equal(garbage.code, 400);
  assert.equal((await api.call('PUT', `${base}/hardware`, hardwareOf())).code, 405);
});

test('drops unknown fields with a warning, and rejects them in strict mode', async () => {
  await using api = await startedApi();
  const typo = { ...hardwareOf(), spec: { intefraces: [] } };
  const lenient = await api.call('POST', `${base}/hardware`, typo);
  assert.deepEqual(lenient.body.spec, {});
  assert.match(lenient.headers.get('warning') ?? '', /did you mean/);
  const strict = await api.call('POST', `${base}/hardware?fieldValidation=Strict`, {
    ...typo,
    metadata: { name: 'm2' },
  });
  assert.deepEqual(
    [strict.code, strict.body.reason, strict.body.message],
    [
      400,
      'BadRequest',
      'Hardware in version "v1alpha1" cannot be handled as a Hardware: strict decoding error: ' +
        'unknown field "spec.intefraces"; did you mean "interfaces"?',
    ],
  );
});

test('rejects a write to an old version, and counts generations', async () => {
  await using api = await startedApi();
  const { body: first } = await api.call('POST', `${base}/hardware`, hardwareOf());
  const changed = { ...first, spec: { ...first.spec, userData: 'x' } };
  const second = await api.call('PUT', `${base}/hardware/m1`, changed);
  assert.deepEqual([second.code, second.body.metadata.generation], [200, 2]);
  const stale = await api.call('PUT', `${base}/hardware/m1`, { ...changed, spec: {} });
  assert.deepEqual([stale.code, stale.body.reason], [409, 'Conflict']);
  const labelled = await api.call(
    'PATCH',
    `${base}/hardware/m1`,
    { metadata: { labels: { a: 'b' } } },
    merge,
  );
  assert.equal(labelled.body.metadata.generation, 2);
});

test('supports merge patches and JSON patches, and lists the supported types', async () => {
  await using api = await startedApi();
  await api.call('POST', `${base}/hardware`, hardwareOf());
  const merged = await api.call(
    'PATCH',
    `${base}/hardware/m1`,
    { spec: { userData: 'u', interfaces: null } },
    merge,
  );
  assert.deepEqual(merged.body.spec, { userData: 'u' });
  const operations = [
    { op: 'test', path: '/spec/userData', value: 'u' },
    { op: 'replace', path: '/spec/userData', value: 'v' },
  ];
  const json = { 'content-type': 'application/json-patch+json' };
  assert.equal((await api.call('PATCH', `${base}/hardware/m1`, operations, json)).body.spec.userData, 'v');
  assert.equal((await api.call('PATCH', `${base}/hardware/m1`, operations, json)).code, 422);
  const polluting = [{ op: 'add', path: '/__proto__/polluted', value: true }];
  assert.equal((await api.call('PATCH', `${base}/hardware/m1`, polluting, json)).code, 422);
  const unknown = await api.call(
    'PATCH',
    `${base}/hardware/m1`,
    {},
    { 'content-type': 'application/strategic-merge-patch+json' },
  );
  assert.equal(unknown.code, 415);
});

test('writes status and the rest separately', async () => {
  await using api = await startedApi();
  const created = await api.call('POST', `${base}/hardware`, { ...hardwareOf(), status: { state: 'Ready' } });
  assert.equal(created.body.status, undefined);
  const through = await api.call('PATCH', `${base}/hardware/m1`, { status: { state: 'Ready' } }, merge);
  assert.equal(through.body.status, undefined);
  const status = await api.call(
    'PATCH',
    `${base}/hardware/m1/status`,
    { status: { state: 'Ready' }, spec: { userData: 'x' } },
    merge,
  );
  assert.deepEqual([status.body.status, status.body.spec.userData], [{ state: 'Ready' }, undefined]);
});

test('lists by selectors and pages, and as a table', async () => {
  await using api = await startedApi();
  for (const name of ['a', 'b', 'c']) {
    const labels = name === 'b' ? { rack: 'two' } : { rack: 'one' };
    await api.call('POST', `${base}/hardware`, hardwareOf(name, { labels }));
  }
  const names = async (query: string) =>
    (await api.call('GET', `${base}/hardware${query}`)).body.items.map(
      (one: { metadata: { name: string } }) => one.metadata.name,
    );
  assert.deepEqual(await names('?labelSelector=rack%3Done'), ['a', 'c']);
  assert.deepEqual(await names('?labelSelector=rack+notin+(one)'), ['b']);
  assert.deepEqual(await names('?fieldSelector=metadata.name%3Db'), ['b']);
  const page = await api.call('GET', `${base}/hardware?limit=2`);
  assert.deepEqual(await names(`?limit=2&continue=${encodeURIComponent(page.body.metadata.continue)}`), [
    'c',
  ]);
  assert.equal((await api.call('GET', `${base}/hardware?fieldSelector=spec.x%3D1`)).code, 400);
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
  const table = await api.call('GET', '/apis/tinkerbell.org/v1alpha1/hardware', undefined, { accept });
  assert.deepEqual(
    table.body.columnDefinitions.map((one: { name: string }) => one.name),
    ['Name', 'State', 'MAC', 'Address', 'Age'],
  );
  assert.deepEqual(
    table.body.rows.map((row: { cells: unknown[] }) => row.cells.slice(0, 2)),
    [
      ['a', 'no workflow'],
      ['b', 'no workflow'],
      ['c', 'no workflow'],
    ],
  );
});

async function eventsOf(response: Response, count: number): Promise<string[]> {
  const events: string[] = [];
  let rest = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = JSON.parse(line) as { type: string; object: { metadata: { name: string } } };
      events.push(`${event.type} ${event.object.metadata.name}`);
    }
    if (events.length >= count) break;
  }
  return events;
}

test('watches from the start, from a revision, and through a selector', async () => {
  await using api = await startedApi();
  const { body: first } = await api.call(
    'POST',
    `${base}/hardware`,
    hardwareOf('a', { labels: { rack: 'one' } }),
  );
  const all = await api.raw('GET', `${base}/hardware?watch=true`);
  const later = await api.raw(
    'GET',
    `${base}/hardware?watch=true&resourceVersion=${first.metadata.resourceVersion}`,
  );
  const selected = await api.raw('GET', `${base}/hardware?watch=true&labelSelector=rack%3Done`);
  await api.call('POST', `${base}/hardware`, hardwareOf('b'));
  await api.call('PATCH', `${base}/hardware/a`, { metadata: { labels: { rack: 'two' } } }, merge);
  await api.call('DELETE', `${base}/hardware/a`);
  assert.deepEqual(await eventsOf(all, 4), ['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED a']);
  assert.deepEqual(await eventsOf(later, 3), ['ADDED b', 'MODIFIED a', 'DELETED a']);
  assert.deepEqual(await eventsOf(selected, 2), ['ADDED a', 'DELETED a']);
});

test('keeps an object with finalizers until they are gone', async () => {
  await using api = await startedApi();
  await api.call('POST', `${base}/hardware`, hardwareOf('a', { finalizers: ['x.org/y'] }));
  const marked = await api.call('DELETE', `${base}/hardware/a`);
  assert.ok(marked.body.metadata.deletionTimestamp);
  assert.equal((await api.call('GET', `${base}/hardware/a`)).code, 200);
  await api.call('PATCH', `${base}/hardware/a`, { metadata: { finalizers: null } }, merge);
  assert.equal((await api.call('GET', `${base}/hardware/a`)).code, 404);
});

test('changes nothing in a dry run', async () => {
  await using api = await startedApi();
  assert.equal((await api.call('POST', `${base}/hardware?dryRun=All`, hardwareOf())).code, 201);
  assert.equal((await api.call('GET', `${base}/hardware/m1`)).code, 404);
});

test('rejects a template that cannot be parsed, with its line', async () => {
  await using api = await startedApi();
  const template = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name: 't' },
    spec: { data: 'name: x\ntasks: {{ .device_1 ' },
  };
  const refused = await api.call('POST', `${base}/templates`, template);
  assert.equal(refused.code, 422);
  assert.match(refused.body.message, /line 2, column 21 of the template: unclosed action/);
  assert.equal((await api.call('GET', `${base}/templates/t`)).code, 404);
});

test('stores a workflow whose template does not render for its hardware, with a warning', async () => {
  await using api = await startedApi();
  await api.call('POST', `${base}/hardware`, hardwareOf());
  const data =
    'name: x\ntasks:\n  - name: t\n    worker: "{{.device_1}}"\n    actions:\n      - {name: a, image: img}\n';
  await api.call('POST', `${base}/templates`, {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name: 't' },
    spec: { data },
  });
  const workflow = (name: string, hardwareMap: object) => ({
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name },
    spec: { templateRef: 't', hardwareRef: 'm1', hardwareMap },
  });
  const waiting = await api.call('POST', `${base}/workflows`, workflow('w', {}));
  assert.equal(waiting.code, 201);
  assert.match(waiting.headers.get('warning') ?? '', /does not render: .*device_1.*; the workflow waits/);
  const rendered = await api.call('POST', `${base}/workflows`, workflow('v', { device_1: 'x' }));
  assert.equal(rendered.code, 201);
  assert.doesNotMatch(rendered.headers.get('warning') ?? '', /does not render/);
});

test('streams the timeline of a machine', async () => {
  await using api = await startedApi();
  await api.call('POST', `${base}/hardware`, hardwareOf());
  const entry = { source: 'dhcp', machine: '52:54:00:00:00:01', message: '' } as const;
  api.journal.append({ ...entry, event: 'offer-sent' });
  const response = await api.raw('GET', `${base}/hardware/m1/timeline?watch=true`);
  api.journal.append({ ...entry, event: 'ack-sent' });
  const seen: string[] = [];
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    seen.push(
      ...chunk
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { event: string }).event),
    );
    if (seen.length === 2) break;
  }
  assert.deepEqual(seen, ['offer-sent', 'ack-sent']);
});

test('returns what a machine printed, apart from its timeline', async () => {
  await using api = await startedApi();
  await api.call('POST', `${base}/hardware`, hardwareOf());
  const entry = { source: 'bmc', machine: '52:54:00:00:00:01' } as const;
  api.journal.append({ ...entry, event: 'console-printed', message: 'GRUB' });
  api.journal.append({ ...entry, event: 'console-opened', message: 'opened' });
  const messages = async (path: string): Promise<string[]> =>
    (await (await api.raw('GET', `${base}/hardware/m1/${path}`)).text())
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { message: string }).message);
  assert.deepEqual(await messages('log'), ['GRUB']);
  assert.deepEqual(await messages('timeline'), ['opened']);
  assert.equal((await api.call('POST', `${base}/hardware/m1/log`, {})).code, 405);
});

test('sends warnings about any number of fields in a header that every client accepts', async () => {
  await using api = await startedApi();
  const fields = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`größe日本${i}`, 1]));
  const created = await api.call('POST', `${base}/templates`, {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name: 'odd' },
    spec: { data: 'name: w\ntasks: [{name: t, worker: a, actions: [{name: a, image: img}]}]\n', ...fields },
  });
  assert.equal(created.code, 201, JSON.stringify(created.body));
  const warnings = created.headers.get('warning') ?? '';
  assert.match(warnings, /^299 - "spec\.gr\?\?e|^299 - ".*unknown field/);
  assert.ok(warnings.length < 8192, `${warnings.length} characters`);
  assert.match(warnings, /and \d+ more"$/);
});
