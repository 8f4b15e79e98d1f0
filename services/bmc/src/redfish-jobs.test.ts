/** Jobs over Redfish, with a service that accepts operations and does not perform them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RedfishLies } from '@tinkerbell/sandbox/bmc';
import { redfishInMemory } from './testing/redfish-in-memory.ts';
import { SimulatedBmc } from './testing/simulated-bmc.ts';
import { startedBmcService } from './testing/started-bmc-service.ts';

const on = { powerAction: 'on' };
const pxe = { oneTimeBootDeviceAction: { device: ['pxe'], efiBoot: true } };
const insert = { virtualMediaAction: { kind: 'CD', mediaURL: 'http://192.0.2.1/a.iso' } };

/** Runs a Job to its end. Returns the failure, which is empty when the Job completed. */
async function run(lies: RedfishLies, ...tasks: readonly object[]) {
  const { machine, driver, service } = redfishInMemory(lies);
  await using site = await startedBmcService(new SimulatedBmc(), (clock) => ({ gofish: driver(clock) }));
  await site.start();
  await site.createJob('j', ...tasks);
  const message = async (type: string): Promise<string | undefined> => {
    const conditions = (await site.job('j'))?.status?.conditions ?? [];
    const found = conditions.find((one) => one.type === type && one.status === 'True');
    return found === undefined ? undefined : (found.message ?? '');
  };
  await site.until('the Job ends', async () =>
    [await message('Completed'), await message('Failed')].some((one) => one !== undefined),
  );
  return { failure: (await message('Failed')) ?? '', machine, service };
}

test('a machine boots once from the network, with an image in its drive', async () => {
  const { failure, machine } = await run({}, insert, pxe, on);
  assert.equal(failure, '');
  assert.deepEqual([machine.boots, machine.media], [['pxe'], 'http://192.0.2.1/a.iso']);
});

test('a machine boots once from a URL', async () => {
  const url = 'http://192.0.2.1/ipxe.efi';
  const http = { bootDevice: { device: 'http', httpBootURL: url } };
  const { failure, machine } = await run({}, http);
  assert.deepEqual([failure, machine.httpBootUri, machine.bootFlags?.isPersistent], ['', url, false]);
  const lost = await run({ losesHttpBootUri: true }, http);
  assert.match(lost.failure, /not-applied: .*3 times, and reports boot from pxe/);
});

test('a session that the BMC drops is opened again', async () => {
  for (const dropsSessionsAt of [/Reset$/, /VirtualMedia\/CD$/, /InsertMedia$/]) {
    const { failure, machine, service } = await run({ dropsSessionsAt }, insert, pxe, on);
    assert.equal(failure, '', dropsSessionsAt.source);
    assert.deepEqual([machine.boots, machine.media], [['pxe'], 'http://192.0.2.1/a.iso']);
    assert.equal(service.lies.dropsSessionsAt, undefined, 'it has happened');
  }
});

const ignored: readonly (readonly [lies: RedfishLies, task: object, failure: RegExp])[] = [
  [{ ignoresPower: true }, on, /not-applied: .*"?power on"? 3 times.*power is off/],
  [{ powerState: 'Banana' }, on, /not-applied: .*power is unknown/],
  [{ ignoresBootDevice: true }, pxe, /not-applied: .*3 times, and reports boot device none/],
  [{ ignoresMedia: true }, insert, /not-applied: .*reports an empty virtual CD drive/],
];

for (const [lies, task, expected] of ignored) {
  test(`${JSON.stringify(lies)} fails the Job`, async () => {
    assert.match((await run(lies, task)).failure, expected);
  });
}
