/** Runs a minute of every class of attack at once. `npm run attack -- --minutes 30` runs longer. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AttackReport } from './attacks/run-attacks.ts';

const isRoot = process.getuid?.() === 0;

test(
  'a minute of all attacks at once returns nothing to the wrong client, and stops nothing',
  { skip: isRoot ? false : 'network namespaces need root', timeout: 300_000 },
  () => {
    const main = join(import.meta.dirname, 'attacks/main.ts');
    // Processor time is also longer on a busy host.
    const limits = ['--callback-max', '50', '--turn-max', '500', '--dhcp-max', '2000'];
    const words = [main, '--minutes', '1', ...limits, '--json'];
    const run = spawnSync(process.execPath, words, { encoding: 'utf8' });
    const last = run.stdout.trim().split('\n').at(-1) ?? '';
    assert.ok(last.startsWith('{'), `${run.stdout}\n${run.stderr}`);
    const report = JSON.parse(last) as AttackReport;
    assert.deepEqual(report.failures, [], `seed ${report.seed}`);
    for (const [name, count] of Object.entries(report.acts)) assert.ok(count > 0, name);
  },
);
