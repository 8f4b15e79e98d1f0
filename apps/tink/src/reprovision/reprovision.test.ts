/** `tink reprovision` against a real server. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createCommandRunner } from '../testing/command-runner.ts';
import { hardware, template, workflow } from '../testing/manifests.ts';
import { type RunningServer, forgetMachines, runServer } from '../testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

const { done, failed, rendered, tink } = createCommandRunner(() => server);
const mac = '08:00:27:00:00:01';
const text = `version: "0.1"
name: debian
global_timeout: 1800
tasks:
  - name: install
    worker: "{{ .device_1 }}"
    actions: [{name: "{{ .release }}", image: "writefile:v1", timeout: 60}]
`;

async function prepared(namespace: string, machine = hardware('m1', mac)): Promise<void> {
  const first = workflow('w', 't', 'm1').replace('{device_1:', '{release: trixie, device_1:');
  const input = [machine, template('t', text), template('other', text), first].join('---\n');
  await done(`apply -f - -n ${namespace}`, { input });
  await rendered('w', namespace);
}

const specOf = async (name: string, namespace: string) =>
  (JSON.parse(await done(`get workflow ${name} -n ${namespace} -o json`)) as { spec: unknown }).spec;

test('creates a new workflow like the last one, once that has ended', async () => {
  await prepared('r1');
  assert.match(
    await failed('reprovision m1 -n r1'),
    /workflow\/w of this machine has not ended; it is PENDING\n.*cancel w/,
  );
  await done('workflow cancel w -n r1');
  assert.deepEqual(await tink('reprovision m1 -n r1'), {
    code: 0,
    out: 'm1-t\n',
    err: 'next: restart the machine so that it boots from the network; watch it with: tink workflow events m1-t -w\n',
  });
  assert.deepEqual(await specOf('m1-t', 'r1'), {
    hardwareRef: 'm1',
    templateRef: 't',
    hardwareMap: { device_1: mac, release: 'trixie' },
  });
  await done('workflow cancel m1-t -n r1');
  await done(`reprovision ${mac} -n r1 --template other --boot-mode netboot --set release=sid --name again`);
  assert.deepEqual(await specOf('again', 'r1'), {
    hardwareRef: 'm1',
    templateRef: 'other',
    hardwareMap: { device_1: mac, release: 'sid' },
    bootOptions: { bootMode: 'netboot' },
  });
});

test('allows netboot for a machine that has it disabled', async () => {
  await prepared('r2', hardware('m1', mac).replace('allowPXE: true', 'allowPXE: false'));
  await done('workflow cancel w -n r2');
  await done('reprovision m1 -n r2 --name again');
  assert.deepEqual(await specOf('again', 'r2'), {
    hardwareRef: 'm1',
    templateRef: 't',
    hardwareMap: { device_1: mac, release: 'trixie' },
    bootOptions: { toggleAllowNetboot: true },
  });
});

test('refuses a protected machine, and names the annotation to remove', async () => {
  await prepared('r3');
  await done('workflow cancel w -n r3');
  await done('annotate hardware m1 -n r3 tinkerbell.org/protected=payroll');
  assert.equal(
    await failed('reprovision m1 -n r3'),
    'tink: hardware/m1 is protected by its annotation tinkerbell.org/protected: payroll\n' +
      '      if its disks may be overwritten, remove the annotation: tink annotate hardware m1 tinkerbell.org/protected-\n',
  );
  await done('annotate hardware m1 -n r3 tinkerbell.org/protected-');
  await done('reprovision m1 -n r3');
});

test('needs a template for a machine without a previous workflow, and a valid boot mode', async () => {
  await done('apply -f - -n r4', { input: hardware('m1', mac) });
  assert.match(
    await failed('reprovision m1 -n r4'),
    /hardware\/m1 has no previous workflow\n.*--template NAME/,
  );
  const { code, err } = await tink('reprovision m1 -n r4 --template t --boot-mode floppy');
  assert.deepEqual([code, /--boot-mode must be netboot, isoboot, customboot/.test(err)], [2, true]);
});
