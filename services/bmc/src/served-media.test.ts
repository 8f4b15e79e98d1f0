import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MEDIA_ANNOTATION } from '@tinkerbell/bmc';
import { BmcError } from '@tinkerbell/engine-bmc';
import type { BmcMachine } from '@tinkerbell/resources';
import { SimulatedBmc } from './testing/simulated-bmc.ts';
import { startedBmcService } from './testing/started-bmc-service.ts';

const url = 'http://192.0.2.1/a.iso';
const insert = (mediaURL: string) => ({ virtualMediaAction: { kind: 'CD', mediaURL } });

function servingBmc(): SimulatedBmc {
  const bmc = new SimulatedBmc();
  bmc.servesMedia = true;
  return bmc;
}

type Site = Awaited<ReturnType<typeof startedBmcService>>;

async function run(site: Site, name: string, ...tasks: readonly object[]): Promise<void> {
  await site.createJob(name, ...tasks);
  await site.until(`${name} completes`, async () =>
    Boolean((await site.job(name))?.status?.conditions?.some(({ type }) => type === 'Completed')),
  );
}

async function remembered(site: Site): Promise<string | undefined> {
  return (await site.machine())?.metadata.annotations?.[MEDIA_ANNOTATION];
}

async function annotate(site: Site, value: string | undefined): Promise<void> {
  const key = { collection: 'machines.bmc.tinkerbell.org', namespace: 'lab', name: 'm' };
  const stored = await site.store.get(key);
  assert.ok(stored !== undefined);
  const machine = stored.object as BmcMachine;
  const annotations = value === undefined ? {} : { [MEDIA_ANNOTATION]: value };
  const object = { ...machine, metadata: { ...machine.metadata, annotations } };
  const changed = await site.store.commit([
    { operation: 'update', key, expectedRevision: stored.revision, object },
  ]);
  assert.ok(changed.ok);
}

test('an image that this server serves is inserted again by the next one, until it is ejected', async () => {
  const bmc = servingBmc();
  await using site = await startedBmcService(bmc);
  const first = await site.start();
  await run(site, 'insert', insert(url));
  assert.equal(await remembered(site), url);
  await site.stop(first);
  assert.equal(bmc.media, undefined);
  await site.start();
  await site.until('it is inserted again', () => Promise.resolve(bmc.media === url));
  await run(site, 'eject', insert(''));
  assert.deepEqual([bmc.media, await remembered(site)], [undefined, undefined]);
  const accepted = bmc.accepted.filter((one) => one !== 'end media');
  assert.deepEqual(accepted, [`insert ${url}`, `insert ${url}`, 'eject']);
  const events = (await site.timeline()).map(({ event }) => event);
  assert.ok(events.includes('bmc-media-served'));
});

test('an image of a BMC that fetches it itself is not remembered', async () => {
  const bmc = new SimulatedBmc();
  await using site = await startedBmcService(bmc);
  await site.start();
  await run(site, 'insert', insert(url));
  assert.deepEqual([bmc.media, await remembered(site)], [url, undefined]);
});

test('an image that is lost is inserted again within minutes', async () => {
  const bmc = servingBmc();
  await using site = await startedBmcService(bmc);
  await site.start();
  await run(site, 'insert', insert(url));
  await site.until(
    'the Machine was checked',
    async () => (await site.machine())?.status?.powerState === 'off',
  );
  const lostMs = site.nowMs();
  bmc.media = undefined;
  await site.until('it is inserted again', () => Promise.resolve(bmc.media === url));
  assert.ok(site.nowMs() - lostMs <= 600_000);
});

test('another image replaces the one that is remembered', async () => {
  const bmc = servingBmc();
  await using site = await startedBmcService(bmc);
  await site.start();
  const other = 'http://192.0.2.1/b.iso';
  await run(site, 'both', insert(url), insert(other));
  await site.until('it is remembered', async () => (await remembered(site)) === other);
  assert.deepEqual([bmc.media, bmc.accepted], [other, [`insert ${url}`, `insert ${other}`]]);
});

test('a check that waited while a Task replaced the image leaves the new one alone', async () => {
  const bmc = servingBmc();
  await using site = await startedBmcService(bmc);
  await site.start();
  await run(site, 'first', insert(url));
  const firstMs = site.nowMs();
  await site.until('the first is checked', () => Promise.resolve(site.nowMs() > firstMs + 600_000));
  const other = 'http://192.0.2.1/b.iso';
  await run(site, 'second', insert(other));
  const secondMs = site.nowMs();
  await site.until('the second is checked', () => Promise.resolve(site.nowMs() > secondMs + 600_000));
  assert.deepEqual(bmc.accepted, [`insert ${url}`, `insert ${other}`]);
});

test('the old image is forgotten before the drive changes, so that no check inserts it again', async () => {
  const bmc = servingBmc();
  await using site = await startedBmcService(bmc);
  await site.start();
  await run(site, 'first', insert(url));
  const known: unknown[] = [];
  bmc.beforeMedia = async () => void known.push(await remembered(site));
  await run(site, 'second', insert('http://192.0.2.1/b.iso'), insert(''));
  assert.deepEqual(known, [undefined, undefined]);
});

test('an image that cannot be inserted is tried again, and its failure is recorded once', async () => {
  const bmc = servingBmc();
  await using site = await startedBmcService(bmc);
  await annotate(site, url);
  // The login and the check of the power work, and the image does not.
  const busy = new BmcError('busy', 'another session has the drive');
  bmc.failures.push(undefined, undefined, busy, undefined, undefined, busy);
  await site.start();
  await site.until('it is inserted', () => Promise.resolve(bmc.media === url));
  const failed = (await site.timeline()).filter(({ event }) => event === 'bmc-media-failed');
  assert.deepEqual(
    failed.map(({ message }) => /busy: .*another session/.test(message)),
    [true],
  );
});

test('an image is ejected when nobody wants it any more, and with its Machine', async () => {
  const bmc = servingBmc();
  await using site = await startedBmcService(bmc);
  await site.start();
  await annotate(site, url);
  await site.until('it is inserted', () => Promise.resolve(bmc.media === url));
  await annotate(site, undefined);
  await site.until('it is ejected', () => Promise.resolve(bmc.media === undefined));
  await annotate(site, url);
  await site.until('it is inserted', () => Promise.resolve(bmc.media === url));
  const key = { collection: 'machines.bmc.tinkerbell.org', namespace: 'lab', name: 'm' };
  const stored = await site.store.get(key);
  await site.store.commit([{ operation: 'delete', key, expectedRevision: stored?.revision ?? 0 }]);
  await site.until('it is ejected', () => Promise.resolve(bmc.media === undefined));
});
