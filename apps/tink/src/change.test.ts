/** diff, edit, patch, label, annotate, delete and wait, against a real server. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import { runTink } from './run.ts';
import { createCommandRunner, writeText } from './testing/command-runner.ts';
import { hardware, template, workflow } from './testing/manifests.ts';
import { type RunningServer, forgetMachines, runServer } from './testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

const { done, failed, terminal, tink } = createCommandRunner(() => server);
const file = (name: string, text: string): string => writeText(server, name, text);
const mac = '08:00:27:00:00:01';

test('apply shows changes, coloured only on terminals, and diff exits with 1', async () => {
  const path = file('m1.yaml', hardware('m1', mac));
  const create = await tink(`diff -f ${path} -n a`);
  assert.deepEqual([create.code, /^\+ +mac: .?08:00/m.test(create.out)], [1, true]);
  await done(`apply -f ${path} -n a`);
  assert.deepEqual(await tink(`diff -f ${path} -n a`), { code: 0, out: '', err: '' });
  file('m1.yaml', hardware('m1', mac, '  agentID: agent-7\n'));
  const diff = await tink(`diff -f ${path} -n a`);
  assert.equal(diff.code, 1);
  assert.match(
    diff.out,
    /^--- server\/hardware\/m1\n\+\+\+ new\/hardware\/m1\n@@ .*\n(.*\n)*\+ {2}agentID: agent-7\n/,
  );
  assert.match(diff.err, /1 object differs from the server\n.*tink apply/);
  const dry = await tink(`apply -f ${path} -n a --dry-run=client`);
  assert.deepEqual([dry.out, /^\+ {2}agentID/m.test(dry.err)], ['hardware/m1 configured (dry run)\n', true]);
  const line = JSON.parse(await done(`apply -f ${path} -n a --json --dry-run`)) as object;
  assert.deepEqual(line, { kind: 'Hardware', namespace: 'a', name: 'm1', deed: 'configured', dryRun: true });
  const coloured = await tink(`apply -f ${path} -n a`, { isTty: true });
  assert.ok(coloured.err.includes('\u001b[32m+  agentID: agent-7\u001b[0m'));
  const wrong = await tink('diff -f /nonexistent');
  assert.deepEqual([wrong.code, /file not found/.test(wrong.err)], [2, true]);
});

test('patch supports all patch types of the server', async () => {
  await done('apply -f - -n p', { input: hardware('m1', mac) });
  const merge = await runPatch(['hw', 'm1', '-n', 'p', '-p', '{spec: {agentID: a1}}']);
  assert.deepEqual([merge.code, merge.printed.out], [0, 'hardware/m1 patched\n']);
  assert.match(merge.printed.err, /^\+ {2}agentID: a1$/m);
  const again = await runPatch(['hw/m1', '-n', 'p', '-p', '{spec: {agentID: a1}}']);
  assert.equal(again.printed.out, 'hardware/m1 unchanged\n');
  const operations = '[{"op": "remove", "path": "/spec/agentID"}]';
  const json = await runPatch(['hw/m1', '-n', 'p', '--type', 'json', '-p', operations]);
  assert.equal(json.code, 0, json.printed.err);
  const wrong = await runPatch(['hw/m1', '-n', 'p', '-p', '[]']);
  assert.deepEqual([wrong.code, /a merge patch must be an object/.test(wrong.printed.err)], [2, true]);
  const refused = await runPatch(['hw/m1', '-n', 'p', '-p', '{spec: {agentIDD: x}}']);
  assert.deepEqual([refused.code, /agentIDD/.test(refused.printed.err)], [1, true]);
});

async function runPatch(words: readonly string[]) {
  const recording = terminal();
  return { code: await runTink(['patch', ...words], recording), printed: recording.printed };
}

test('labels and annotations are set, protected from accidental changes, and removed', async () => {
  await done('apply -f - -n l', {
    input: `${hardware('m1', mac)}---\n${hardware('m2', '08:00:27:00:00:02')}`,
  });
  assert.equal(await done('label hw m1 m2 rack=r7 -n l'), 'hardware/m1 labeled\nhardware/m2 labeled\n');
  assert.equal(await done('label hw m1 rack=r7 -n l'), 'hardware/m1 unchanged\n');
  const slip = await failed('label hw m1 rack=r8 room=x -n l');
  assert.match(slip, /hardware\/m1 has rack=r7; nothing was changed\n.*--overwrite/);
  assert.equal(await done('label hw/m1 rack=r8 -n l --overwrite'), 'hardware/m1 labeled\n');
  assert.equal(await done('label hw -l rack=r7 rack- -n l'), 'hardware/m2 labeled\n');
  assert.equal(await done('get hw -n l -l rack -o name'), 'hardware/m1\n');
  assert.equal(await done('annotate hw/m1 note=hot -n l'), 'hardware/m1 annotated\n');
  assert.equal(await done('get hw/m1 -n l -o jsonpath={.metadata.annotations.note}'), 'hot');
  assert.equal((await tink('label hw m1 -n l')).code, 2);
});

test('edit stores the edited text, and keeps rejected text', async () => {
  await done('apply -f - -n e', { input: hardware('m1', mac) });
  const editor = (script: string) => ({ environment: { EDITOR: `sed -i ${script}` } });
  assert.equal(await done('edit hw m1 -n e', { environment: { EDITOR: 'true' } }), 'hardware/m1 unchanged\n');
  assert.equal(await done('edit hw/m1 -n e', editor('s,/dev/sda,/dev/vda,')), 'hardware/m1 edited\n');
  assert.equal(await done('get hw/m1 -n e -o jsonpath={.spec.disks[0].device}'), '/dev/vda');
  const refused = await failed('edit hw m1 -n e', editor('s,netmask:,netmusk:,'));
  const kept = /your text is in (\S+);/.exec(refused)?.[1] ?? '';
  assert.match(readFileSync(kept, 'utf8'), /netmusk/);
  assert.equal(
    await done(`edit hw m1 -n e --from ${kept}`, editor('-e s,netmusk:,netmask:, -e s,vda,sdb,')),
    'hardware/m1 edited\n',
  );
  assert.ok(existsSync(kept));
  assert.match(await failed('edit hw m1 -n e', editor('s,m1,m2,')), /cannot be changed/);
  assert.match(
    await failed('edit hw m1 -n e', { environment: { EDITOR: 'false' } }),
    /the editor \(false\) exited with 1/,
  );
});

test('wait ends when the condition is met, when it can no longer be met, and after the timeout', async () => {
  await done('apply -f - -n w', {
    input: `${hardware('m1', mac)}---\n${template('t')}---\n${workflow('w', 't', 'm1')}`,
  });
  assert.match(
    await done('wait workflow w -n w --for condition=TemplateRenderedSuccess'),
    /workflow\/w condition met/,
  );
  assert.match(await done('wait wf/w -n w --for state=pending'), /PENDING/);
  const late = await failed('wait wf w -n w --for state=SUCCESS --timeout 1s');
  assert.match(late, /workflow\/w: condition not met within 1 s; now: PENDING.*\n.*--timeout/);
  const recording = terminal();
  const words = ['wait', 'hw', 'm1', '-n', 'w', '--for', 'jsonpath={.metadata.labels.rack}=r7'];
  const waiting = runTink(words, recording);
  await recording.until(/rack\} is missing/);
  await done('label hw m1 rack=r7 -n w');
  assert.equal(await waiting, 0);
  await done('workflow cancel w -n w');
  assert.match(await failed('wait wf w -n w --for state=SUCCESS'), /can no longer be met/);
  assert.match(await failed('wait wf ww -n w --for state=SUCCESS'), /did you mean w\?/);
  assert.equal((await tink('wait wf w -n w --for sunshine')).code, 2);
});

test('delete waits until the object is gone', async () => {
  await done('apply -f - -n d', { input: hardware('m1', mac) });
  assert.match(await done('delete hw m1 -n d --dry-run'), /deleted \(dry run\)/);
  assert.equal(await done('delete hw m1 -n d --wait --cascade orphan'), 'hardware/m1 deleted\n');
  assert.match(await done('wait hw m1 -n d --for delete'), /condition met: deleted/);
});

test('delete selects objects by labels, or all of a kind in the namespace', async () => {
  const templates = ['t1', 't2', 't3'].map((name) => template(name)).join('---\n');
  for (const namespace of ['d', 'e']) await done(`apply -f - -n ${namespace}`, { input: templates });
  await done('label tpl t2 t3 rack=r7 -n d');
  assert.match(await done('delete tpl -l rack=r7 -n d --dry-run'), /t2 deleted \(dry run\)\n.*t3 deleted/);
  assert.equal(await done('delete tpl -l rack=r7 -n d'), 'template/t2 deleted\ntemplate/t3 deleted\n');
  const none = await tink('delete tpl -l rack=r7 -n d');
  assert.deepEqual(none, { code: 0, out: '', err: 'no templates were selected\n' });
  assert.equal(await done('delete tpl --all -n d'), 'template/t1 deleted\n');
  assert.equal((await done('get tpl -n e -o name')).trim().split('\n').length, 3, 'another namespace');
  for (const words of ['tpl', 'tpl t1 --all', 'tpl t1 -l a=b', 'tpl --all -l a=b', 'tpl -l', '-f x --all'])
    assert.equal((await tink(`delete ${words} -n e`)).code, 2, words);
  const empty = terminal();
  assert.equal(
    await runTink(['delete', 'tpl', '-n', 'e', '-l', ''], empty),
    2,
    'an empty selector selects all',
  );
});
