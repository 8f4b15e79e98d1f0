import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CERTIFICATE_ANNOTATION } from '@tinkerbell/bmc';
import type { BmcMachine } from '@tinkerbell/resources';
import { SimulatedBmc } from './testing/simulated-bmc.ts';
import { startedBmcService } from './testing/started-bmc-service.ts';

const [first, second] = ['ab'.repeat(32), 'cd'.repeat(32)];

/** A Machine whose certificate is verified, with this annotation. */
async function started(bmc: SimulatedBmc, annotations: Readonly<Record<string, string>> = {}) {
  const site = await startedBmcService(bmc);
  const connection = { ...site.connection, insecureTLS: false };
  await site.create('Machine', 'secure', {
    metadata: { name: 'secure', namespace: 'lab', uid: 'uid-secure', annotations },
    spec: { connection },
  });
  const place = { collection: 'machines.bmc.tinkerbell.org', namespace: 'lab', name: 'secure' };
  const machine = async () => (await site.store.get(place))?.object as BmcMachine | undefined;
  const contact = async () =>
    (await machine())?.status?.conditions?.find(({ type }) => type === 'Contactable');
  await site.start();
  await site.until('the BMC has been checked', async () => (await contact()) !== undefined);
  return { ...site, machine, contact };
}

test('the certificate of the first contact is pinned, and another one is refused', async () => {
  const bmc = new SimulatedBmc();
  bmc.certificateSha256 = first;
  const site = await started(bmc);
  await site.until('it is pinned', async () => {
    const { annotations } = (await site.machine())?.metadata ?? {};
    return annotations?.[CERTIFICATE_ANNOTATION] === first;
  });
  bmc.certificateSha256 = second;
  await site.until('it is refused', async () => (await site.contact())?.status === 'False');
  assert.match((await site.contact())?.message ?? '', /^untrusted-certificate: .*pinned.*annotation/s);
  assert.equal((await site.machine())?.metadata.annotations?.[CERTIFICATE_ANNOTATION], first);
  await site[Symbol.asyncDispose]();
});

test('the Tasks of a Machine accept its pinned certificate only', async () => {
  const bmc = new SimulatedBmc();
  bmc.certificateSha256 = second;
  const site = await started(bmc, { [CERTIFICATE_ANNOTATION]: first });
  await site.create('Job', 'j', {
    spec: { machineRef: { name: 'secure', namespace: 'lab' }, tasks: [{ powerAction: 'on' }] },
  });
  const failure = async () =>
    (await site.job('j'))?.status?.conditions?.find(({ type }) => type === 'Failed')?.message;
  await site.until('the Job fails', async () => (await failure()) !== undefined);
  assert.match((await failure()) ?? '', /untrusted-certificate/);
  assert.deepEqual(bmc.accepted, []);
  await site[Symbol.asyncDispose]();
});

test('with insecureTLS nothing is pinned', async () => {
  const bmc = new SimulatedBmc();
  bmc.certificateSha256 = first;
  await using site = await startedBmcService(bmc);
  await site.start();
  await site.until('it has been checked', async () => (await site.machine())?.status !== undefined);
  assert.equal((await site.machine())?.metadata.annotations, undefined);
});
