/** `tink doctor` against the real server. A Template that does not render needs no machine. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { runTink } from '../run.ts';
import type { Diagnosed } from '../client/answers.ts';
import { createCommandRunner, writeText } from '../testing/command-runner.ts';
import { hardware } from '../testing/manifests.ts';
import { runServer, type RunningServer } from '../testing/running-server.ts';
import { diagnosisText, summaryText } from './doctor-page.ts';

let server: RunningServer;
const { tink, done, terminal } = createCommandRunner(() => server);

const work = `apiVersion: tinkerbell.org/v1alpha1
kind: Template
metadata: {name: broken}
spec:
  data: |
    version: "0.1"
    name: broken
    global_timeout: 60
    tasks:
      - name: "{{ index .absent 3 }}"
        worker: "{{ .device_1 }}"
        actions: [{name: a, image: b, timeout: 60}]
---
apiVersion: tinkerbell.org/v1alpha1
kind: Workflow
metadata: {name: w}
spec: {templateRef: broken, hardwareRef: m2, hardwareMap: {device_1: "08:00:27:00:00:02"}}
`;

/** The doctor checks once a second. */
async function until<Value>(ask: () => Promise<Value>, isDone: (value: Value) => boolean): Promise<Value> {
  for (let attempt = 0; ; attempt += 1) {
    const value = await ask();
    if (isDone(value) || attempt === 200) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe('tink doctor', () => {
  before(async () => {
    server = await runServer();
    const machines = [hardware('m1', '08:00:27:00:00:01'), hardware('m2', '08:00:27:00:00:02')];
    await done(`apply -f ${writeText(server, 'm.yaml', machines.join('---\n'))}`);
  });
  after(() => server.remove());

  test('exits 0 when no machine stands still', async () => {
    const { out } = await until(
      () => tink('doctor'),
      ({ out: text }) => text.includes('2 unseen'),
    );
    assert.equal(out, '2 machines: 2 unseen\n');
    assert.match(await done('doctor m1'), /^m1: unseen\n  It has not asked for anything yet\.\n$/);
  });

  test('reports cause, evidence and advice, and exits 1, as text and as JSON', async () => {
    await tink(`apply -f ${writeText(server, 'w.yaml', work)}`);
    const { code, out, err } = await until(
      () => tink('doctor m2'),
      (result) => result.code === 1,
    );
    assert.equal(code, 1, out);
    assert.match(
      out,
      /^m2: stopped, template-not-rendered \(certain\), since \S+ \S+\n  The Template .*default\/w\.\n/,
    );
    assert.match(out, /\n  1\. Correct what the evidence names/);
    assert.equal(err, 'tink: 1 machine does not boot\n');
    const json = await tink('doctor --all --json');
    assert.equal(json.code, 1);
    const found = json.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Diagnosed);
    assert.deepEqual(
      found.map(({ machine, state, cause }) => [machine, state, cause]),
      [
        ['m1', 'unseen', undefined],
        ['m2', 'stopped', 'template-not-rendered'],
      ],
    );
    const all = await tink('doctor');
    assert.match(all.out, /^m2: stopped[^]*\n2 machines: 1 stopped, 1 unseen\n$/);
  });

  test('writes a condition and an Event, which kubectl shows', async () => {
    assert.match(await done('get hardware m2 -o yaml'), /reason: TemplateNotRendered/);
    const events = await until(
      () => done('get events'),
      (text) => text.includes('BootStopped'),
    );
    assert.match(events, /BootStopped/);
  });

  test('-w prints again after a change, and ends with Ctrl-C', async () => {
    const recording = terminal();
    const watching = runTink(['doctor', 'm1', '-w'], recording);
    await recording.until(/m1: unseen/);
    await (await fetch(`${server.url}/ipxe/script/08:00:27:00:00:01/auto.ipxe`)).text();
    await recording.until(/m1: booting/);
    recording.interrupt();
    assert.equal(await watching, 0);
  });

  test('--check tries what can be tried from this host, and says what is unknown', async () => {
    const { code, out, err } = await tink('doctor m2 --check');
    assert.equal(code, 1);
    assert.match(out, /^m2: stopped/);
    assert.match(
      out,
      /\n  Checks from this host:\n    ports +the machine has not got a URL of the server yet/,
    );
    assert.match(out, /\n    address +192\.168\.56\.44: no host answers/);
    assert.match(out, /\n    bmc +the Hardware names no BMC\n    console +nothing is recorded\n$/);
    assert.equal(err, 'tink: 1 machine does not boot\n');
    const json = JSON.parse((await tink('doctor m2 --check --json')).out) as { checks: { check: string }[] };
    assert.deepEqual(
      json.checks.map(({ check }) => check),
      ['ports', 'address', 'bmc', 'console'],
    );
  });

  test('--check --from server lets the server try', async () => {
    const { code, out } = await tink('doctor m2 --check --from server');
    assert.equal(code, 1);
    assert.match(out, /^m2: stopped[^]*\n  Checks from the server:\n    address +192\.168\.56\.44: no host/);
    assert.match(
      out,
      /\n    bmc +the Hardware names no BMC\n    console +nothing is recorded of this boot\n$/,
    );
  });

  test('--check --from agent:NAME needs an agent that is connected', async () => {
    const { code, err } = await tink('doctor m1 --check --from agent:m2');
    assert.equal(code, 1);
    assert.match(err, /no agent of m2 is connected to this server; it is while m2 runs the in-memory OS/);
    assert.match((await tink('doctor m1 --check --from agent:m9')).err, /not found/);
  });

  test('--check --from relay:NAME needs a relay that is connected', async () => {
    const { code, err } = await tink('doctor m1 --check --from relay:rack-7');
    assert.equal(code, 1);
    assert.match(err, /no relay "rack-7" is connected to this server; start it with --relay-api-url/);
  });

  test('--check needs one machine, and --interface needs --check', async () => {
    assert.match((await tink('doctor --check')).err, /--check needs one machine/);
    assert.match((await tink('doctor m1 --interface eth0')).err, /--interface needs --check/);
    assert.match((await tink('doctor m1 --from server')).err, /--from needs --check/);
    const elsewhere = await tink('doctor m1 --check --from agent:m2 --interface eth0');
    assert.match(elsewhere.err, /--interface needs --check from this host/);
  });

  test('rejects a machine together with --all, and a machine that does not exist', async () => {
    assert.equal((await tink('doctor m1 --all')).code, 2);
    assert.match((await tink('doctor m9')).err, /not found/);
  });
});

test('the texts escape what machines have sent, and a machine without a verdict is unknown', () => {
  const text = diagnosisText({
    namespace: 'default',
    machine: 'm1',
    state: 'stopped',
    cause: 'action-failed',
    text: 'An action failed.',
    evidence: [{ time: '2026-01-02T03:04:05Z', text: 'failed: \u001b[2J' }],
    advice: [],
  });
  assert.ok(!text.includes('\u001b'));
  const unknown = { namespace: 'default', machine: 'm2', reason: 'no diagnosis yet' };
  assert.equal(summaryText([unknown]), '1 machine: 1 unknown\n');
});
