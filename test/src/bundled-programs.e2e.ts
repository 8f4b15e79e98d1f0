/** The server and `tink` start from the bundle that set-up made, and from their sources after an edit. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { bundledProgram, bundlesOf, checkout, type BundleIndex } from '../../bin/bundled-program.mjs';

/** Prints the number of sources that a program loads, after the program's own output. */
const COUNTER = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  let count = 0;
  registerHooks({ load: (url, context, next) => { count += url.endsWith('.ts') ? 1 : 0; return next(url, context); } });
  process.on('exit', () => console.log('sources: ' + count));
`)}`;

describe('bundled programs', () => {
  before(() => execFileSync('sh', [join(checkout, 'scripts/setup.sh')], { stdio: 'pipe' }));

  for (const [name, words, output] of [
    ['server', ['--version'], /^\d+\.\d+\.\d+\n/],
    ['tink', ['version'], /^tink +\S+/],
  ] as const)
    test(`${name}: a fresh bundle replaces every source`, () => {
      assert.ok(bundledProgram(name) !== undefined);
      const main = join(checkout, 'apps', name, 'src/main.mjs');
      const text = execFileSync(process.execPath, ['--import', COUNTER, main, ...words], {
        encoding: 'utf8',
      });
      assert.match(text, output);
      assert.match(text, /sources: 0\n/);
    });
});

describe('the bundle of a checkout', () => {
  const root = mkdtempSync(join(tmpdir(), 'bundled-program-'));
  const source = join(root, 'source.ts');
  after(() => rmSync(root, { recursive: true }));

  const index = (changes: Partial<BundleIndex> = {}): void => {
    mkdirSync(bundlesOf(root), { recursive: true });
    const whole: BundleIndex = { root, folder: 'abc', inputs: [['source.ts', 2, 1_000]], ...changes };
    writeFileSync(join(bundlesOf(root), 'tink.json'), JSON.stringify(whole));
  };
  const edit = (text: string, atSeconds: number): void => {
    writeFileSync(source, text);
    utimesSync(source, atSeconds, atSeconds);
  };

  test('counts while its sources are unchanged', () => {
    assert.equal(bundledProgram('tink', root), undefined);
    edit('ab', 1);
    index();
    assert.equal(bundledProgram('tink', root), `file://${bundlesOf(root)}/abc/tink.mjs`);
  });

  for (const [what, change] of [
    ['an edit of the same size', () => edit('xy', 2)],
    ['an edit at the same time', () => edit('abc', 1)],
    ['a deleted source', () => rmSync(source)],
    ['a checkout that was moved', () => index({ root: '/elsewhere' })],
    [
      'an index that a full disk cut short',
      () => writeFileSync(join(bundlesOf(root), 'tink.json'), '{"root":'),
    ],
  ] as const)
    test(`does not count after ${what}`, () => {
      edit('ab', 1);
      index();
      assert.notEqual(bundledProgram('tink', root), undefined);
      change();
      assert.equal(bundledProgram('tink', root), undefined);
    });
});
