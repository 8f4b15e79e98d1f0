/** Templates that are rendered when a Workflow is created. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseReferenceRules } from '@tinkerbell/template';
import { nodeClock } from '@tinkerbell/platform-node';
import { createWorkerTexts } from '@tinkerbell/platform-node/texts';
import { base, startedApi } from './testing/started-api.ts';

type Api = Awaited<ReturnType<typeof startedApi>>;

function put(api: Api, kind: 'hardware' | 'templates' | 'workflows', name: string, spec: object) {
  const kinds = { hardware: 'Hardware', templates: 'Template', workflows: 'Workflow' };
  return api.call('POST', `${base}/${kind}`, {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: kinds[kind],
    metadata: { name },
    spec,
  });
}

test('timers keep running while an endless template is rendered, and its workflow waits with a warning', async () => {
  await using api = await startedApi();
  /** Within the limit of steps, and far beyond the limit of time. */
  const slow = `{{ $x := repeat 1000000 "a" }}{{ range until 1000 }}{{ range until 300 }}{{ $_ := contains "b" $x }}{{ end }}{{ end }}`;
  await put(api, 'templates', 't', { data: slow });
  let ticks = 0;
  // Simulates a DHCP server, which must answer within some tens of milliseconds.
  const timer = setInterval(() => (ticks += 1), 10);
  const [stored, read] = await Promise.all([
    put(api, 'workflows', 'w', { templateRef: 't' }),
    api.call('GET', `${base}/templates/t`),
  ]);
  clearInterval(timer);
  assert.deepEqual([stored.code, read.code], [201, 200]);
  assert.match(
    stored.headers.get('warning') ?? '',
    /template t does not render: template took longer than 2 s/,
  );
  // 200 in two quiet seconds, and none if the template blocks the thread.
  assert.ok(ticks > 40, `the timer ran ${ticks} times`);
  assert.equal((await api.call('GET', `${base}/workflows/w`)).code, 200);
});

test('warns about an image that the agent cannot run, at the template and at its workflow', async () => {
  await using api = await startedApi();
  const images = '{name: a, image: "quay.io/x/customtool:v1"}, {name: b, image: "{{ .image }}"}';
  const data = `name: x\ntasks: [{name: t, worker: w, actions: [${images}]}]\n`;
  const template = await put(api, 'templates', 't', { data });
  assert.equal(template.code, 201);
  const warning = /cannot run the image quay\.io\/x\/customtool:v1; built in are image2disk, /;
  assert.match(template.headers.get('warning') ?? '', warning);
  const hardwareMap = { image: 'parted:v1' };
  const workflow = await put(api, 'workflows', 'w', { templateRef: 't', hardwareMap });
  assert.match(workflow.headers.get('warning') ?? '', warning);
  assert.match(workflow.headers.get('warning') ?? '', /cannot run the image parted:v1/);
  const fine = { data: data.replace('x/customtool', 'x/cexec').replace('"{{ .image }}"', 'writefile:v2') };
  assert.equal((await put(api, 'templates', 'u', fine)).headers.get('warning'), null);
});

test('a template sees the references that the rules allow, and a warning has the reason for others', async () => {
  const parsed = parseReferenceRules({
    deny: '{"reference":{"name":[{"wildcard":"*"}]}}',
    allow: '{"reference":{"resource":["templates"]}}',
  });
  assert.ok(parsed.ok);
  await using api = await startedApi(parsed.rules);
  const reference = { namespace: 'default', group: 'tinkerbell.org', version: 'v1alpha1' };
  const references = {
    mine: { ...reference, name: 't', resource: 'templates' },
    other: { ...reference, name: 'h', resource: 'hardware' },
  };
  await put(api, 'hardware', 'h', { references });
  const text = (name: string): string =>
    `name: x\ntasks:\n  - name: t\n    worker: "{{ .references.${name}.metadata.name }}"\n    actions: [{name: a, image: img}]\n`;
  await put(api, 'templates', 't', { data: text('mine') });
  await put(api, 'templates', 'u', { data: text('other') });
  const created = await put(api, 'workflows', 'w', { templateRef: 't', hardwareRef: 'h' });
  assert.equal(created.code, 201, JSON.stringify(created.body));
  const waiting = await put(api, 'workflows', 'x', { templateRef: 'u', hardwareRef: 'h' });
  assert.equal(waiting.code, 201);
  assert.match(
    waiting.headers.get('warning') ?? '',
    /line 4, column \d+ of the template: .*other.* \(reference denied: other\)/,
  );
});

test('rejects more workflows than it can check with 429', async () => {
  await using api = await startedApi();
  await put(api, 'templates', 't', {
    data: 'name: x\ntasks: [{name: t, worker: a, actions: [{name: a, image: img}]}]\n',
  });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => put(api, 'workflows', `w${i}`, { templateRef: 't' })),
  );
  const refused = answers.filter(({ code }) => code === 429);
  assert.ok(refused.length > 0 && refused.length < 200, `${refused.length} were refused`);
  assert.ok(answers.every(({ code }) => code === 201 || code === 429));
  assert.equal(refused[0]?.headers.get('retry-after'), '5');
  assert.equal(refused[0]?.body.reason, 'TooManyRequests');
  assert.equal((await put(api, 'workflows', 'later', { templateRef: 't' })).code, 201);
});

test('timers keep running while a template of a megabyte is parsed, and its error has a line', async () => {
  const texts = createWorkerTexts(nodeClock);
  await using api = await startedApi(undefined, { texts });
  const path = `${base}/templates`;
  const template = (name: string, data: string) => ({
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name },
    spec: { data },
  });
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 0);
  const before = process.threadCpuUsage();
  const made = await api.call('POST', path, template('good', '{{ .x }}\n'.repeat(120_000)));
  const used = process.threadCpuUsage(before);
  clearInterval(timer);
  assert.equal(made.code, 201, made.body.message);
  assert.ok(turns >= 10, `${turns} turns`);
  // Reading and storing it also uses this thread, and parsing it would take three times as long.
  assert.ok(used.user < 2_000_000, `${used.user} microseconds`);
  const broken = await api.call('POST', path, template('bad', `${'x\n'.repeat(5000)}{{ end }}`));
  assert.equal(broken.code, 422);
  assert.match(broken.body.message, /line 5001, column \d+ of the template/);
  await texts.close();
});
