import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Clock } from '@tinkerbell/platform-contract';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { nodeClock } from '@tinkerbell/platform-node';
import { defaultTransferLimits } from '@tinkerbell/tftp';
import { defaultTftpCaps, type TftpConfig } from '../index.ts';
import { fixedView, machine, MAC, rackConfig, startRack, type Rack } from '../testing/rack.ts';
import { download, TftpClient } from '../testing/tftp-client.ts';

let directory: string;
const big = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));

before(() => {
  directory = mkdtempSync(join(tmpdir(), 'boot-tftp-'));
  mkdirSync(join(directory, 'assets/sub'), { recursive: true });
  mkdirSync(join(directory, 'ipxe'));
  writeFileSync(join(directory, 'ipxe/ipxe.efi'), big);
  writeFileSync(join(directory, 'ipxe/secret.txt'), 'no binary');
  writeFileSync(join(directory, 'assets/sub/config'), 'hello');
  writeFileSync(join(directory, 'assets/whole-blocks'), Buffer.alloc(1024, 7));
  writeFileSync(join(directory, 'outside'), 'outside');
  symlinkSync(join(directory, 'outside'), join(directory, 'assets/link'));
});
after(() => rmSync(directory, { recursive: true }));

function start(change: Partial<TftpConfig> = {}, clock: Clock = nodeClock): Promise<Rack> {
  const view = fixedView([
    machine({ ip: { address: '127.0.0.1' }, netboot: { pxelinux: { config: 'DEFAULT local' } } }),
  ]);
  const tftp = {
    address: '127.0.0.1',
    port: 0,
    singlePort: false,
    limits: defaultTransferLimits,
    ...defaultTftpCaps,
    assetDirectory: join(directory, 'assets'),
    ...change,
  };
  return startRack(rackConfig({ tftp, ipxeDirectory: join(directory, 'ipxe') }), { view, clock });
}

async function withClient(
  change: Partial<TftpConfig>,
  use: (client: TftpClient, rack: Rack) => Promise<void>,
): Promise<void> {
  const rack = await start(change);
  const client = new TftpClient(rack);
  try {
    await use(client, rack);
  } finally {
    client.socket.close();
    await rack.stop();
  }
}

for (const singlePort of [false, true]) {
  describe(singlePort ? 'TFTP from a single port' : 'TFTP with a port per transfer', () => {
    test('sends binaries by base name, and records the MAC in the path in the timeline', async () => {
      await withClient({ singlePort }, async (client, rack) => {
        const path = `02-00-5e-10-00-01/ipxe.efi-00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`;
        assert.deepEqual(
          await download(client, path, [
            ['blksize', '1432'],
            ['tsize', '0'],
          ]),
          big,
        );
        while (rack.journal.entries.length === 0) await new Promise(setImmediate);
        const [entry] = rack.journal.entries;
        assert.deepEqual(
          [entry?.event, entry?.machine, entry?.details?.['bytes']],
          ['file-sent', MAC, big.length],
        );
        assert.equal(samplesOf(rack.service.metrics)['tftp_transfers_total{outcome="completed"}'], 1);
      });
    });

    test('sends assets, files of whole blocks, and the PXELINUX configuration of a Hardware', async () => {
      await withClient({ singlePort }, async (client) => {
        assert.equal((await download(client, '/sub/config')).toString(), 'hello');
        assert.equal((await download(client, `${MAC}/sub/config`)).toString(), 'hello', 'our MAC before it');
        assert.deepEqual(await download(client, 'whole-blocks'), Buffer.alloc(1024, 7));
        assert.equal(
          (await download(client, 'pxelinux.cfg/01-02-00-5E-10-00-01')).toString(),
          'DEFAULT local',
        );
      });
    });

    test('refuses names that climb, links that lead out, missing names and directories', async () => {
      await withClient({ singlePort }, async (client) => {
        for (const name of [
          '../outside',
          'sub/../../outside',
          '/etc/passwd',
          '..\\outside',
          'link',
          'sub',
          '.',
          'nothing',
          'secret.txt',
          'sub//config',
        ]) {
          client.read(name);
          const { packet } = await client.next();
          assert.ok(packet.kind === 'error' && packet.code === 1, name);
          assert.match(packet.message, /^file \[.*\] unknown/);
        }
        assert.equal(
          (await download(client, 'sub/config')).toString(),
          'hello',
          'a good request still succeeds',
        );
      });
    });

    test('a client that stops with ERROR, as UEFI does after requesting the size, leaves nothing behind', async () => {
      await withClient({ singlePort }, async (client, rack) => {
        client.read('ipxe.efi', [['tsize', '0']]);
        const { packet, port } = await client.next();
        assert.deepEqual(packet, { kind: 'option-acknowledge', options: [['tsize', '300000']] });
        client.send({ kind: 'error', code: 8, message: 'User aborted the transfer' }, port);
        assert.deepEqual(await download(client, 'ipxe.efi', [['blksize', '1468']]), big);
        assert.equal(samplesOf(rack.service.metrics)['tftp_transfers_total{outcome="size-asked"}'], 1);
      });
    });
  });
}

