import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import fc from 'fast-check';
import { amtRack, driveOf, type AmtRack } from '../testing/amt-rack.ts';
import { codeOf } from '../testing/code-of.ts';
import { ImageServer, imageOf } from '../testing/image-server.ts';

const timeout = 60_000;
/** Pauses, pings and limits pass a hundred times as fast. */
const quickClock: Clock = {
  ...nodeClock,
  schedule: (delayMs, task) => nodeClock.schedule(delayMs / 100, task),
};

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

for (const isSecure of [false, true])
  test(`a machine reads the whole disc${isSecure ? ' over TLS' : ''}`, { timeout }, async () => {
    const image = imageOf(3 * 1024 * 1024 + 2048);
    await using server = await ImageServer.open(image);
    await using rack = await amtRack({}, { isSecure });
    await using session = await rack.open();
    assert.deepEqual(await session.virtualMedia?.(), {});
    await session.setVirtualMedia?.(server.url);
    assert.deepEqual(await session.virtualMedia?.(), { url: server.url });
    const drive = await driveOf(rack);
    assert.equal(await drive.sizeBytes(), image.length);
    assert.ok(Buffer.from(image).equals(await drive.read(0, image.length)));
    assert.ok(Buffer.from(image.subarray(5000, 9000)).equals(await drive.read(5000, 4000)));
    await assert.rejects(drive.read(image.length, 2048), /sense 5\/33\/0/, 'beyond the end');
    assert.equal(drive.outOfOrder, 0);
    await session.setVirtualMedia?.(undefined);
    assert.deepEqual(await session.virtualMedia?.(), {});
    await until(() => rack.amt.drive === undefined);
    assert.deepEqual(rack.amt.service.requests.slice(1, 5), [
      'Get AMT_RedirectionService',
      'RequestStateChange AMT_RedirectionService',
      'Get AMT_RedirectionService',
      'Put AMT_RedirectionService',
    ]);
  });

test(
  'the disc stays when the session that inserted it ends, and another one ejects it',
  { timeout },
  async () => {
    await using server = await ImageServer.open(imageOf(10_000));
    await using rack = await amtRack();
    await (await rack.open()).setVirtualMedia?.(server.url);
    await using session = await rack.open();
    assert.deepEqual(await session.virtualMedia?.(), { url: server.url });
    const drive = await driveOf(rack);
    await session.setVirtualMedia?.(server.url);
    assert.equal(rack.amt.drive, drive, 'the same image is not inserted twice');
    await rack.driver.endMedia?.('127.0.0.1', { hostScheme: 'http', port: rack.amt.port });
    assert.deepEqual(await session.virtualMedia?.(), {});
  },
);

test('the machine boots from the disc once, and from its own drive without one', { timeout }, async () => {
  await using server = await ImageServer.open(imageOf(10_000));
  await using rack = await amtRack();
  await using session = await rack.open();
  const cdrom = { device: 'cdrom', persistent: false, efiBoot: true } as const;
  await session.setVirtualMedia?.(server.url);
  await session.setBootDevice?.(cdrom);
  assert.equal(rack.machine.bootsRedirectedDisc, true);
  assert.deepEqual(await session.bootDevice?.(), cdrom);
  await session.setPower('on');
  assert.deepEqual(rack.machine.boots, ['cdrom']);
  assert.equal((await session.bootDevice?.())?.device, 'none', 'the setting is for one boot');
  await session.setVirtualMedia?.(undefined);
  await session.setBootDevice?.(cdrom);
  assert.equal(rack.machine.bootsRedirectedDisc, false);
  assert.deepEqual(await session.bootDevice?.(), cdrom);
});

test('a session that breaks is opened again, until the disc is ejected', { timeout }, async () => {
  await using server = await ImageServer.open(imageOf(10_000));
  await using rack = await amtRack({}, { clock: quickClock });
  await using session = await rack.open();
  await session.setVirtualMedia?.(server.url);
  let drive = await driveOf(rack);
  for (let round = 0; round < 3; round += 1) {
    rack.amt.breakSessions();
    drive = await driveOf(rack, drive);
    assert.equal(await drive.sizeBytes(), 10_240);
  }
  await until(() => drive.pings > 2);
  await session.setVirtualMedia?.(undefined);
  rack.amt.breakSessions();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(rack.amt.drive, undefined);
});

test('a disc whose image is gone stays out, and says so', { timeout }, async () => {
  await using server = await ImageServer.open(imageOf(10_000));
  await using rack = await amtRack({}, { clock: quickClock });
  await using session = await rack.open();
  await session.setVirtualMedia?.(server.url);
  await driveOf(rack);
  server.status = 404;
  rack.amt.breakSessions();
  const before = server.ranges.length;
  await until(() => server.ranges.length > before);
  assert.deepEqual(await session.virtualMedia?.(), {});
  assert.equal(await codeOf(session.setVirtualMedia?.(server.url) ?? Promise.resolve()), 'rejected');
});

