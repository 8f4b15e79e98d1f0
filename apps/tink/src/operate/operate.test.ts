/** Operator commands for workflows, against a real server. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { runTink } from '../run.ts';
import { createCommandRunner, writeText } from '../testing/command-runner.ts';
import { hardware, template, workflow } from '../testing/manifests.ts';
import { type RunningServer, forgetMachines, runServer } from '../testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

const { done, failed, rendered, terminal, tink } = createCommandRunner(() => server);
const mac = '08:00:27:00:00:01';

const text = `version: "0.1"
name: debian
global_timeout: 1800
tasks:
  - name: "install"
    worker: "{{ .device_1 }}"
    actions:
      - {name: "stream image", image: "image2disk:v1", timeout: 600, retries: 2, environment: {DEST_DISK: /dev/sda}}
      - {name: "grub", image: "grub:v1"}
  - name: "check"
    worker: "{{ .device_1 }}"
    actions:
      - {name: "grub", image: "test:v1"}
`;

/** Creates a workflow `w` in its own namespace. */
async function prepared(namespace: string): Promise<void> {
  const input = [hardware('m1', mac), template('t', text), workflow('w', 't', 'm1')].join('---\n');
  await done(`apply -f - -n ${namespace}`, { input });
  await rendered('w', namespace);
}

/** Runs words that contain spaces. */
async function run(words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const recording = terminal();
  const code = await runTink(words, recording);
  return { code, ...recording.printed };
}

test('each command prints what changed and what happens next', async () => {
  await prepared('o1');
  assert.equal(
    await done('workflow pause w -n o1 --why dust'),
    'workflow/w paused\nnext: no action is assigned; resume it with "tink workflow resume w"\n',
  );
  assert.match(await done('workflow pause w -n o1'), /^workflow\/w unchanged: it is already paused\n/);
  assert.match(await done('get wf w -n o1'), / PENDING \(paused\) /);
  assert.match(
    await done('describe workflow w -n o1'),
    /^Paused: +paused by alice \(from 127\.0\.0\.1\): dust, since 2\S+Z$/m,
  );
  assert.equal(
    await done('workflow resume w -n o1'),
    `workflow/w resumed\nnext: install / stream image, when agent ${mac} requests it\n`,
  );
  assert.match(
    await done('workflow breakpoint w install/grub -n o1'),
    /^workflow\/w breakpoint set at install\/grub\n {2}install \/ grub: breakpoint none -> true\nnext: /,
  );
  assert.match(await done('workflow breakpoint w install/grub -n o1 --remove'), /breakpoint true -> none\n/);
  await done('workflow breakpoint w check/grub -n o1');
  const skipped = await run(['workflow', 'skip', 'w', 'stream image', '-n', 'o1']);
  assert.match(
    skipped.out,
    /^workflow\/w stream image skipped\n.*PENDING -> SUCCESS\nnext: install \/ grub, when agent/m,
  );
  assert.match(
    await done('workflow cancel w -n o1'),
    /cancelled\n {2}PENDING -> CANCELLED\nnext: the workflow is CANCELLED; run it again/,
  );
  assert.match(
    await done('workflow retry w -n o1'),
    /retried\n {2}CANCELLED -> PENDING\nnext: install \/ grub, when agent/,
  );
  const described = await done('describe workflow w -n o1');
  assert.match(
    described,
    /Operations:\n +TIME +VERB +ACTION +WHO +WHY\n +\S+ +pause +alice \(from 127\.0\.0\.1\) +dust\n/,
  );
  assert.match(described, /grub +PENDING +test:v1 +breakpoint\n/);
  assert.match(await done('get wf w -n o1 -o wide'), /grub +retry by alice/);
});