test('write requests, other modes and broken requests are refused, and noise is not answered', async () => {
  await withClient({}, async (client, rack) => {
    const codes: number[] = [];
    client.send({ kind: 'write-request', fileName: 'x', mode: 'octet', options: [] });
    client.read('sub/config', [], 'netascii');
    client.send(Buffer.from('\0\x01unterminated'));
    client.read('sub/config', [
      ['blksize', '8'],
      ['blksize', '9'],
    ]);
    for (let count = 0; count < 4; count++) {
      const { packet } = await client.next();
      assert.ok(packet.kind === 'error');
      codes.push(packet.code);
    }
    assert.deepEqual(codes.sort(), [2, 4, 4, 8]);
    client.send({ kind: 'acknowledge', block: 1 });
    const { packet } = await client.next();
    assert.ok(packet.kind === 'error' && packet.code === 5);
    client.send({ kind: 'error', code: 0, message: '' });
    client.send(Buffer.from([9]));
    assert.equal((await download(client, 'sub/config')).toString(), 'hello');
    const counters = samplesOf(rack.service.metrics);
    assert.equal(counters['tftp_ignored_total{reason="no-such-transfer"}'], 2);
    assert.equal(counters['tftp_ignored_total{reason="write-request"}'], 1);
  });
});

test("a sender that does not belong to a transfer's port gets an error, and the transfer continues", async () => {
  await withClient({}, async (client, rack) => {
    const stranger = new TftpClient(rack);
    client.read('ipxe.efi');
    const { packet, port } = await client.next();
    stranger.send({ kind: 'acknowledge', block: 1 }, port);
    const answer = await stranger.next();
    assert.ok(answer.packet.kind === 'error' && answer.packet.code === 5);
    assert.ok(packet.kind === 'data');
    client.send({ kind: 'acknowledge', block: 1 }, port);
    const next = await client.next();
    assert.ok(next.packet.kind === 'data' && next.packet.block === 2);
    stranger.socket.close();
  });
});

test('in single-port mode a packet without a transfer gets an error too, and other transfers continue', async () => {
  await withClient({ singlePort: true }, async (client, rack) => {
    const stranger = new TftpClient(rack);
    client.read('ipxe.efi');
    const { packet } = await client.next();
    for (const wrong of [
      { kind: 'acknowledge', block: 1 },
      { kind: 'data', block: 1, bytes: Buffer.from('x') },
      { kind: 'option-acknowledge', options: [] },
    ] as const) {
      stranger.send(wrong);
      const answer = await stranger.next();
      assert.ok(answer.packet.kind === 'error' && answer.packet.code === 5, wrong.kind);
    }
    assert.ok(packet.kind === 'data');
    client.send({ kind: 'acknowledge', block: 1 });
    const next = await client.next();
    assert.ok(next.packet.kind === 'data' && next.packet.block === 2);
    stranger.socket.close();
  });
});

