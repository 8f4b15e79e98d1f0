/** Tests which commands are read from a page, and which mistakes in it are found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksOf } from './blocks.ts';
import { missingLines } from './shown-output.ts';

const page = (...lines: readonly string[]): string => lines.join('\n');

test('a script has one command per line, and a backslash continues it', () => {
  assert.deepEqual(blocksOf(page('```sh', 'a \\', '  b', '# a remark', 'c', '```')), [
    {
      kind: 'run',
      line: 1,
      commands: [
        { text: 'a \\\n  b', output: [] },
        { text: 'c', output: [] },
      ],
    },
  ]);
});

test('a transcript has commands with their output', () => {
  assert.deepEqual(blocksOf(page('```console', '$ a', 'one', '$ b', '```')), [
    {
      kind: 'run',
      line: 1,
      commands: [
        { text: 'a', output: ['one'] },
        { text: 'b', output: [] },
      ],
    },
  ]);
});

test('no command is skipped: neither without a language, nor indented, nor without a reason', () => {
  const kinds = (...lines: readonly string[]) => blocksOf(page(...lines)).map(({ kind }) => kind);
  assert.deepEqual(kinds('```', 'a', '```'), ['wrong']);
  assert.deepEqual(kinds('', '    tink get hw'), ['wrong']);
  assert.deepEqual(kinds('```sh no-run', 'a', '```'), ['wrong']);
  assert.deepEqual(kinds('```sh no-run: needs a BMC', 'a', '```'), ['not-run']);
  assert.deepEqual(kinds('```sh', 'a'), ['wrong']);
});

test('a YAML block below the name of a file is that file', () => {
  assert.deepEqual(blocksOf(page('`m1.yaml`:', '', '```yaml', 'a: 1', '```')), [
    { kind: 'file', line: 3, name: 'm1.yaml', text: 'a: 1\n' },
  ]);
});

test('output is compared line by line in order, and times and durations by their format', () => {
  const printed = 'NAME  AGE\nm1    12s\nat 2026-11-20T14:00:03Z\n';
  assert.deepEqual(missingLines(['NAME   AGE', 'm1   3s', '…', 'at 2027-01-01T00:00:00Z'], printed), []);
  assert.deepEqual(missingLines(['m1 3s', 'NAME AGE'], printed), ['NAME AGE']);
  assert.deepEqual(missingLines(['m2 12s'], printed), ['m2 12s']);
  assert.deepEqual(missingLines(['m… 1s'], printed), []);
});