test('an edit changes the given fields and keeps the rest', async () => {
  await prepared('o2');
  const edit = async (...words: string[]) =>
    run(['workflow', 'edit', 'w', 'stream image', '-n', 'o2', ...words]);
  const { code, out } = await edit(
    '--image',
    'image2disk:v2',
    '--env',
    'IMG_URL=http://x/y?a=b',
    '--timeout',
    '10m30s',
  );
  assert.equal(code, 0);
  assert.match(out, /image image2disk:v1 -> image2disk:v2\n/);
  assert.match(
    out,
    /environment \{"DEST_DISK":"\/dev\/sda"\} -> \{"DEST_DISK":"\/dev\/sda","IMG_URL":"http:\/\/x\/y\?a=b"\}\n/,
  );
  assert.match(out, /timeout 600 -> 630\n/);
  const json = await edit('--unset-env', 'DEST_DISK', '--command', '["sh", "-c", "echo 1 2"]', '--json');
  const { status } = JSON.parse(json.out) as {
    status: { tasks: { actions: { command: string[]; environment: object }[] }[] };
  };
  assert.deepEqual(status.tasks[0]!.actions[0]!.command, ['sh', '-c', 'echo 1 2']);
  assert.deepEqual(Object.keys(status.tasks[0]!.actions[0]!.environment), ['IMG_URL']);
  const cases: [words: string[], code: number, says: RegExp][] = [
    [[], 2, /needs at least one change/],
    [['--timeout', 'soon'], 2, /--timeout must be seconds or a duration such as 90s/],
    [['--env', 'X'], 2, /--env must be NAME=VALUE/],
    [['--unset-env', 'X'], 2, /has no variable X/],
    [['--command', '["a", 1]'], 2, /JSON list of strings/],
    [['--image', 'A B'], 1, /not a valid reference/],
  ];
  for (const [words, wanted, says] of cases) {
    const refused = await edit(...words);
    assert.equal(refused.code, wanted, words.join(' '));
    assert.match(refused.err, says);
  }
});

test('prints the rejection of the server, with advice', async () => {
  await prepared('o3');
  assert.match(
    await failed('workflow retry w -n o3'),
    /cannot retry workflow "w": the workflow is not finished; cancel it first/,
  );
  assert.match(
    await failed('workflow skip w nothing -n o3'),
    /no such action; it has: install \/ stream image, install \/ grub, check \/ grub/,
  );
  assert.match(await failed('workflow skip w grub -n o3'), /name the task too/);
  assert.match(await failed('workflow pause v -n o3'), /workflow "v" not found[^]*did you mean|there are: w/);
  assert.equal((await tink('workflow skip w -n o3')).code, 2);
});

test('a dry run prints what would happen, and does nothing', async () => {
  await prepared('o4');
  assert.match(await done('workflow pause w -n o4 --dry-run'), /^workflow\/w paused \(dry run\)\n/);
  assert.match(await done('get wf w -n o4'), / PENDING  /);
});

test('validate and render print the position of an error, with the lines around it', async () => {
  await prepared('o5');
  const good = writeText(server, 'good.yaml', text);
  const bad = writeText(server, 'bad.yaml', text.replace('.device_1', '.device_1 | frobnicate'));
  assert.equal(await done(`workflow validate -f ${good}`), `${good}: the template is valid\n`);
  assert.match(
    await failed(`workflow validate -f ${bad}`),
    /bad\.yaml: line 6, column \d+: function "frobnicate" not defined[^]*> 6 \| {5}worker: [^]*\^/,
  );
  const manifest = writeText(server, 'manifest.yaml', `${template('t', text)}---\n${hardware('m1', mac)}`);
  assert.match(await done(`workflow validate -f ${manifest}`), /^2 objects are valid\n/);
  assert.match(await done('workflow render t --hardware m1 -n o5'), /worker: "08:00:27:00:00:01"\n/);
  const json = JSON.parse(await done(`workflow render -f ${good} -r m1 -n o5 --json`)) as {
    workflow: { tasks: { actions: { environment: object }[] }[] };
  };
  assert.deepEqual(json.workflow.tasks[0]!.actions[0]!.environment, { DEST_DISK: '/dev/sda' });
  assert.match(await failed('workflow render t -n o5'), /t: line 6, column \d+: .*device_1[^]*> 6 \|/);
  const wrong = await tink('workflow render t -n o5 --json');
  assert.equal((JSON.parse(wrong.out) as { error: { line: number } }).error.line, 6);
  assert.equal((await tink('workflow render -n o5')).code, 2);
});

test('local rendering resolves hardware references, and the server’s rules decide', async () => {
  const references = `  references:
    os: {namespace: o6, name: os, group: tinkerbell.org, version: v1alpha1, resource: templates}
`;
  const referring = text.replace('image: "grub:v1"', 'image: "{{ .references.os.spec.data }}"');
  const input = [hardware('m1', mac, references), template('t', referring)].join('---\n');
  await done('apply -f - -n o6', { input });
  assert.match(await failed('workflow render t -r m1 -n o6'), /no entry for key "os"/);
  await done('template create --file - --name os -n o6', { input: 'debian:12' });
  assert.match(await done('workflow render t -r m1 -n o6'), /image: "debian:12/);
  for (const [words, options] of [
    ['workflow create -t t -r m1 -n o6', {}],
    ['apply -f - -n o6', { input: workflow('w', 't', 'm1') }],
  ] as const) {
    const { code, err } = await tink(words, options);
    assert.deepEqual([code, /^warning: .*reference denied: os/m.test(err)], [0, true], err);
  }
});