for (const singlePort of [false, true])
  test(`errors and invalid packets get no error, or two servers would exchange errors for ever (single port: ${singlePort})`, async () => {
    await withClient({ singlePort }, async (client, rack) => {
      const stranger = new TftpClient(rack);
      client.read('ipxe.efi');
      const { port } = await client.next();
      stranger.send({ kind: 'error', code: 5, message: 'unknown transfer' }, port);
      stranger.send(Buffer.from([0, 9]), port);
      stranger.send({ kind: 'acknowledge', block: 7 }, port);
      // Datagrams of one socket arrive in order: the first answer belongs to the last one.
      const answer = await stranger.next();
      assert.ok(answer.packet.kind === 'error' && answer.packet.code === 5);
      const reason = singlePort ? 'no-such-transfer' : 'wrong-transfer';
      const counted = samplesOf(rack.service.metrics);
      assert.ok((counted[`tftp_ignored_total{reason="${reason}"}`] ?? 0) >= 2);
      stranger.read('sub/config');
      assert.equal((await stranger.next()).packet.kind, 'data');
      stranger.socket.close();
    });
  });

test('a repeated last acknowledgement gets no error, which would end the next transfer of that port', async () => {
  await withClient({ singlePort: true }, async (client) => {
    assert.equal((await download(client, 'sub/config')).toString(), 'hello');
    client.send({ kind: 'acknowledge', block: 1 });
    assert.equal((await download(client, 'sub/config')).toString(), 'hello');
  });
});

test('transfers are limited per client', async () => {
  await withClient({ transfersPerClientMax: 1 }, async (client, rack) => {
    client.read('ipxe.efi');
    await client.next();
    const second = new TftpClient(rack);
    second.read('ipxe.efi');
    const { packet } = await second.next();
    assert.ok(packet.kind === 'error' && /too many transfers/.test(packet.message));
    second.socket.close();
  });
});

test('a client that vanishes gets the block again, then its transfer ends with a timeline entry', async () => {
  const clock = steppedClock();
  const rack = await start({ limits: { ...defaultTransferLimits, retriesMax: 2 } }, clock);
  const client = new TftpClient(rack);
  try {
    client.read('ipxe.efi');
    const blocks: number[] = [];
    for (let wait = 0; wait < 3; wait++) {
      const { packet } = await client.next();
      blocks.push(packet.kind === 'data' ? packet.block : -1);
      clock.fireOldest();
    }
    assert.deepEqual(blocks, [1, 1, 1]);
    const [entry] = rack.journal.entries;
    assert.deepEqual(
      [entry?.event, entry?.details?.['outcome'], entry?.details?.['bytes']],
      ['transfer-failed', 'timed-out', 0],
    );
  } finally {
    client.socket.close();
    await rack.stop();
  }
});

test('a timer that was set before the last answer gives the client its full time', async () => {
  const clock = steppedClock();
  const rack = await start({}, clock);
  const client = new TftpClient(rack);
  try {
    client.read('ipxe.efi');
    const { port } = await client.next();
    clock.pass(600);
    client.send({ kind: 'acknowledge', block: 1 }, port);
    await client.next();
    clock.fireOldest();
    clock.pass(599);
    client.send({ kind: 'acknowledge', block: 2 }, port);
    const third = await client.next();
    assert.ok(third.packet.kind === 'data' && third.packet.block === 3, 'block 2 was not sent again before');
  } finally {
    client.socket.close();
    await rack.stop();
  }
});

/** A clock that stands still until the test fires the oldest timer. */
function steppedClock(): Clock & { fireOldest(): void; pass(milliseconds: number): void } {
  const tasks = new Set<{ readonly atMs: number; readonly task: () => void }>();
  let now = 0;
  return {
    nowMs: () => now,
    monotonicMs: () => now,
    schedule(delayMs, task) {
      const entry = { atMs: now + delayMs, task };
      tasks.add(entry);
      return () => tasks.delete(entry);
    },
    pass: (milliseconds) => void (now += milliseconds),
    fireOldest() {
      const [oldest] = tasks;
      assert.ok(oldest, 'a timer is running');
      tasks.delete(oldest);
      now = oldest.atMs;
      oldest.task();
    },
  };
}
