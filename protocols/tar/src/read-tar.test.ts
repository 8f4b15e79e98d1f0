import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync, openSync, writeSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { readTar, TarError, type TarEntry } from './index.ts';

type Read = Omit<TarEntry, 'body'> & { readonly content: string };

async function* pieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += length) {
    const piece = Uint8Array.from(bytes.subarray(at, at + length));
    yield piece;
    // As a decoder that reuses its memory.
    piece.fill(0xff);
  }
}

async function entriesOf(bytes: Uint8Array, length = 1000): Promise<Read[]> {
  const entries: Read[] = [];
  for await (const { body, ...entry } of readTar(pieces(bytes, length))) {
    const content = Buffer.alloc(Math.min(entry.size, 4 * 1024 * 1024));
    for await (const part of body) content.set(part.bytes, part.offset);
    entries.push({ ...entry, content: content.toString('latin1') });
  }
  return entries;
}

/** What GNU tar writes about a directory with these files. */
function gnuTar(context: TestContext, prepare: (directory: string) => void, ...options: string[]): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'read-tar-'));
  context.after(() => rmSync(directory, { recursive: true }));
  prepare(directory);
  return execFileSync('tar', ['-c', ...options, '-C', directory, '.'], { maxBuffer: 64 * 1024 * 1024 });
}

const LONG = `${'d'.repeat(120)}/${'f'.repeat(140)}`;
const BINARY = Buffer.from([1, 0, 0, 2, 0xff, 0x80, 0, 10, 61]);

for (const format of ['gnu', 'pax', 'ustar'])
  test(`reads what GNU tar writes in the format ${format}`, async (context) => {
    const bytes = gnuTar(
      context,
      (directory) => {
        writeFileSync(join(directory, 'a'), 'content');
        execFileSync('ln', ['-s', '/etc/passwd', join(directory, 'link')]);
        execFileSync('ln', [join(directory, 'a'), join(directory, 'hard')]);
        execFileSync('mkfifo', ['-m', '600', join(directory, 'fifo')]);
        execFileSync('chmod', ['4755', join(directory, 'a')]);
        if (format !== 'ustar') {
          execFileSync('mkdir', [join(directory, LONG.slice(0, 120))]);
          writeFileSync(join(directory, LONG), 'long');
        }
      },
      `--format=${format}`,
      '--sort=name',
      '--owner=x:1000',
      '--mtime=@1700000000',
    );
    for (const length of [1, 511, 10_240]) {
      const entries = await entriesOf(bytes, length);
      const named = (name: string) => entries.find((entry) => entry.name === `./${name}`);
      assert.equal(named('a')?.content, 'content');
      assert.equal(named('a')?.mode, 0o4755);
      assert.equal(named('a')?.userId, 1000);
      assert.equal(named('a')?.modifiedSeconds, 1_700_000_000);
      assert.equal(named('link')?.linkName, '/etc/passwd');
      assert.deepEqual([named('hard')?.type, named('hard')?.linkName], ['hard-link', './a']);
      assert.equal(named('fifo')?.type, 'fifo');
      if (format !== 'ustar') assert.equal(named(LONG)?.content, 'long');
    }
  });

for (const version of ['0.1', '1.0', 'old'])
  test(`reads sparse files of format ${version}`, async (context) => {
    const format = version === 'old' ? ['--format=gnu'] : ['--format=pax', `--sparse-version=${version}`];
    const bytes = gnuTar(
      context,
      (directory) => {
        const file = openSync(join(directory, 's'), 'w');
        // More ranges than the header of the old format holds.
        for (let at = 0; at < 40; at += 1) writeSync(file, `data ${at}`, at * 65_536 + 4096);
        closeSync(file);
        truncateSync(join(directory, 's'), 3_000_000);
        writeFileSync(join(directory, 't'), 'after');
      },
      '--sparse',
      '--sort=name',
      ...format,
    );
    assert.ok(bytes.length < 1_000_000, 'the holes are not in the archive');
    // Each header is a chunk of its own.
    const entries = await entriesOf(bytes, 512);
    const sparse = entries.find(({ name }) => name === './s');
    assert.equal(sparse?.size, 3_000_000);
    for (let at = 0; at < 40; at += 1)
      assert.equal(sparse?.content.slice(at * 65_536 + 4096).startsWith(`data ${at}\0`), true);
    assert.equal(entries.find(({ name }) => name === './t')?.content, 'after');
  });

test('names that are not UTF-8 and binary attributes keep their bytes', async (context) => {
  const bytes = gnuTar(
    context,
    (directory) => {
      writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff, 0xfe])]), 'x');
      const value = `0x${BINARY.toString('hex')}`;
      writeFileSync(join(directory, 'b'), '');
      execFileSync('setfattr', ['-n', 'trusted.x', '-v', value, join(directory, 'b')]);
    },
    '--format=pax',
    '--xattrs',
    '--xattrs-include=*',
  );
  const entries = await entriesOf(bytes);
  assert.ok(entries.some(({ name }) => name === './\u00ff\u00fe'));
  const attribute = entries.find(({ name }) => name === './b')?.attributes.get('trusted.x');
  assert.deepEqual(Buffer.from(attribute ?? '', 'latin1'), BINARY);
});

test('a damaged archive is read or refused with a TarError, and ends', async (context) => {
  const bytes = gnuTar(
    context,
    (directory) => {
      writeFileSync(join(directory, 'a'), 'content');
      execFileSync('mkdir', [join(directory, LONG.slice(0, 120))]);
      writeFileSync(join(directory, LONG), 'long');
      truncateSync(join(directory, 'a'), 100_000);
    },
    '--sparse',
    '--format=pax',
  );
  /** Damages one block, and corrects its checksum so that the damage is read. */
  const damaged = fc
    .tuple(
      fc.nat(bytes.length / 512 - 1),
      fc.nat(511),
      fc.uint8Array({ minLength: 1, maxLength: 20 }),
      fc.nat(bytes.length),
    )
    .map(([block, at, put, cut]) => {
      const copy = Buffer.from(bytes);
      copy.set(put.subarray(0, 512 - at), block * 512 + at);
      const header = copy.subarray(block * 512, block * 512 + 512);
      header.fill(0x20, 148, 156);
      header.write(
        `${header
          .reduce((sum, byte) => sum + byte, 0)
          .toString(8)
          .padStart(6, '0')}\0 `,
        148,
      );
      return cut % 3 === 0 ? copy.subarray(0, cut) : copy;
    });
  await fc.assert(
    fc.asyncProperty(damaged, async (archive) => {
      await entriesOf(archive).catch((error: unknown) => assert.ok(error instanceof TarError, String(error)));
    }),
    { numRuns: 2000 },
  );
});

test('extended headers are bounded', async () => {
  const header = (type: string, size: number): Buffer => {
    const block = Buffer.alloc(512);
    block.write('x');
    block.write(size.toString(8).padStart(11, '0'), 124);
    block.write(type, 156);
    block.fill(0x20, 148, 156);
    block.write(
      `${block
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    return block;
  };
  await assert.rejects(entriesOf(header('x', 2 ** 30)), /extended header has 1073741824 bytes/);
  await assert.rejects(entriesOf(header('L', 2 ** 30)), /extended header has 1073741824 bytes/);
  const many = Buffer.concat(Array.from({ length: 50 }, () => header('x', 0)));
  await assert.rejects(entriesOf(many), /more than 16 extended headers/);
});
