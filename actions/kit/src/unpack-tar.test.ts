import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { tarOf, type WrittenEntry } from '@tinkerbell/tar/testing';
import fc from 'fast-check';

import { ActionError } from './action-error.ts';
import { unpackTar } from './unpack-tar.ts';

const directory = mkdtempSync(join(tmpdir(), 'unpack-tar-test-'));
after(() => rmSync(directory, { recursive: true }));
const isRoot = process.getuid?.() === 0;
const skip = isRoot ? false : 'needs root for owners and devices';
const context = { signal: new AbortController().signal };

let folders = 0;
function newFolder(): string {
  folders += 1;
  const path = join(directory, String(folders));
  mkdirSync(path);
  return path;
}

async function* piecesOf(bytes: Buffer, size = 1000): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += size) {
    const piece = Buffer.from(bytes.subarray(at, at + size));
    yield piece;
    // As a decoder that reuses its memory.
    piece.fill(0xff);
  }
}

function unpack(archive: Buffer, root = newFolder(), target = '/') {
  return unpackTar({ source: piecesOf(archive), root, directory: target }, context);
}

/** An archive of these entries. Owners default to those of this process, so that no root is needed. */
function archiveOf(entries: readonly WrittenEntry[]): Buffer {
  const [userId = 0, groupId = 0] = [process.getuid?.(), process.getgid?.()];
  return Buffer.from(tarOf(entries.map((entry) => ({ userId, groupId, mode: 0o644, ...entry }))));
}

/** Type, mode, owner, size, times, link target and number of links of everything below a folder. */
function listing(folder: string): string {
  const format = String.raw`%P %y %m %U:%G %s %T@ %l %n\n`;
  const text = execFileSync('find', [
    folder,
    '-not',
    '-type',
    'd',
    '-printf',
    format,
    '-o',
    '-printf',
    String.raw`%P %y %m %U:%G %T@\n`,
  ]);
  // Node passes times as numbers, which have no more digits.
  const rounded = text.toString().replaceAll(/(\.\d{5})\d+/g, '$1');
  return rounded.split('\n').sort().join('\n');
}

function sampleTree(): string {
  const root = newFolder();
  mkdirSync(join(root, 'usr/bin'), { recursive: true });
  symlinkSync('usr/bin', join(root, 'bin'));
  symlinkSync('/etc/../usr', join(root, 'absolute'));
  writeFileSync(join(root, 'usr/bin/su'), 'x'.repeat(70_000));
  writeFileSync(join(root, 'usr/bin/größe'), '');
  linkSync(join(root, 'usr/bin/su'), join(root, 'usr/other'));
  mkdirSync(join(root, 'd'.repeat(120), 'e'.repeat(120)), { recursive: true });
  writeFileSync(join(root, 'd'.repeat(120), 'e'.repeat(120), 'f'.repeat(120)), 'long');
  execFileSync('mkfifo', [join(root, 'pipe')]);
  execFileSync('mknod', [join(root, 'null'), 'c', '1', '3']);
  execFileSync('mknod', [join(root, 'loop'), 'b', '7', '300']);
  execFileSync('chown', ['12:34', join(root, 'usr/bin/su')]);
  execFileSync('chown', ['-h', '3000000000:5', join(root, 'bin')]);
  execFileSync('chmod', ['6755', join(root, 'usr/bin/su')]);
  execFileSync('chmod', ['1777', join(root, 'usr')]);
  // The number that Node passes for a time of now may be rounded up to another fifth digit.
  execFileSync('find', [root, '-exec', 'touch', '-h', '-d', '2001-02-03 04:05:06.789', '{}', '+']);
  return root;
}

for (const format of ['pax', 'gnu', 'ustar'])
  test(`restores a tree as GNU tar does, format ${format}`, { skip }, async () => {
    const tree = sampleTree();
    if (format === 'ustar') {
      rmSync(join(tree, 'd'.repeat(120)), { recursive: true });
      rmSync(join(tree, 'bin'));
    }
    const archive = join(directory, 'tree.tar');
    execFileSync('tar', ['-C', tree, `--format=${format}`, '-cf', archive, '.']);
    const [ours, theirs] = [newFolder(), newFolder()];
    const totals = await unpack(readFileSync(archive), ours);
    execFileSync('tar', ['-C', theirs, '--same-owner', '-pxf', archive]);
    assert.equal(listing(ours), listing(theirs));
    assert.ok(totals.entries > 8 && totals.bytes >= 70_000);
    execFileSync('diff', ['--no-dereference', join(tree, 'usr'), join(ours, 'usr')]);
    // Once more over what is there.
    await unpack(readFileSync(archive), ours);
    assert.equal(listing(ours), listing(theirs));
  });

