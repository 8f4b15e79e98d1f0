import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import { createWorkerRenderer, type RenderSettings } from './worker-renderer.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });

function rendererWith(settings: RenderSettings = {}) {
  const renderer = createWorkerRenderer(nodeClock, log, settings);
  return Object.assign(renderer, { [Symbol.asyncDispose]: () => renderer.close() });
}

const good = 'name: w\ntasks: [{name: t, worker: "{{.device_1}}", actions: [{name: a, image: img}]}]\n';
/** Within the limit of steps, and far beyond the time limit. */
const slow = `{{ $x := repeat 1000000 "a" }}{{ range until 1000 }}{{ range until 300 }}{{ $_ := contains "b" $x }}{{ end }}{{ end }}`;
/** Within the limits of a template, and beyond the limits of a small thread. */
const large = '{{ $l := until 500000 }}{{ $m := until 400000 }}{{ $n := concat $l $m }}{{ len $n }}';

const input = (text: string) => ({ templateName: 'w', text, hardwareMap: { device_1: 'agent' } });

test('renders a workflow with its maps', async () => {
  await using renderer = rendererWith();
  const rendered = await renderer.workflow(input(good));
  assert.ok(rendered.ok);
  assert.equal(rendered.value.tasks[0]?.worker, 'agent');
  assert.ok(rendered.value.tasks[0]?.environment instanceof Map);
});

test("reports what is wrong with a template in upstream's words", async () => {
  await using renderer = rendererWith();
  const rendered = await renderer.workflow(input('{{ .none }}'));
  assert.ok(!rendered.ok);
  assert.match(rendered.message, /^failed to parse template with ID w: err: template: workflow-template:1:3/);
});

test('inserts Hardware into media URLs', async () => {
  await using renderer = rendererWith();
  const hardware = { spec: { interfaces: [{ dhcp: { mac: '52:54:00:00:00:01' } }] } };
  const texts = ['http://x/{{ (index .Hardware.Interfaces 0).DHCP.MAC | replace ":" "-" }}.iso', ''];
  assert.deepEqual(await renderer.texts({ templateName: 'w', texts, hardware }), {
    ok: true,
    value: ['http://x/52-54-00-00-00-01.iso', ''],
  });
});

test('provides cryptography to template functions', async () => {
  await using renderer = rendererWith();
  const asked = { templateName: 'w', texts: ['{{ sha256sum "a" | trunc 8 }}'], hardware: {} };
  assert.deepEqual(await renderer.texts(asked), { ok: true, value: ['ca978112'] });
});

test('stops a template that takes too long while everything else continues, then renders the next', async () => {
  await using renderer = rendererWith({ timeMs: 1000 });
  await renderer.workflow(input(good));
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 10);
  const [stopped, next] = await Promise.all([renderer.workflow(input(slow)), renderer.workflow(input(good))]);
  clearInterval(timer);
  assert.deepEqual(stopped, { ok: false, message: 'template took longer than 1 s', isStopped: true });
  assert.ok(next.ok);
  // 100 on an idle machine.
  assert.ok(ticks > 20, `the timer ran ${ticks} times`);
});

test('stops a template that takes too much memory', async () => {
  await using renderer = rendererWith({ timeMs: 60_000, memoryMb: 32 });
  const stopped = await renderer.workflow(input(large));
  assert.deepEqual(stopped, {
    ok: false,
    message: 'template took more than 32 MB of memory',
    isStopped: true,
  });
  assert.ok((await renderer.workflow(input(good))).ok);
});

test('ends its thread when there is no work, and starts another when there is', async () => {
  await using renderer = rendererWith({ idleMs: 1 });
  for (let i = 0; i < 3; i++) {
    assert.ok((await renderer.workflow(input(good))).ok);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test('renders before it checks, checks in order, and refuses checks when too many wait', async () => {
  await using renderer = rendererWith({ checksOfAuthor: 2 });
  const done: string[] = [];
  const note = (name: string) => (answer: { readonly ok: boolean; readonly message?: string }) =>
    done.push(answer.ok ? name : `${name}: ${answer.message}`);
  const owner = { namespace: 'lab', author: 'ann' };
  await Promise.all([
    renderer.check(input(good), owner).then(note('check 1')),
    renderer.check(input(good), owner).then(note('check 2')),
    renderer.check(input(good), owner).then(note('check 3')),
    renderer.workflow(input(good), owner).then(note('render')),
  ]);
  assert.deepEqual(done, [
    'check 3: 2 templates of ann in namespace lab wait to be rendered',
    'render',
    'check 1',
    'check 2',
  ]);
  assert.ok((await renderer.check(input(good), owner)).ok);
});

test('hostile checks delay a rendering by one template, not by all that wait', async () => {
  await using renderer = rendererWith({ timeMs: 300 });
  await renderer.workflow(input(good));
  let stopped = 0;
  const hostile = Array.from({ length: 10 }, () =>
    renderer.check(input(slow)).then(() => void (stopped += 1)),
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok((await renderer.workflow(input(good))).ok);
  assert.ok(stopped <= 1, `${stopped} were stopped before`);
  await Promise.all(hostile);
});

test('rejects waiting requests when it is closed', async () => {
  const renderer = rendererWith();
  const answers = Promise.allSettled([renderer.workflow(input(good)), renderer.check(input(good))]);
  await renderer.close();
  const reasons = (await answers).map((one) => (one.status === 'rejected' ? String(one.reason) : ''));
  assert.match(reasons[1] ?? '', /templates are no longer rendered/);
});