test('a read fails when the image cannot be read, and the next one works', { timeout }, async () => {
  await using server = await ImageServer.open(imageOf(10_000));
  await using rack = await amtRack();
  await using session = await rack.open();
  await session.setVirtualMedia?.(server.url);
  const drive = await driveOf(rack);
  server.status = 500;
  await assert.rejects(drive.read(0, 2048), /sense 3\/17\/0/);
  server.status = undefined;
  assert.equal((await drive.read(0, 2048)).length, 2048);
});

test('a machine that resets its drive in the middle of a read reads again', { timeout }, async () => {
  const image = imageOf(2 * 1024 * 1024);
  await using server = await ImageServer.open(image);
  await using rack = await amtRack({ iderBufferBytes: 512 });
  await using session = await rack.open();
  await session.setVirtualMedia?.(server.url);
  const drive = await driveOf(rack);
  const reading = assert.rejects(drive.read(1024 * 1024, 65_536), /the drive was reset/);
  await until(() => drive.isBusy);
  drive.reset();
  await reading;
  assert.ok(Buffer.from(image.subarray(0, 65_536)).equals(await drive.read(0, 65_536)));
  assert.equal(drive.outOfOrder, 0);
});

test('devices that refuse, stall or speak nonsense have a cause in bounded time', { timeout }, async () => {
  await using server = await ImageServer.open(imageOf(10_000));
  const codeWith = async (change: (rack: AmtRack) => void, url = server.url): Promise<string> => {
    await using rack = await amtRack();
    await using session = await rack.open({ timeoutMs: 500 });
    change(rack);
    return await codeOf(session.setVirtualMedia?.(url) ?? Promise.resolve());
  };
  assert.equal(await codeWith(({ amt }) => (amt.service.lies.hasNoIder = true)), 'unsupported');
  assert.equal(await codeWith(({ amt }) => (amt.service.lies.iderBufferBytes = 0)), 'invalid-answer');
  assert.equal(await codeWith(({ amt }) => (amt.service.lies.missing = /Redirection/)), 'unsupported');
  const stalls = ({ amt }: AmtRack) => (amt.service.lies.consoleSends = new Uint8Array());
  assert.equal(await codeWith(stalls), 'timed-out');
  const nonsense = ({ amt }: AmtRack) =>
    (amt.service.lies.consoleSends = Buffer.from('HTTP/1.1 400 Bad Request\r\n'));
  assert.equal(await codeWith(nonsense), 'invalid-answer');
  server.image = new Uint8Array();
  assert.equal(await codeWith(() => undefined), 'rejected', 'an empty image');
});

test('one process at a time has the drive', { timeout }, async () => {
  await using server = await ImageServer.open(imageOf(10_000));
  await using rack = await amtRack();
  await using other = await amtRack({}, {});
  await (await rack.open()).setVirtualMedia?.(server.url);
  await driveOf(rack);
  const target = { hostScheme: 'http', port: rack.amt.port } as const;
  await using session = await other.driver.open(rack.target, target, new AbortController().signal);
  assert.equal(await codeOf(session.setVirtualMedia?.(server.url) ?? Promise.resolve()), 'busy');
});

test('random answers never give a machine a disc, and never hang', { timeout }, async () => {
  await using server = await ImageServer.open(imageOf(10_000));
  await using rack = await amtRack();
  await using session = await rack.open({ timeoutMs: 150 });
  const begin = fc.constantFrom('', '1100000001000000000000000000', '1102', '4100000000000000');
  const bytes = fc.tuple(begin, fc.uint8Array({ maxLength: 40 }));
  await fc.assert(
    fc.asyncProperty(bytes, async ([head, tail]) => {
      rack.amt.service.lies.consoleSends = Buffer.concat([Buffer.from(head, 'hex'), tail]);
      assert.notEqual(await codeOf(session.setVirtualMedia?.(server.url) ?? Promise.resolve()), 'ok');
    }),
    { seed: 16995, numRuns: 40 },
  );
});

test('a disc is ejected at once while its image does not answer', { timeout }, async () => {
  await using server = await ImageServer.open(imageOf(10_000));
  await using rack = await amtRack({}, { clock: quickClock });
  await using session = await rack.open();
  await session.setVirtualMedia?.(server.url);
  await driveOf(rack);
  server.stalls = true;
  const before = server.ranges.length;
  rack.amt.breakSessions();
  await until(() => server.ranges.length > before);
  await session.setVirtualMedia?.(undefined);
  assert.deepEqual(await session.virtualMedia?.(), {});
});
