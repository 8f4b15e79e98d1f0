/**
 * The segments of the in-memory OS in a root that has nothing else than its first stage: every library is there, and every
 * program does its work.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { buildHook, runCommand, withCacheLock, type HookBuild } from '@tinkerbell/hook';

const cacheDirectory = join(import.meta.dirname, '../../.cache');
const run = promisify(execFile);
const skip = process.getuid?.() === 0 ? false : 'needs root for chroot';
const MEBIBYTE = 1024 * 1024;

describe('segments', { skip }, () => {
  let directory: string;
  let root: string;
  let build: HookBuild;
  /** Runs a program as the agent does: same root, same search path. */
  const inside = async (program: string, ...args: string[]): Promise<string> => {
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
    // A mount namespace of its own, which ends with the program.
    const enter = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"';
    const words = ['--mount', 'sh', '-c', enter, root, program, ...args];
    const { stdout, stderr } = await run('unshare', words, { env });
    return stdout + stderr;
  };
  const disk = async (megabytes: number): Promise<void> => {
    await rm(join(root, 'tmp/disk'), { force: true });
    await inside('busybox', 'truncate', '-s', `${megabytes}M`, '/tmp/disk');
  };
  const bytesAt = async (offset: number, length: number): Promise<string> =>
    (await readFile(join(root, 'tmp/disk'))).toString('latin1', offset, offset + length);

  before(async () => {
    await mkdir(join(cacheDirectory, 'test'), { recursive: true });
    directory = await mkdtemp(join(cacheDirectory, 'test', 'segments-'));
    root = join(directory, 'root');
    const outputDirectory = join(directory, 'hook');
    build = await withCacheLock(cacheDirectory, () =>
      buildHook({ outputDirectory, cacheDirectory, release: false }),
    );
    await mkdir(join(root, 'tmp'), { recursive: true });
    for (const name of ['dev', 'proc']) await mkdir(join(root, name));
    // The first frame is the first of its archives: busybox and the libraries.
    const initramfs = await readFile(build.initramfs.path);
    const programs = initramfs.subarray(0, build.parts['programs']);
    execFileSync('busybox', ['cpio', '-idm'], {
      cwd: root,
      input: zstdDecompressSync(programs),
      stdio: 'pipe',
    });
    for (const { file } of build.segments) {
      const archive = zstdDecompressSync(await readFile(join(outputDirectory, file)));
      execFileSync('tar', ['-xf', '-'], { cwd: root, input: archive });
    }
    await writeFile(join(root, 'dev/null'), '');
  });
  after(() => rm(directory, { recursive: true, force: true }));

  test('the list names files with their size and digest, and what is in them', async () => {
    const list = JSON.parse(await readFile(join(directory, 'hook/segments-x86_64.json'), 'utf8')) as {
      segments: HookBuild['segments'];
    };
    assert.deepEqual(list.segments, build.segments);
    for (const { name, file, bytes, sha256, programs, packages } of list.segments) {
      const content = await readFile(join(directory, 'hook', file));
      assert.equal(content.length, bytes);
      assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
      assert.equal(file, `${name}-${sha256.slice(0, 16)}.tar.zst`);
      assert.ok(
        packages.every(({ version }) => /^[\w.:+~-]+$/.test(version)),
        JSON.stringify(packages),
      );
      const paths = execFileSync('tar', ['-tf', '-'], {
        input: zstdDecompressSync(content),
        encoding: 'utf8',
      });
      for (const program of programs) assert.ok(paths.split('\n').includes(program), program);
    }
  });

  test('every library that a file needs is in the first stage or in a segment', async () => {
    const libraries = await readdir(join(root, 'lib'));
    const places = ['lib', 'usr/bin', 'usr/sbin'];
    for (const place of places)
      for (const entry of await readdir(join(root, place), { withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const text = await runCommand('readelf', ['-dW', join(root, place, entry.name)]);
        for (const [, name = ''] of text.matchAll(/\(NEEDED\).*\[([^\]]+)\]/g))
          assert.ok(libraries.includes(name), `${place}/${entry.name} needs ${name}`);
      }
  });

  test('the same inputs give the same bytes', async () => {
    const again = await buildHook({
      outputDirectory: join(directory, 'again'),
      cacheDirectory: await freshCache(directory),
      release: false,
    });
    assert.deepEqual(again.segments, build.segments);
    assert.equal(again.initramfs.sha256, build.initramfs.sha256);
  });

  test('crun runs', async () => {
    assert.match(await inside('crun', '--version'), /^crun version /);
  });

  test('makes the file systems of rootio', async () => {
    for (const format of ['ext2', 'ext3', 'ext4']) {
      await disk(64);
      await inside('mke2fs', '-L', 'A', '-t', format, '-F', '/tmp/disk');
      assert.equal(await bytesAt(0x438, 2), '\x53\xef', format);
    }
    await disk(64);
    assert.doesNotMatch(await inside('mkfs.fat', '/tmp/disk'), /codepage/i);
    assert.match(await bytesAt(0x36, 8), /^FAT/);
    await disk(400);
    await inside('mkfs.xfs', '-f', '/tmp/disk');
    assert.equal(await bytesAt(0, 4), 'XFSB');
  });

  test('syslinux installs itself on FAT', async () => {
    await disk(64);
    await inside('mkfs.fat', '/tmp/disk');
    await inside('syslinux', '--install', '/tmp/disk');
    assert.equal(await bytesAt(3, 8), 'SYSLINUX');
    assert.equal((await readFile(join(root, 'usr/lib/syslinux/mbr/mbr.bin'))).length, 440);
  });

  test('qemu-img reads and writes VMDK', async () => {
    await disk(1);
    await inside('qemu-img', 'convert', '-f', 'raw', '-O', 'vmdk', '/tmp/disk', '/tmp/disk.vmdk');
    await inside('qemu-img', 'convert', '-f', 'vmdk', '-O', 'raw', '/tmp/disk.vmdk', '/tmp/disk');
    assert.equal((await readFile(join(root, 'tmp/disk'))).length, MEBIBYTE);
  });
});

/** A cache with the packages, and with nothing that was built. */
async function freshCache(directory: string): Promise<string> {
  const fresh = join(directory, 'cache');
  await mkdir(fresh);
  execFileSync('cp', ['-rl', join(cacheDirectory, 'debian'), join(fresh, 'debian')]);
  return fresh;
}
