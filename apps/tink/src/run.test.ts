/** Commands for all kinds, against a real server. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { runTink } from './run.ts';
import { createCommandRunner, writeText } from './testing/command-runner.ts';
import { hardware, template, templateText, workflow } from './testing/manifests.ts';
import { type RunningServer, forgetMachines, runServer } from './testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

const { done, failed, rendered, terminal, tink } = createCommandRunner(() => server);
const file = (name: string, text: string): string => writeText(server, name, text);
const mac = '08:00:27:00:00:01';

test('get prints tables, names, YAML and JSON', async () => {
  await done('apply -f - -n g1', {
    input: `${hardware('m1', mac)}---\n${template('t')}---\n${workflow('w', 't', 'm1')}`,
  });
  const [header, row] = (await done('get workflows -n g1 -o wide --show-labels')).split('\n');
  assert.match(
    header!,
    /^NAME +TEMPLATE +STATE +TASK +ACTION +AGENT +HARDWARE +TEMPLATE-RENDERING +ATTEMPTS +NOT-BEFORE +BREAKPOINTS +LAST-OPERATION +AGE +LABELS$/,
  );
  assert.match(row!, /^w +t +.* m1 .* <none>$/);
  assert.match(
    await done('get hw -A'),
    /^NAMESPACE +NAME +STATE +MAC +ADDRESS +AGE\n(.*\n)*g1 +m1 +\S.* +\S+:\S+ +192\.168\.56\.\d+ /,
  );
  assert.equal(await done('get hw,tpl m1 -n g1 -o name').catch(() => 'refused'), 'refused');
  const json = JSON.parse(await done('get template t -n g1 -o json')) as { spec: { data: string } };
  assert.equal(json.spec.data, templateText);
  const list = JSON.parse(await done('get hw,wf -n g1 -o json')) as {
    kind: string;
    items: { kind: string }[];
  };
  assert.deepEqual([list.kind, list.items.map((one) => one.kind)], ['List', ['Hardware', 'Workflow']]);
  const { code, out, err } = await tink('get wf -n nowhere');
  assert.deepEqual([code, out, err], [0, '', 'no workflows in namespace nowhere\n']);
});

test('the output of get can be applied again', async () => {
  await done('apply -f - -n g2', { input: `${hardware('m1', mac)}---\n${template('t')}` });
  const input = await done('get all -n g2 -o yaml');
  assert.equal(await done('apply -f - -n g2', { input }), 'hardware/m1 unchanged\ntemplate/t unchanged\n');
});

test('get -w prints rows as they change', async () => {
  const recording = terminal();
  const watching = runTink(['get', 'hw', '-w', '-n', 'g3'], recording);
  await recording.until(/NAME/);
  await done('apply -f - -n g3', { input: hardware('m1', mac) });
  await recording.until(/^m1 /m);
  await done('delete hw m1 -n g3');
  await recording.until(/^m1 .*\(deleted\)$/m);
  recording.interrupt();
  assert.equal(await watching, 0);
});

test('unknown names and kinds are reported with the nearest one', async () => {
  await done('apply -f - -n n1', { input: `${hardware('rack7-m1', mac)}---\n${template('debian')}` });
  assert.match(
    await failed('get hw rack7-m2 -n n1'),
    /hardware "rack7-m2" not found in namespace n1\n.*did you mean rack7-m1\?/,
  );
  assert.match(await failed('describe tpl debain -n n1'), /did you mean debian\?/);
  assert.match(await failed('get hw rack7-m1 -n n2'), /it is in namespace n1; add -n n1/);
  const kind = await tink('get hardwares');
  assert.equal(kind.err, 'tink: unknown kind "hardwares"\n      did you mean hardware?\n');
  const far = await tink('get zebra');
  assert.match(far.err, /known kinds: hardware \(hw\), templates \(tpl\), workflows \(wf\), /);
  const command = await tink('aplly -f x');
  assert.deepEqual([command.code, /Did you mean apply\?/.test(command.err)], [2, true]);
});

test('an invalid command line shows how the command is used', async () => {
  const cases: Readonly<Record<string, string>> = {
    get: `tink: missing required argument 'kind'
      usage: tink get [options] <kind> [names...]
      "tink get --help" has options and examples
`,
    'os init debian m1': `tink: too many arguments for 'init'. Expected 1 argument but got 2.
      usage: tink os init [options] <system>
      "tink os init --help" has options and examples
`,
    'token frobnicate': `tink: unknown command 'frobnicate'
      commands: create, list, revoke
      "tink token --help" has options and examples
`,
  };
  for (const [words, text] of Object.entries(cases))
    assert.deepEqual(await tink(words), { code: 2, out: '', err: text });
});

test('a token needs a role that exists', async () => {
  const { code, err } = await tink('token create ci --role editor');
  assert.equal(code, 2);
  assert.match(err, /^tink: there is no role "editor"\n +roles: .*edit.*view/);
  assert.match((await tink('get serviceaccounts')).err, /^no serviceaccounts/);
  assert.match((await tink('token create ci --role edit')).err, /^ci has the role edit; /);
});

test('delete accepts names and files', async () => {
  const path = file(
    'gone.yaml',
    `${hardware('m1', mac)}---\n${template('t')}---\n${workflow('w', 't', 'm1')}`,
  );
  await done(`apply -f ${path} -n d1`);
  assert.equal(await done('delete wf/w -n d1'), 'workflow/w deleted\n');
  const again = await failed(`delete -f ${path} -n d1`);
  assert.match(again, /workflow "w" not found/);
  assert.equal(
    await done(`delete -f ${path} -n d1 --ignore-not-found`),
    'template/t deleted\nhardware/m1 deleted\n',
  );
  assert.equal(await done('get all -n d1 -o name'), '');
});

test('describe shows a workflow’s actions and a machine’s network interfaces', async () => {
  await done('apply -f - -n e1', {
    input: `${hardware('m1', mac)}---\n${template('t')}---\n${workflow('w', 't', 'm1')}`,
  });
  await rendered('w', 'e1');
  const text = await done('describe workflow w -n e1');
  assert.match(text, /^State: +PENDING$/m);
  assert.match(
    text,
    /install \(agent 08:00:27:00:00:01\):\n +ACTION +STATE +ATTEMPT.*\n +stream image +PENDING/,
  );
  assert.match(text, /TemplateRenderedSuccess +True/);
  assert.match(text, /state-changed +workflow is PENDING/);
  const machine = await done('describe hw m1 -n e1');
  assert.match(machine, /08:00:27:00:00:01 +192\.168\.56\.43 +255\.255\.255\.0 .* allowed +allowed/);
  assert.match(machine, /Workflows:\n.*\n +w +t +PENDING/);
  assert.match(await done('describe tpl t -n e1'), /^ +7 {6,}actions:$/m);
});

test('the configuration file sets server and namespace, and the command line overrides it', async () => {
  const environment = { TINK_SERVER: '', TINK_CONFIG: join(server.folder, 'own', 'config.yaml') };
  await done(`config set-server ${server.url}/`, { environment });
  await done('config set-namespace c1', { environment });
  await done('apply -f - --create-namespace', { environment, input: hardware('m1', mac) });
  assert.equal(await done('get hw -o name', { environment }), 'hardware/m1\n');
  assert.match(
    await done('config view -n c2', { environment }),
    new RegExp(`server +${server.url} +from .*config\\.yaml\nnamespace +c2 +from --namespace`),
  );
  const wrong = await tink('config set-server localhost:80', { environment });
  assert.deepEqual([wrong.code, /must be a URL such as/.test(wrong.err)], [2, true]);
});

test('every command has help with examples', async () => {
  const help = await tink('--help');
  const commands = [...help.out.matchAll(/^ {2}([a-z]+)/gm)].map((match) => match[1]!);
  for (const command of ['apply', 'get', 'describe', 'delete', 'events', 'logs', 'version']) {
    assert.ok(commands.includes(command), command);
    assert.match(await done(`${command} --help`), /Examples:\n {2}/, command);
  }
  const grouped = [
    'hardware push',
    'template create',
    'workflow create',
    'workflow events',
    'workflow pause',
    'workflow resume',
    'workflow cancel',
    'workflow retry',
    'workflow skip',
    'workflow breakpoint',
    'workflow edit',
    'workflow rerun',
    'workflow validate',
    'workflow render',
    'workflow logs',
    'config set-server',
  ];
  for (const command of grouped) assert.match(await done(`${command} --help`), /Examples:\n {2}/, command);
});
