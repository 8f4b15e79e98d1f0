import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const FILTERS = ['--sparkplug-filter=none', '--maglev-filter=none', '--turbo-filter=none'];

test('V8 compiles nothing while filters hold its compilers back, and what was hot before once they are allowed', () => {
  assert.deepEqual(compiledBy(''), []);
  const compiled = compiledBy('allowCompilers();');
  assert.ok(
    compiled.some((line) => line.includes('work') && line.includes('TURBOFAN')),
    compiled.join('\n'),
  );
});

/** Returns what V8 reports about a program that calls a function often before and after the statement. */
function compiledBy(statement: string): readonly string[] {
  const program = `
    import { allowCompilers } from ${JSON.stringify(new URL('compilers.ts', import.meta.url).href)};
    const square = (n) => n * n;
    const work = () => {
      let sum = 0;
      for (let i = 0; i < 1_000_000; i += 1) sum += square(i);
      return sum;
    };
    work();
    ${statement}
    for (let i = 0; i < 5; i += 1) {
      work();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  `;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...FILTERS, '--trace-opt', '--input-type=module-typescript', '--eval', program],
    { encoding: 'utf8' },
  );
  assert.equal(stderr, '');
  return stdout.split('\n').filter((line) => line.startsWith('[completed compiling'));
}
