import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';

import { loopDevice, missingPrograms, quietContext } from '@tinkerbell/action-kit/testing';

import { readSettings } from './settings.ts';
import { changedEnvironment, decodeEnvironment, encodeEnvironment } from './uboot-environment.ts';
import { ubootenvAction } from './ubootenv.ts';

const directory = mkdtempSync(join(tmpdir(), 'ubootenv-test-'));
after(() => rmSync(directory, { recursive: true }));

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { stdio: 'pipe' }).toString();

/** What U-Boot's own tool reads. */
function printed(file: string, sizeBytes: number): string {
  const configuration = join(directory, 'fw_env.config');
  writeFileSync(configuration, `${file} 0x0 0x${sizeBytes.toString(16)}\n`);
  return run('fw_printenv', '-c', configuration);
}

test(
  'U-Boot\u2019s tools read what is written, and what they write is read',
  {
    skip: missingPrograms('mkenvimage', 'fw_printenv'),
  },
  () => {
    const [text, file] = [join(directory, 'text'), join(directory, 'uboot.env')];
    writeFileSync(text, 'bootcmd=run a; run b\nserial#=1=2\n');
    for (const redundant of [[], ['-r']]) {
      run('mkenvimage', '-s', '0x2000', ...redundant, '-o', file, text);
      const decoded = decodeEnvironment(readFileSync(file));
      assert.ok(decoded.ok);
      assert.deepEqual(
        [...decoded.value.variables],
        [
          ['bootcmd', 'run a; run b'],
          ['serial#', '1=2'],
        ],
      );
      assert.equal(decoded.value.flag, redundant.length === 0 ? undefined : 1);
      const changes = new Map([
        ['bootdelay', '3'],
        ['serial#', undefined],
      ]);
      const encoded = encodeEnvironment(changedEnvironment(decoded.value, changes));
      assert.ok(encoded.ok && encoded.value.length === 0x2000);
      if (redundant.length > 0) continue;
      writeFileSync(file, encoded.value);
      assert.equal(printed(file, 0x2000), 'bootcmd=run a; run b\nbootdelay=3\n');
    }
  },
);

test('any environment survives a round trip, and damage is found', () => {
  const name = fc.stringMatching(/^[a-z#_]{1,20}$/);
  const value = fc.stringMatching(/^[ -~\u0080-\u00ff]{1,60}$/);
  const variables = fc.array(fc.tuple(name, value), { maxLength: 30 });
  const flag = fc.option(fc.nat(255), { nil: undefined });
  fc.assert(
    fc.property(variables, flag, fc.nat(4095), (pairs, found, at) => {
      const environment = { variables: new Map(pairs), sizeBytes: 4096, flag: found };
      const encoded = encodeEnvironment(environment);
      assert.ok(encoded.ok);
      const decoded = decodeEnvironment(encoded.value);
      assert.ok(decoded.ok);
      assert.deepEqual(
        new Map([...decoded.value.variables].sort()),
        new Map([...environment.variables].sort()),
      );
      assert.equal(decoded.value.flag, found);
      const damaged = Buffer.from(encoded.value);
      damaged[at] = (damaged[at] ?? 0) ^ 0x40;
      // The flag of a redundant environment has no checksum.
      assert.equal(decodeEnvironment(damaged).ok, found !== undefined && at === 4);
    }),
  );
});

test('random bytes are no environment, and never an exception', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void decodeEnvironment(Buffer.from(bytes))),
  );
  const tooLarge = { variables: new Map([['a', 'x'.repeat(5000)]]), sizeBytes: 4096, flag: undefined };
  const encoded = encodeEnvironment(tooLarge);
  assert.match(encoded.ok ? '' : encoded.error, /need 5003 bytes, and the environment has room for 4091/);
});

test(
  'creates and changes the file of a file system',
  {
    skip: missingPrograms('mke2fs', 'debugfs', 'fw_printenv'),
  },
  async (context) => {
    const image = join(directory, 'disk.img');
    run('truncate', '-s', '8M', image);
    run('mke2fs', '-q', '-t', 'ext4', image);
    const device = loopDevice(context, image);
    if (device === undefined) return;
    const place = { DEST_DISK: device, FS_TYPE: 'ext4', ENV_FILE: '/boot/uboot.env' };
    const change = (ENV_VARS: string, more = {}) =>
      ubootenvAction.run({ ...place, ENV_VARS, ...more }, quietContext());
    const copy = join(directory, 'copy');
    for (const [changes, expected] of [
      ['{"bootdelay":"3","bootcmd":"run distro_bootcmd"}', 'bootcmd=run distro_bootcmd\nbootdelay=3\n'],
      ['{"bootdelay":null,"name":"gr\u00fcn"}', 'bootcmd=run distro_bootcmd\nname=gr\u00fcn\n'],
    ] as const) {
      const result = await change(changes);
      assert.ok(result.ok, result.ok ? '' : result.error);
      run('debugfs', '-R', `dump /boot/uboot.env ${copy}`, image);
      assert.equal(printed(copy, 0x4000), expected);
    }
    const tooLong = await change(JSON.stringify({ a: 'x'.repeat(20_000) }));
    assert.match(tooLong.ok ? '' : tooLong.error, /ENV_FILE=\/boot\/uboot.env on .*room for/);
    const folder = await change('{"a":"b"}', { ENV_FILE: '/boot' });
    assert.match(folder.ok ? '' : folder.error, /ENV_FILE=\/boot is not a file/);
  },
);

test('names every wrong variable', () => {
  assert.throws(
    () => readSettings({ DEST_DISK: 'sda1', ENV_FILE: '/a/', ENV_VARS: '[]', ENV_SIZE: '1' }),
    /DEST_DISK=sda1.*FS_TYPE is missing.*ENV_FILE names a directory.*ENV_SIZE=1.*ENV_VARS must be a JSON object/,
  );
  const ok = { DEST_DISK: '/dev/a', FS_TYPE: 'vfat', ENV_FILE: '/a' };
  for (const [vars, reason] of [
    ['{"a=b":"c"}', /the name "a=b"/],
    ['{"a":3}', /"a", whose value must be a string or null/],
    ['{"a":"\\u0000"}', /"a", whose value contains a zero/],
  ] as const)
    assert.throws(() => readSettings({ ...ok, ENV_VARS: vars }), reason);
});