test('restores extended attributes of any bytes, also empty ones', { skip }, async (context) => {
  const root = newFolder();
  const value = String.fromCharCode(0, 1, 0x80, 0xff, 0xfe, 10);
  const attributes = { 'user.color': value, 'user.empty': '' };
  try {
    await unpack(archiveOf([{ name: 'a', flag: '0', attributes }]), root);
  } catch (error) {
    if (!/not supported/i.test(String(error))) throw error;
    context.skip('this file system has no extended attributes');
    return;
  }
  const shown = execFileSync('getfattr', ['-d', '-e', 'hex', '--absolute-names', join(root, 'a')]).toString();
  assert.match(shown, /user\.color=0x000180fffe0a\n/);
  assert.match(shown, /user\.empty=?(""|0x)?\n/);
});

/** Revision 2, effective, cap_net_raw: capability(7), `struct vfs_cap_data`. */
const CAPABILITY = '0x0100000200200000000000000000000000000000';

test('restores capabilities of a file, which are binary', { skip }, async (context) => {
  const tree = newFolder();
  writeFileSync(join(tree, 'ping'), 'x', { mode: 0o755 });
  try {
    execFileSync('setfattr', ['-n', 'security.capability', '-v', CAPABILITY, join(tree, 'ping')], {
      stdio: 'pipe',
    });
  } catch {
    context.skip('this file system has no capabilities');
    return;
  }
  const options = ['--xattrs', '--xattrs-include=*', '--format=pax'];
  const archive = execFileSync('tar', ['-C', tree, ...options, '-c', '.']);
  const root = newFolder();
  await unpack(archive, root);
  const query = ['-n', 'security.capability', '-e', 'hex', '--absolute-names'];
  const capability = execFileSync('getfattr', [...query, join(root, 'ping')]);
  assert.ok(capability.toString().includes(CAPABILITY));
});

for (const version of ['old', '0.1', '1.0'])
  test(`restores sparse files of format ${version} with their holes`, async () => {
    const tree = newFolder();
    execFileSync('truncate', ['-s', '5M', join(tree, 'holes')]);
    writeFileSync(join(tree, 'holes'), 'middle', { flag: 'r+' });
    execFileSync('truncate', ['-s', '50M', join(tree, 'holes')]);
    execFileSync('truncate', ['-s', '3M', join(tree, 'nothing')]);
    writeFileSync(join(tree, 'zzz'), 'after');
    const format = version === 'old' ? ['--format=gnu'] : ['--format=pax', `--sparse-version=${version}`];
    const archive = execFileSync('tar', ['-C', tree, '--sparse', ...format, '-c', '.']);
    const root = newFolder();
    const totals = await unpack(archive, root);
    execFileSync('diff', ['-r', tree, root]);
    assert.ok(statSync(join(root, 'holes')).blocks * 512 < 1024 * 1024, 'the holes take no room');
    assert.ok(totals.bytes < 1024 * 1024);
  });

test('refuses names that are not UTF-8, and says so', async () => {
  const name = 'caf\u00e9';
  await assert.rejects(unpack(archiveOf([{ name, flag: '0' }])), /"caf\ufffd" has a name that is not UTF-8/);
  await assert.rejects(
    unpack(archiveOf([{ name: 'a', flag: '2', linkName: name }])),
    /"caf\ufffd" has a name that is not UTF-8/,
  );
});

test('unpacks into a directory of the file system, which it creates', async () => {
  const root = newFolder();
  await unpack(archiveOf([{ name: './b/c', flag: '0', content: 'hello' }]), root, '/opt/a');
  assert.equal(readFileSync(join(root, 'opt/a/b/c'), 'utf8'), 'hello');
});

test('a directory over a link to a directory keeps the link', async () => {
  const root = newFolder();
  mkdirSync(join(root, 'usr/lib'), { recursive: true });
  symlinkSync('/usr/lib', join(root, 'lib'));
  await unpack(
    archiveOf([
      { name: 'lib/', flag: '5', mode: 0o711 },
      { name: 'lib/a', flag: '0', content: 'x' },
    ]),
    root,
  );
  assert.equal(readFileSync(join(root, 'usr/lib/a'), 'utf8'), 'x');
  assert.equal(statSync(join(root, 'usr/lib')).mode & 0o777, 0o711);
});

test('a file replaces a pipe, a link and a file, and never writes through them', async () => {
  const root = newFolder();
  const outside = join(newFolder(), 'outside');
  writeFileSync(outside, 'unchanged');
  for (const name of ['link', 'hard', 'pipe']) {
    if (name === 'link') symlinkSync(outside, join(root, name));
    else if (name === 'hard') linkSync(outside, join(root, name));
    else execFileSync('mkfifo', [join(root, name)]);
    await unpack(archiveOf([{ name, flag: '0', content: 'new' }]), root);
    assert.equal(readFileSync(join(root, name), 'utf8'), 'new');
  }
  assert.equal(readFileSync(outside, 'utf8'), 'unchanged');
});

