import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runDamages } from './damage/damage-run.ts';
import { writeStore } from './damage/written-store.ts';
import { SeededChoice } from './seeded-choice.ts';

/** A different seed in each run. The failure names it. */
const seed = process.hrtime()[1];
const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-damage-'));
after(() => rmSync(folder, { recursive: true }));
const main = join(import.meta.dirname, '../../apps/server/src/main.mjs');

test('100 damages of database, log and journal: nothing is lost or changed silently', async () => {
  const { silent, refused, harmless } = await runDamages({ count: 100, seed });
  assert.deepEqual(silent, [], `seed ${seed}; npm run test:damage -- --count 100 --seed ${seed}`);
  assert.ok(refused > 40, `${refused} were refused, ${harmless} did no harm: too little to prove anything`);
});

function tinkerbell(...given: string[]) {
  return spawnSync(process.execPath, [main, ...given], { encoding: 'utf8', timeout: 60_000 });
}

test('the server refuses a damaged folder, tinkerbell check reports the damage, and --accept-loss continues', async () => {
  const written = await writeStore({ folder, choice: new SeededChoice(1), writes: 80, bytesMax: 200 });
  const data = written.folder;
  const whole = tinkerbell('check', '--data-dir', data);
  assert.equal(whole.status, 0, whole.stderr);
  assert.match(whole.stdout, /tinkerbell\.db is intact, up to revision 80:\n {2}objects +\d+ records/);

  copyFileSync(join(written.olderFolder, 'tinkerbell.db'), join(data, 'tinkerbell.db'));
  rmSync(join(data, 'tinkerbell.db-wal'), { force: true });
  const files = readdirSync(data).toSorted();
  const found = tinkerbell('check', '--data-dir', data);
  assert.equal(found.status, 1);
  assert.match(found.stderr, /is damaged:\n {2}.+: .+\n[^]*Restore a backup[^]*--accept-loss/);
  const alone = [
    '--enable-smee=false',
    '--enable-tink-server=false',
    '--http-port=0',
    '--bind-address=127.0.0.1',
  ];
  const refused = tinkerbell('--data-dir', data, ...alone);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /^tinkerbell: .*tinkerbell\.db is damaged: .*--accept-loss/m);
  const withoutIndex = (names: readonly string[]) => names.filter((name) => !/-(shm|wal)$|^lock/.test(name));
  assert.deepEqual(withoutIndex(readdirSync(data)).toSorted(), withoutIndex(files), 'nothing was changed');

  const start = `timeout -s TERM 8 ${process.execPath} ${main} --data-dir ${data} ${alone.join(' ')} --accept-loss 2>&1 || true`;
  const log = execFileSync('sh', ['-c', start], { encoding: 'utf8' });
  assert.match(log, /the database was damaged; continuing with the intact part/);
  assert.match(log, /ready/);
  const kept = readdirSync(data).find((name) => name.startsWith('damaged-')) ?? '';
  assert.ok(existsSync(join(data, kept, 'tinkerbell.db')), 'the damaged file is kept');
  assert.match(readFileSync(join(data, kept, 'lost.json'), 'utf8'), /"table": "objects"/);
  assert.equal(tinkerbell('check', '--data-dir', data).status, 0);
});
