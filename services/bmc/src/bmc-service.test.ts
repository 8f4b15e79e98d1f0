import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { BmcError } from '@tinkerbell/engine-bmc';
import type { BmcJob } from '@tinkerbell/resources';
import { SimulatedBmc } from './testing/simulated-bmc.ts';
import { startedBmcService } from './testing/started-bmc-service.ts';

const off = { powerAction: 'off' };
const on = { powerAction: 'on' };
const pxe = { oneTimeBootDeviceAction: { device: ['pxe'], efiBoot: true } };
const unreachable = (): BmcError => new BmcError('unreachable', 'no answer from 192.0.2.9:623');

function conditionOf(job: BmcJob | undefined, type: string): string | undefined {
  const found = job?.status?.conditions?.find((one) => one.type === type && one.status === 'True');
  return found === undefined ? undefined : (found.message ?? '');
}

/** Runs a Job to its end, and returns why it failed: an empty text when it completed. */
async function outcomeOf(bmc: SimulatedBmc, ...tasks: readonly object[]): Promise<string> {
  await using site = await startedBmcService(bmc);
  await site.start();
  await site.createJob('j', ...tasks);
  await site.until('the Job ends', async () => {
    const job = await site.job('j');
    return conditionOf(job, 'Completed') !== undefined || conditionOf(job, 'Failed') !== undefined;
  });
  return conditionOf(await site.job('j'), 'Failed') ?? '';
}

describe('Jobs', () => {
  test('a Job runs its Tasks in order, and ends as upstream’s does', async () => {
    const bmc = new SimulatedBmc();
    bmc.power = 'on';
    await using site = await startedBmcService(bmc);
    await site.start();
    await site.createJob('netboot-w', off, pxe, on);
    await site.until(
      'the Job completes',
      async () => conditionOf(await site.job('netboot-w'), 'Completed') === '',
    );
    assert.deepEqual(bmc.accepted, ['power off', 'boot pxe', 'power on']);
    assert.deepEqual(bmc.boot, { device: 'pxe', persistent: false, efiBoot: true });
    const job = await site.job('netboot-w');
    assert.equal(conditionOf(job, 'Running'), '', 'Running stays, as upstream leaves it');
    assert.ok(job?.status?.startTime !== undefined && job.status.completionTime !== undefined);
    const task = await site.task('netboot-w-task-2');
    assert.deepEqual(task?.status?.conditions, [{ type: 'Completed', status: 'True' }]);
    assert.deepEqual(task.spec?.connection, site.connection);
    const done = (await site.timeline()).filter(({ event }) => event === 'bmc-task-completed');
    const messages = done.map(({ message }) => message);
    assert.deepEqual(messages, ['power off', 'boot from pxe once (UEFI)', 'power on']);
    await site.until(
      'the Machine shows the power',
      async () => (await site.machine())?.status?.powerState === 'on',
    );
  });

  test('a Job whose Machine does not exist waits for it', async () => {
    await using site = await startedBmcService(new SimulatedBmc());
    await site.start();
    await site.create('Job', 'early', {
      spec: { machineRef: { name: 'later', namespace: 'lab' }, tasks: [on] },
    });
    await site.until('it waits', async () =>
      /waiting for Machine lab\/later/.test(conditionOf(await site.job('early'), 'Running') ?? ''),
    );
    await site.create('Machine', 'later', { spec: { connection: site.connection } });
    await site.until('it completes', async () => conditionOf(await site.job('early'), 'Completed') === '');
  });

  test('another server takes a Job over in the middle', async () => {
    const bmc = new SimulatedBmc();
    bmc.power = 'on';
    bmc.ignoresPower = true;
    await using site = await startedBmcService(bmc);
    const first = await site.start();
    await site.createJob('j', off, pxe, on);
    await site.until('power off is sent', () => Promise.resolve(bmc.accepted.length > 0));
    await site.stop(first);
    bmc.ignoresPower = false;
    await site.start();
    await site.until('the Job completes', async () => conditionOf(await site.job('j'), 'Completed') === '');
    assert.deepEqual(bmc.accepted.slice(-3), ['power off', 'boot pxe', 'power on']);
  });

  test('a power cycle is not repeated after a crash, and the Job says so', async () => {
    const bmc = new SimulatedBmc();
    bmc.power = 'on';
    await using site = await startedBmcService(bmc);
    const taskName = 'j-task-0';
    await site.createJob('j', { powerAction: 'cycle' });
    // As a server leaves it that was killed after it had recorded the start.
    await site.create('Task', taskName, {
      metadata: {
        name: taskName,
        namespace: 'lab',
        uid: 'task-uid',
        ownerReferences: [{ kind: 'Job', name: 'j', uid: (await site.job('j'))?.metadata.uid }],
      },
      spec: { task: { powerAction: 'cycle' }, connection: site.connection },
      status: { startTime: new Date(site.nowMs()).toISOString() },
    });
    await site.start();
    await site.until('the Job fails', async () => conditionOf(await site.job('j'), 'Failed') !== undefined);
    assert.match(conditionOf(await site.job('j'), 'Failed') ?? '', /not repeated.*create a new Job/);
    assert.deepEqual(bmc.accepted, []);
  });
});