/** Each archive tries to change `outside`, which is beside the root. */
const escapes: Readonly<Record<string, (outside: string) => readonly WrittenEntry[]>> = {
  'a name with ..': () => [{ name: '../outside/file', flag: '0', content: 'x' }],
  'a name with .. in the middle': () => [{ name: 'a/../../outside/file', flag: '0', content: 'x' }],
  'an absolute name': (outside) => [{ name: join(outside, 'file'), flag: '0', content: 'x' }],
  'a link to a directory outside': (outside) => [
    { name: 'l', flag: '2', linkName: outside },
    { name: 'l/file', flag: '0', content: 'x' },
  ],
  'a relative link outside': () => [
    { name: 'l', flag: '2', linkName: '../outside' },
    { name: 'l/file', flag: '0', content: 'x' },
  ],
  'a chain of links': (outside) => [
    { name: 'a', flag: '2', linkName: '.' },
    { name: 'a/b', flag: '2', linkName: join('a/a', outside) },
    { name: 'b/file', flag: '0', content: 'x' },
  ],
  'a link to a file outside': (outside) => [
    { name: 'file', flag: '2', linkName: join(outside, 'file') },
    { name: 'file', flag: '0', content: 'x' },
  ],
  'a hard link to a file outside': (outside) => [
    { name: 'file', flag: '1', linkName: join(outside, 'file') },
    { name: 'file', flag: '0', content: 'x' },
  ],
  'a hard link with ..': () => [{ name: 'file', flag: '1', linkName: '../outside/file' }],
  'a hard link through a link': (outside) => [
    { name: 'l', flag: '2', linkName: outside },
    { name: 'file', flag: '1', linkName: 'l/file' },
  ],
  'a directory over a link outside': (outside) => [
    { name: 'l', flag: '2', linkName: outside },
    { name: 'l', flag: '5', mode: 0o777 },
  ],
};

for (const [what, entriesFor] of Object.entries(escapes))
  test(`nothing escapes: ${what}`, async () => {
    const base = newFolder();
    const [root, outside] = [join(base, 'root'), join(base, 'outside')];
    mkdirSync(root);
    mkdirSync(outside, { mode: 0o755 });
    writeFileSync(join(outside, 'file'), 'secret');
    const before = listing(outside);
    await unpack(archiveOf(entriesFor(outside)), root).catch((error: unknown) =>
      assert.ok(error instanceof ActionError, String(error)),
    );
    assert.equal(listing(outside), before);
    assert.equal(readFileSync(join(outside, 'file'), 'utf8'), 'secret');
    assert.ok(!existsSync(join(root, 'file')) || readFileSync(join(root, 'file'), 'utf8') !== 'secret');
  });

/** Links, directories and files in any order, with names that meet each other. */
test('no sequence of entries changes anything outside', async () => {
  const base = newFolder();
  const outside = join(base, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'a'), 'secret');
  const before = listing(outside);
  const path = fc.array(fc.constantFrom('a', 'b', 'c', '..', '.', 'outside'), { minLength: 1, maxLength: 4 });
  const entry = fc.record({
    name: path.map((names) => names.join('/')),
    flag: fc.constantFrom('0', '5', '2', '1'),
    linkName: fc.oneof(
      path.map((names) => names.join('/')),
      fc.constantFrom(outside, join(outside, 'a'), '/', '/a', base),
    ),
    mode: fc.constant(0o777),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 8 }), async (entries) => {
      const root = join(base, 'root');
      rmSync(root, { recursive: true, force: true });
      mkdirSync(root);
      const archive = archiveOf(entries.map((one) => ({ ...one, content: one.flag === '0' ? 'x' : '' })));
      await unpack(archive, root).catch((error: unknown) =>
        assert.ok(error instanceof ActionError, String(error)),
      );
      assert.equal(listing(outside), before);
    }),
    { numRuns: 150 },
  );
});

test('damaged archives end in an ActionError', async () => {
  const archive = archiveOf([
    { name: 'a', flag: '0', content: 'x'.repeat(2000) },
    { name: 'b', flag: '0', content: 'y' },
  ]);
  await assert.rejects(unpack(archive.subarray(0, 1500)), /archive is damaged.*ends within an entry/);
  await assert.rejects(unpack(Buffer.alloc(2000, 'text')), /is damaged, or is not a tar archive/);
  await fc.assert(
    fc.asyncProperty(fc.nat(archive.length - 1), fc.nat(255), async (at, byte) => {
      const damaged = Buffer.from(archive);
      damaged[at] = byte;
      await unpack(damaged).catch((error: unknown) => assert.ok(error instanceof ActionError, String(error)));
    }),
    { numRuns: 100 },
  );
});

test('refuses a directory in the place of a file, and a failed source', async () => {
  const root = newFolder();
  mkdirSync(join(root, 'a'));
  await assert.rejects(
    unpack(archiveOf([{ name: 'a', flag: '0', content: 'x' }]), root),
    /"a" is a directory on the disk/,
  );
  async function* failing(): AsyncGenerator<Buffer, void> {
    yield archiveOf([{ name: 'a', flag: '0', content: 'x'.repeat(2000) }]).subarray(0, 1000);
    throw new ActionError('the cable was cut');
  }
  await assert.rejects(
    unpackTar({ source: failing(), root: newFolder(), directory: '/' }, context),
    /the cable was cut/,
  );
});
