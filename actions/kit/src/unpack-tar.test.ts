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
import { pack, type Headers } from 'tar-stream';
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
async function archiveOf(
  entries: readonly (Headers & { readonly text?: string; readonly pax?: object })[],
): Promise<Buffer> {
  const archive = pack();
  for (const { text = '', ...header } of entries)
    archive.entry({ uid: process.getuid?.(), gid: process.getgid?.(), ...header }, text);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk);
  return Buffer.concat(chunks);
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
  execFileSync('touch', ['-d', '2001-02-03 04:05:06.789', join(root, 'usr'), join(root, 'usr/bin/su'), root]);
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

test('restores extended attributes, and refuses what it cannot', { skip }, async (context) => {
  const root = newFolder();
  const header = { name: 'a', mode: 0o755 };
  try {
    await unpack(await archiveOf([{ ...header, pax: { 'SCHILY.xattr.user.color': 'blue' } }]), root);
  } catch (error) {
    if (!/not supported/i.test(String(error))) throw error;
    context.skip('this file system has no extended attributes');
    return;
  }
  assert.match(
    execFileSync('python3', [
      '-c',
      `import os;print(os.getxattr(${JSON.stringify(join(root, 'a'))}, "user.color"))`,
    ]).toString(),
    /b'blue'/,
  );
  await assert.rejects(
    unpack(await archiveOf([{ ...header, pax: { 'SCHILY.xattr.user.color': '\ufffd' } }])),
    /"a" has the attribute user\.color, whose value cannot be restored/,
  );
});

test('unpacks into a directory of the file system, which it creates', async () => {
  const root = newFolder();
  await unpack(await archiveOf([{ name: './b/c', text: 'hello' }]), root, '/opt/a');
  assert.equal(readFileSync(join(root, 'opt/a/b/c'), 'utf8'), 'hello');
});

test('a directory over a link to a directory keeps the link', async () => {
  const root = newFolder();
  mkdirSync(join(root, 'usr/lib'), { recursive: true });
  symlinkSync('/usr/lib', join(root, 'lib'));
  await unpack(
    await archiveOf([
      { name: 'lib/', type: 'directory', mode: 0o711 },
      { name: 'lib/a', text: 'x' },
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
    await unpack(await archiveOf([{ name, text: 'new' }]), root);
    assert.equal(readFileSync(join(root, name), 'utf8'), 'new');
  }
  assert.equal(readFileSync(outside, 'utf8'), 'unchanged');
});

/** Each archive tries to change `outside`, which is beside the root. */
const escapes: Readonly<Record<string, (outside: string) => readonly (Headers & { text?: string })[]>> = {
  'a name with ..': () => [{ name: '../outside/file', text: 'x' }],
  'a name with .. in the middle': () => [{ name: 'a/../../outside/file', text: 'x' }],
  'an absolute name': (outside) => [{ name: join(outside, 'file'), text: 'x' }],
  'a link to a directory outside': (outside) => [
    { name: 'l', type: 'symlink', linkname: outside },
    { name: 'l/file', text: 'x' },
  ],
  'a relative link outside': () => [
    { name: 'l', type: 'symlink', linkname: '../outside' },
    { name: 'l/file', text: 'x' },
  ],
  'a chain of links': (outside) => [
    { name: 'a', type: 'symlink', linkname: '.' },
    { name: 'a/b', type: 'symlink', linkname: join('a/a', outside) },
    { name: 'b/file', text: 'x' },
  ],
  'a link to a file outside': (outside) => [
    { name: 'file', type: 'symlink', linkname: join(outside, 'file') },
    { name: 'file', text: 'x' },
  ],
  'a hard link to a file outside': (outside) => [
    { name: 'file', type: 'link', linkname: join(outside, 'file') },
    { name: 'file', text: 'x' },
  ],
  'a hard link with ..': () => [{ name: 'file', type: 'link', linkname: '../outside/file' }],
  'a hard link through a link': (outside) => [
    { name: 'l', type: 'symlink', linkname: outside },
    { name: 'file', type: 'link', linkname: 'l/file' },
  ],
  'a directory over a link outside': (outside) => [
    { name: 'l', type: 'symlink', linkname: outside },
    { name: 'l', type: 'directory', mode: 0o777 },
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
    await unpack(await archiveOf(entriesFor(outside)), root).catch((error: unknown) =>
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
    type: fc.constantFrom('file', 'directory', 'symlink', 'link'),
    linkname: fc.oneof(
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
      const archive = await archiveOf(
        entries.map((one) => ({ ...one, text: one.type === 'file' ? 'x' : '' })),
      );
      await unpack(archive, root).catch((error: unknown) =>
        assert.ok(error instanceof ActionError, String(error)),
      );
      assert.equal(listing(outside), before);
    }),
    { numRuns: 150 },
  );
});

test('damaged archives end in an ActionError', async () => {
  const archive = await archiveOf([
    { name: 'a', text: 'x'.repeat(2000) },
    { name: 'b', text: 'y' },
  ]);
  await assert.rejects(unpack(archive.subarray(0, 1500)), /archive is damaged.*Unexpected end of data/);
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

test('refuses sparse files, a directory in the place of a file, and a failed source', async () => {
  await assert.rejects(
    unpack(await archiveOf([{ name: 'a', pax: { 'GNU.sparse.major': '1' } }])),
    /"a" is a sparse file/,
  );
  const root = newFolder();
  mkdirSync(join(root, 'a'));
  await assert.rejects(
    unpack(await archiveOf([{ name: 'a', text: 'x' }]), root),
    /"a" is a directory on the disk/,
  );
  async function* failing(): AsyncGenerator<Buffer, void> {
    yield (await archiveOf([{ name: 'a', text: 'x'.repeat(2000) }])).subarray(0, 1000);
    throw new ActionError('the cable was cut');
  }
  await assert.rejects(
    unpackTar({ source: failing(), root: newFolder(), directory: '/' }, context),
    /the cable was cut/,
  );
});