describe('a BMC that does not do what it accepts', () => {
  test('power', async () => {
    const bmc = new SimulatedBmc();
    bmc.ignoresPower = true;
    assert.match(
      await outcomeOf(bmc, on),
      /task lab\/j-task-0 failed: not-applied: .* 3 times.*power is off/,
    );
    assert.deepEqual(bmc.accepted, ['power on', 'power on', 'power on']);
  });

  test('boot device', async () => {
    const bmc = new SimulatedBmc();
    bmc.ignoresBootDevice = true;
    assert.match(
      await outcomeOf(bmc, pxe),
      /not-applied: .*boot from pxe once \(UEFI\)" 3 times, and reports boot device none/,
    );
  });

  test('virtual media', async () => {
    const bmc = new SimulatedBmc();
    bmc.ignoresMedia = true;
    const insert = { virtualMediaAction: { kind: 'CD', mediaURL: 'http://192.0.2.1/a.iso' } };
    assert.match(await outcomeOf(bmc, insert), /not-applied: .*reports an empty virtual CD drive/);
  });

  test('a boot device that it does not report is noted', async () => {
    const bmc = new SimulatedBmc();
    bmc.reportsBootDevice = false;
    await using site = await startedBmcService(bmc);
    await site.start();
    await site.createJob('j', pxe);
    await site.until('the Job completes', async () => conditionOf(await site.job('j'), 'Completed') === '');
    const task = await site.task('j-task-0');
    assert.match(task?.status?.conditions?.[0]?.message ?? '', /not verified/);
  });
});

describe('failures', () => {
  test('a BMC that comes back within seconds fails nothing', async () => {
    const bmc = new SimulatedBmc();
    bmc.failures.push(unreachable(), unreachable());
    assert.equal(await outcomeOf(bmc, on), '');
  });

  test('a BMC that stays away fails the Task as upstream does', async () => {
    const bmc = new SimulatedBmc();
    bmc.failures.push(...Array.from({ length: 50 }, unreachable));
    assert.match(await outcomeOf(bmc, on), /Failed to connect to BMC: unreachable: ipmitool: no answer/);
  });

  test('a wrong password fails at once', async () => {
    const bmc = new SimulatedBmc();
    bmc.password = 'another';
    assert.match(
      await outcomeOf(bmc, on),
      /Failed to connect to BMC: wrong-credentials: .*refused the login/,
    );
    assert.equal(bmc.accepted.length, 0);
  });

  test('a Task without a valid operation names its field', async () => {
    assert.match(
      await outcomeOf(new SimulatedBmc(), { bootDevice: { device: 'floppy' } }),
      /bootDevice.device: "floppy"/,
    );
  });

  test('the next driver is tried, and the one that answered is remembered', async () => {
    const [dead, alive] = [new SimulatedBmc(), new SimulatedBmc()];
    dead.failures.push(...Array.from({ length: 50 }, unreachable));
    await using site = await startedBmcService(dead, () => ({
      ipmitool: dead.driver(),
      gofish: alive.driver('gofish'),
    }));
    await site.start();
    await site.createJob('j', on, off, on);
    await site.until('the Job completes', async () => conditionOf(await site.job('j'), 'Completed') === '');
    assert.equal(50 - dead.failures.length, 1);
    assert.equal(alive.logins, 1, 'one session serves the Tasks of a Job');
  });

  test('a BMC gets one call at a time', async () => {
    const bmc = new SimulatedBmc();
    await using site = await startedBmcService(bmc);
    await site.start();
    for (let number = 0; number < 5; number += 1) await site.createJob(`j${number}`, on);
    await site.until('all complete', async () => {
      const jobs = await Promise.all([0, 1, 2, 3, 4].map((number) => site.job(`j${number}`)));
      return jobs.every((job) => conditionOf(job, 'Completed') === '');
    });
    assert.equal(bmc.callsMax, 1);
  });
});

describe('Machines', () => {
  test('a Machine shows its power and the parts of its Hardware', async () => {
    const bmc = new SimulatedBmc();
    await using site = await startedBmcService(bmc);
    const service = await site.start();
    await site.until(
      'parts are stored',
      async () => (await site.hardware())?.status?.attributes?.outOfBand !== undefined,
    );
    const { powerState, conditions } = (await site.machine())?.status ?? {};
    assert.equal(powerState, 'off');
    assert.deepEqual(
      conditions?.map(({ type, status }) => [type, status]),
      [
        ['Contactable', 'True'],
        ['InventoryCollected', 'True'],
      ],
    );
    const { product, collectionMethod } = (await site.hardware())?.status?.attributes?.outOfBand ?? {};
    assert.deepEqual([product?.serialNumber, collectionMethod], ['S1', 'ipmitool']);
    assert.deepEqual(samplesOf(service.metrics ?? { families: () => [] })['bmc_machines{power="off"}'], 1);
  });

  test('a BMC that cannot be reached shows why and what to do, and recovers by itself', async () => {
    const bmc = new SimulatedBmc();
    bmc.failures.push(unreachable());
    await using site = await startedBmcService(bmc);
    await site.start();
    const contactable = async () => (await site.machine())?.status?.conditions?.[0];
    await site.until('it is not contactable', async () => (await contactable())?.status === 'False');
    assert.match((await contactable())?.message ?? '', /unreachable: .*check spec.connection.host/);
    assert.equal((await site.machine())?.status?.powerState, 'unknown');
    await site.until('it recovers', async () => (await contactable())?.status === 'True');
    assert.deepEqual(
      (await site.timeline()).map(({ event }) => event),
      ['bmc-failed', 'bmc-power-reported'],
    );
  });

  test('a password is in no status and in no timeline', async () => {
    const bmc = new SimulatedBmc();
    bmc.password = 'another';
    await using site = await startedBmcService(bmc);
    await site.start();
    await site.until('it is checked', async () => (await site.machine())?.status?.conditions !== undefined);
    assert.doesNotMatch(JSON.stringify([await site.machine(), await site.timeline()]), /"secret"|c2VjcmV0/);
  });
});
