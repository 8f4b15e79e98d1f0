/**
 * Tests that bad input over a real socket gets no answer or a valid one, and that a good transfer works right
 * after it.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { delay } from '@tinkerbell/platform-contract';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { nodeClock } from '@tinkerbell/platform-node';
import { defaultTransferLimits } from '@tinkerbell/tftp';
import { defaultTftpCaps, type TftpConfig } from '../index.ts';
import { rackConfig, startRack, type Rack } from '../testing/rack.ts';
import { download, TftpClient } from '../testing/tftp-client.ts';

const GOOD = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 251));
let directory: string;

before(() => {
  directory = mkdtempSync(join(tmpdir(), 'tftp-hostile-'));
  mkdirSync(join(directory, 'folder'));
  writeFileSync(join(directory, 'good'), GOOD);
  symlinkSync('/dev/zero', join(directory, 'device'));
  symlinkSync('/etc/hostname', join(directory, 'link'));
  execFileSync('mkfifo', [join(directory, 'pipe')]);
});
after(() => rmSync(directory, { recursive: true }));

async function withClient(
  change: Partial<TftpConfig>,
  use: (client: TftpClient, rack: Rack) => Promise<void>,
): Promise<void> {
  const where = { address: '127.0.0.1', port: 0, singlePort: true, assetDirectory: directory };
  const tftp = { ...where, limits: defaultTransferLimits, ...defaultTftpCaps, ...change };
  const rack = await startRack(rackConfig({ tftp }));
  const client = new TftpClient(rack);
  try {
    await use(client, rack);
    const next = new TftpClient(rack);
    assert.deepEqual(await download(next, 'good', [['blksize', '1024']]), GOOD, 'a good transfer follows');
    next.socket.close();
  } finally {
    client.socket.close();
    await rack.stop();
  }
}

/** Retries: while the requests of a flood fill the server's queue, the kernel drops new packets. */
async function untilAnswered(client: TftpClient): Promise<void> {
  const answered = client.next();
  let answer: Awaited<typeof answered> | undefined;
  while (answer === undefined) {
    client.read('good');
    answer = await Promise.race([answered, delay(nodeClock, 10).then(() => undefined)]);
  }
  client.send({ kind: 'error', code: 0, message: 'enough' }, answer.port);
  client.socket.close();
}

const request = (text: string) => Buffer.from(`\0\u0001${text}`, 'latin1');

for (const singlePort of [true, false]) {
  describe(singlePort ? 'hostile, one port' : 'hostile, many ports', () => {
    test('invalid packets', async () => {
      await withClient({ singlePort }, async (client) => {
        for (const bytes of [[], [0], [0, 0], [0, 1], [0, 7], [255, 255], [0, 4, 0], [0, 3], [0, 6, 65]])
          client.send(Uint8Array.from(bytes));
        client.send(new Uint8Array(60_000).fill(1));
        client.send(request('good\0octet'));
        client.send(request(`${'g'.repeat(600)}\0octet\0`));
      });
    });

    test('names that climb, contain NUL, or name a device, a pipe, a link or a folder', async () => {
      await withClient({ singlePort }, async (client) => {
        for (const name of [
          '../good',
          '/../../etc/passwd',
          'device',
          'pipe',
          'link',
          'folder',
          'folder/',
          'C:\\x',
          '%2e%2e/x',
          '.',
        ]) {
          client.read(name);
          const { packet } = await client.next();
          assert.ok(packet.kind === 'error' && packet.code === 1, name);
        }
        client.send(request('good\0hidden\0octet\0'));
        const { packet } = await client.next();
        assert.ok(
          packet.kind === 'error' && packet.code === 4,
          'NUL ends the name, and `hidden` is not a mode',
        );
      });
    });

    test('dozens of options, options without value, and invalid numbers', async () => {
      await withClient({ singlePort }, async (client) => {
        const many = Array.from({ length: 100 }, (_, index): [string, string] => [
          `o${index % 10}${index}`,
          '',
        ]);
        client.read('good', many.slice(0, 80));
        const first = await client.next();
        assert.ok(first.packet.kind === 'data', 'unknown options are ignored');
        client.send({ kind: 'error', code: 0, message: '' }, first.port);
        for (const value of ['-1', '0x200', ' 512', '512 ', '９', '1e3', '99999999999999999999', '']) {
          client.read('good', [['blksize', value]]);
          const { packet, port } = await client.next();
          assert.ok(packet.kind === 'data' && packet.bytes.length === 512, value);
          client.send({ kind: 'error', code: 0, message: '' }, port);
        }
      });
    });

    test('acknowledgements that repeat, skip, and follow an ERROR', async () => {
      await withClient({ singlePort }, async (client) => {
        client.read('good');
        const { port } = await client.next();
        for (const block of [0, 2, 40_000, 65_535]) client.send({ kind: 'acknowledge', block }, port);
        client.send({ kind: 'acknowledge', block: 1 }, port);
        const second = await client.next();
        assert.ok(
          second.packet.kind === 'data' && second.packet.block === 2,
          'only the right one advances it',
        );
        for (let count = 0; count < 20; count += 1) client.send({ kind: 'acknowledge', block: 1 }, port);
        client.send({ kind: 'acknowledge', block: 2 }, port);
        const third = await client.next();
        assert.ok(third.packet.kind === 'data' && third.packet.block === 3, 'repeated ones send nothing');
        client.send({ kind: 'error', code: 0, message: 'stop' }, port);
        client.send({ kind: 'acknowledge', block: 3 }, port);
      });
    });

    test('a window and blocks of gigabytes are reduced to the server’s limits', async () => {
      await withClient({ singlePort }, async (client) => {
        client.read('good', [
          ['blksize', '65464'],
          ['windowsize', '65535'],
        ]);
        const { packet } = await client.next();
        assert.deepEqual(packet.kind === 'option-acknowledge' && packet.options, [
          ['blksize', '1468'],
          ['windowsize', '16'],
        ]);
      });
    });

    test('half-open transfers stop at the limit, and free their places when they end', async () => {
      await withClient({ singlePort, transfersMax: 20, transfersPerClientMax: 20 }, async (_, rack) => {
        const clients = Array.from({ length: 50 }, () => new TftpClient(rack));
        const answers: { kind: string; port: number }[] = [];
        for (const each of clients) {
          each.read('good');
          const { packet, port } = await each.next();
          answers.push({ kind: packet.kind, port });
        }
        assert.deepEqual(
          answers.map(({ kind }) => kind),
          Array.from({ length: 50 }, (_, index) => (index < 20 ? 'data' : 'error')),
        );
        // Ten thousand more: for running transfers and for rejected ones.
        for (const each of clients) for (let count = 0; count < 200; count += 1) each.read('good');
        const giveUp = () => {
          for (const [index, each] of clients.slice(0, 20).entries())
            each.send({ kind: 'error', code: 0, message: 'enough' }, answers[index]?.port ?? 0);
        };
        const ended = 'tftp_transfers_total{outcome="size-asked"}';
        const isOver = () => (samplesOf(rack.service.metrics)[ended] ?? 0) >= 20;
        // Retries until it arrives: after so many requests at once the kernel drops packets.
        for (let turn = 0; turn < 500 && !isOver(); turn += 1) {
          giveUp();
          await delay(nodeClock, 10);
        }
        for (const each of clients) each.socket.close();
        assert.ok(isOver(), 'every transfer that was given up has ended');
        await untilAnswered(new TftpClient(rack));
      });
    });
  });
}
