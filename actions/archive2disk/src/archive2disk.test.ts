import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';

import { loopDevice, quietContext, serve } from '@tinkerbell/action-kit/testing';

import { archive2diskAction } from './archive2disk.ts';
import { readSettings } from './settings.ts';

const directory = mkdtempSync(join(tmpdir(), 'archive2disk-test-'));
after(() => rmSync(directory, { recursive: true }));

function sampleTar(): Buffer {
  const tree = join(directory, 'tree');
  mkdirSync(join(tree, 'etc'), { recursive: true });
  writeFileSync(join(tree, 'etc/hostname'), 'node-1\n', { mode: 0o640 });
  const archive = join(directory, 'tree.tar');
  execFileSync('tar', ['-C', tree, '-cf', archive, '.']);
  return readFileSync(archive);
}

const hexOf = (algorithm: string, bytes: Buffer): string => createHash(algorithm).update(bytes).digest('hex');

test('unpacks tar, gzip and zstd into a file system, with a checksum of the tar', async (context) => {
  const tar = sampleTar();
  const archives: Record<string, Buffer> = {
    '/a.tar': tar,
    '/a.tgz': gzipSync(tar),
    '/a': zstdCompressSync(tar),
  };
  const address = await serve(context, (request, response) => response.end(archives[request.url ?? '']));
  const image = join(directory, 'disk.img');
  execFileSync('truncate', ['-s', '16M', image]);
  execFileSync('mke2fs', ['-q', '-t', 'ext4', image], { stdio: 'pipe' });
  const device = loopDevice(context, image);
  if (device === undefined) return;
  const run = (changes: Record<string, string>) =>
    archive2diskAction.run(
      { DEST_DISK: device, FS_TYPE: 'ext4', DEST_PATH: '/', ...changes },
      quietContext(),
    );
  const sha256 = { TARFILE_CHECKSUM: `sha256:${hexOf('sha256', tar)}` };
  const runs = [
    { ARCHIVE_URL: `${address}/a.tar`, ARCHIVE_TYPE: 'tar', ...sha256 },
    { ARCHIVE_URL: `${address}/a.tgz`, ARCHIVE_TYPE: 'targz', DEST_PATH: '/opt/b', ...sha256 },
    {
      ARCHIVE_URL: `${address}/a`,
      DEST_PATH: '/c',
      TARFILE_CHECKSUM: `SHA512:${hexOf('sha512', tar).toUpperCase()}`,
    },
    { ARCHIVE_URL: `${address}/a`, DEST_PATH: '/d', INSECURE_NO_TARFILE_CHECKSUM_VERIFICATION: 'true' },
  ];
  for (const [index, one] of runs.entries()) {
    const result = await run(one);
    assert.ok(result.ok, result.ok ? '' : result.error);
    assert.match(result.message, /^unpacked 3 entries \(7 B\) to \//);
    const path = ['', '/opt/b', '/c', '/d'][index];
    const stat = execFileSync('debugfs', ['-R', `stat ${path}/etc/hostname`, image], {
      stdio: 'pipe',
    }).toString();
    assert.match(stat, /Mode: {2}0640/);
  }
  const wrong = await run({ ARCHIVE_URL: `${address}/a.tgz`, TARFILE_CHECKSUM: `sha256:${'0'.repeat(64)}` });
  assert.match(
    wrong.ok ? '' : wrong.error,
    /sha256 is [0-9a-f]{64}, TARFILE_CHECKSUM says 0+: .* holds wrong files/,
  );
  const notGzip = await run({ ARCHIVE_URL: `${address}/a.tar`, ARCHIVE_TYPE: 'targz', ...sha256 });
  assert.match(notGzip.ok ? '' : notGzip.error, /not a whole gzip stream/);
  const missing = await run({ ARCHIVE_URL: `${address}/missing`, ...sha256 });
  assert.match(missing.ok ? '' : missing.error, /archive without entries/);
  assert.equal(execFileSync('losetup', ['-n', '-O', 'NAME', device]).toString().trim(), device);
  assert.ok(!readFileSync('/proc/mounts', 'utf8').includes(device), 'it is not mounted any more');
});

test('names every wrong variable', () => {
  assert.throws(
    () =>
      readSettings({ ARCHIVE_URL: 'x', ARCHIVE_TYPE: 'zip', DEST_DISK: 'sda', TARFILE_CHECKSUM: 'md5:0' }),
    /ARCHIVE_URL=x must.*ARCHIVE_TYPE=zip must be tar or targz.*DEST_DISK=sda.*FS_TYPE is missing.*DEST_PATH is missing.*TARFILE_CHECKSUM must be sha256/,
  );
  const ok = { ARCHIVE_URL: 'http://a/b', DEST_DISK: '/dev/a', FS_TYPE: 'ext4', DEST_PATH: '/' };
  assert.throws(() => readSettings(ok), /TARFILE_CHECKSUM is missing/);
  assert.equal(readSettings({ ...ok, INSECURE_NO_TARFILE_CHECKSUM_VERIFICATION: '1' }).checksum, undefined);
});
