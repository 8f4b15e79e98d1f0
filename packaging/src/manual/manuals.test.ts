/** The manual pages by man-db's own checks, and the settings file by the server's reader. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { flags, readConfigFile } from '@tinkerbell/app-server';
import { commandPages } from '@tinkerbell/app-tink';
import { item, roffText } from './roff.ts';
import { serverManual } from './server-manual.ts';
import { settingsFile } from './settings-file.ts';
import { tinkManual } from './tink-manual.ts';

const hasMan = spawnSync('man', ['--version']).status === 0;
const skip = hasMan ? false : 'needs man-db';

/** Returns the page as a terminal shows it. Warnings of groff are mistakes. */
function shown(page: string): string {
  const { stdout, stderr } = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', '-'], {
    input: page,
    encoding: 'utf8',
    env: { ...process.env, MANWIDTH: '200', LC_ALL: 'C.UTF-8', MANPAGER: 'cat', MAN_KEEP_FORMATTING: '' },
  });
  assert.equal(stderr, '');
  return stdout;
}

test('tinkerbell(8) has every command and every flag with its default', { skip }, () => {
  const text = shown(serverManual(flags, '1.2.3'));
  assert.match(text, /tinkerbell - provision bare-metal machines/);
  assert.match(text, /tinkerbell config check \[flags\]/);
  for (const { name } of flags) assert.ok(text.includes(`--${name}`), name);
  assert.match(text, /--http-port NUMBER\n +port of scripts, binaries, images and the API \(default: 7080\)/);
});

test('tink(1) has every command with its options and examples', { skip }, () => {
  const pages = commandPages();
  const text = shown(tinkManual(pages, '1.2.3'));
  for (const { name } of pages) assert.ok(text.includes(name), name);
  assert.match(text, /--why <text>/);
  assert.match(text, /source <\(tink completion bash\) {3,}this shell only/);
});

test('text that roff would read as a request or an escape is escaped', () => {
  assert.equal(roffText(".start\n'quoted\na\\b --x"), "\\&.start\n\\&'quoted\na\\eb \\-\\-x");
  assert.equal(item('--a', 'b'), '.TP\n\\fB\\-\\-a\\fP\nb\n');
});

test('the settings file sets the folders of the package', () => {
  const read = readConfigFile(flags, 'tinkerbell.yaml', settingsFile(flags));
  assert.ok(read.ok);
  assert.deepEqual(
    [...read.values],
    [
      ['hook-dir', '/usr/lib/tinkerbell-os'],
      ['data-dir', '/var/lib/tinkerbell'],
    ],
  );
});

test('every setting in a comment is valid without its hash, and has the default of its flag', () => {
  const text = settingsFile(flags).replaceAll(/^#(?=[a-z])/gm, '');
  const read = readConfigFile(flags, 'tinkerbell.yaml', text);
  assert.ok(read.ok, 'message' in read ? read.message : '');
  const inFile = flags.filter(({ name }) => !['config', 'help', 'version'].includes(name));
  assert.equal(read.values.size, inFile.length);
  for (const flag of inFile)
    if (!['data-dir', 'hook-dir'].includes(flag.name))
      assert.equal(read.values.get(flag.name), flag.default, flag.name);
});
