/**
 * Tests that third-party clients fetch files of every awkward size, with every option they have, from one
 * port and from many.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { defaultTransferLimits } from '@tinkerbell/tftp';
import { defaultTftpCaps } from '../index.ts';
import { rackConfig, startRack } from '../testing/rack.ts';

const run = promisify(execFile);

/** Around the ends of blocks of 512 and 1468 bytes. The last one has more blocks of 512 than there are block numbers. */
const SIZES = [0, 1, 511, 512, 513, 1468, 1024 * 1024];
const ROLL_OVER_SIZE = 33 * 1024 * 1024 + 1;
const TIME_LIMIT_MS = 60_000;

interface Fetch {
  readonly port: number;
  readonly file: string;
  readonly to: string;
}

interface ForeignClient {
  readonly program: string;
  /** Each client with a name and the arguments that set its options. */
  readonly variants: Readonly<Record<string, readonly string[]>>;
  /** The variant that fetches the file of 65,536 blocks and more. */
  readonly rollOver: string;
  argumentsFor(options: readonly string[], fetch: Fetch): readonly string[];
}

const atftpOptions = (options: Readonly<Record<string, number>>) =>
  Object.entries(options).flatMap(([name, value]) => ['--option', `${name} ${value}`]);

const clients: readonly ForeignClient[] = [
  {
    program: '/usr/bin/curl',
    variants: {
      'its own options': [],
      'no options': ['--tftp-no-options'],
      'blocks of 600': ['--tftp-blksize', '600'],
      'blocks of 1468': ['--tftp-blksize', '1468'],
      'blocks of 65464': ['--tftp-blksize', '65464'],
    },
    rollOver: 'no options',
    argumentsFor: (options, { port, file, to }) => [
      '-sS',
      ...options,
      '-o',
      to,
      `tftp://127.0.0.1:${port}/${file}`,
    ],
  },
  {
    program: '/usr/bin/busybox',
    variants: {
      'no options': [],
      'blocks of 1428': ['-b', '1428'],
      'blocks of 65464': ['-b', '65464'],
    },
    rollOver: 'no options',
    argumentsFor: (options, { port, file, to }) => [
      'tftp',
      '-g',
      ...options,
      '-l',
      to,
      '-r',
      file,
      '127.0.0.1',
      `${port}`,
    ],
  },
  {
    program: '/usr/bin/atftp',
    variants: {
      'no options': [],
      'blocks of 1468, tsize and timeout': atftpOptions({ blksize: 1468, tsize: 0, timeout: 3 }),
      'a window of 8': atftpOptions({ blksize: 1400, windowsize: 8 }),
      'a window of 16 with blocks of 512': atftpOptions({ blksize: 512, windowsize: 16 }),
    },
    rollOver: 'a window of 16 with blocks of 512',
    argumentsFor: (options, { port, file, to }) => [
      ...options,
      '-g',
      '-l',
      to,
      '-r',
      file,
      '127.0.0.1',
      `${port}`,
    ],
  },
  {
    program: '/usr/bin/tftp',
    variants: { 'no options': [] },
    rollOver: 'no options',
    argumentsFor: (_, { port, file, to }) => ['-m', 'binary', '127.0.0.1', `${port}`, '-c', 'get', file, to],
  },
];

let directory: string;
const hashes = new Map<number, string>();
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

before(() => {
  directory = mkdtempSync(join(tmpdir(), 'tftp-clients-'));
  for (const size of [...SIZES, ROLL_OVER_SIZE]) {
    const bytes = new Uint8Array(size);
    for (let at = 0, state = size + 1; at < size; at += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      bytes[at] = state >>> 24;
    }
    writeFileSync(join(directory, `${size}`), bytes);
    hashes.set(size, hashOf(bytes));
  }
});
after(() => rmSync(directory, { recursive: true }));

async function fetchAll(client: ForeignClient, sizes: readonly number[], variants: readonly string[]) {
  for (const singlePort of [false, true]) {
    const { blockSizeBytesMax: _, ...limits } = defaultTransferLimits;
    const where = { address: '127.0.0.1', port: 0, singlePort, assetDirectory: directory };
    const rack = await startRack(rackConfig({ tftp: { ...where, limits, ...defaultTftpCaps } }));
    try {
      for (const variant of variants) {
        for (const size of sizes) {
          const fetch = { port: rack.service.tftpPort()!, file: `${size}`, to: join(directory, 'received') };
          await run(client.program, client.argumentsFor(client.variants[variant] ?? [], fetch), {
            timeout: TIME_LIMIT_MS,
          });
          // Some write no file when there are no bytes.
          const bytes = existsSync(fetch.to) ? readFileSync(fetch.to) : new Uint8Array();
          rmSync(fetch.to, { force: true });
          const what = `${variant}, ${size} bytes, ${singlePort ? 'one port' : 'many ports'}`;
          assert.equal(hashOf(bytes), hashes.get(size), what);
        }
      }
    } finally {
      await rack.stop();
    }
  }
}

for (const client of clients) {
  const skip = existsSync(client.program) ? false : `${client.program} is not installed`;
  test(`${client.program} gets files of every size with every option`, { skip }, async () => {
    await fetchAll(client, SIZES, Object.keys(client.variants));
  });
  test(`${client.program} gets a file with more blocks than there are block numbers`, { skip }, async () => {
    await fetchAll(client, [ROLL_OVER_SIZE], [client.rollOver]);
  });
}
