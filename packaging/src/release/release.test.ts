import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKOUT } from '../build-place.ts';
import { changelogSection, withSection } from './changelog.ts';
import { differingFiles, provenanceStatement } from './provenance.ts';
import { sign, SIGNATURE_NAMESPACE } from './signature.ts';
import {
  chartWithVersion,
  checkedReleaseVersion,
  lockWithVersion,
  packageWithVersion,
  sourceWithVersion,
} from './versions.ts';

const commit = (subject: string, digit = 'a') => ({ hash: digit.repeat(40), subject });

test('a section has the commits by area, without merges', () => {
  const commits = [
    commit('tink: print the time'),
    commit("Merge branch 'x'"),
    commit('Start', 'b'),
    commit('api: b', 'c'),
    commit('api: a', 'd'),
  ];
  assert.equal(
    changelogSection({ version: '1.2.3', date: '2026-01-31', commits }),
    '## 1.2.3, 2026-01-31\n\n### api\n\n- a (dddddddd)\n- b (cccccccc)\n\n### tink\n\n- print the time (aaaaaaaa)\n\n### others\n\n- Start (bbbbbbbb)\n',
  );
  assert.match(changelogSection({ version: '1.2.3', date: '2026-01-31', commits: [] }), /No changes/);
});

test('a new section is above the earlier ones, and a version has one', () => {
  const first = withSection('', '1.0.0', '## 1.0.0, 2026-01-01\n\nNo changes.\n');
  const second = withSection(first, '1.1.0', '## 1.1.0, 2026-02-01\n\nNo changes.\n');
  assert.deepEqual(
    second.split('\n').filter((line) => line.startsWith('#')),
    ['# Changes', '## 1.1.0, 2026-02-01', '## 1.0.0, 2026-01-01'],
  );
  assert.throws(() => withSection(second, '1.0.0', ''), /already has version 1\.0\.0/);
});

test('versions are checked', () => {
  for (const good of ['0.2.0', '10.0.1', '1.2.3-rc.1']) assert.equal(checkedReleaseVersion(good), good);
  for (const bad of ['', '1.2', 'v1.2.3', '01.2.3', '1.2.3+x', '1.2.3-', '1.2.3\n'])
    assert.throws(() => checkedReleaseVersion(bad), /must be like 1\.2\.3/);
});

test('only packages of this repository get the version', () => {
  const one = {
    name: 'x',
    version: '0.1.0',
    dependencies: { '@tinkerbell/a': '0.1.0', esbuild: '0.1.0' },
    engines: { node: '>=20' },
  };
  assert.deepEqual(JSON.parse(packageWithVersion(JSON.stringify(one), '0.2.0')), {
    ...one,
    version: '0.2.0',
    dependencies: { '@tinkerbell/a': '0.2.0', esbuild: '0.1.0' },
  });
  const lock = {
    version: '0.1.0',
    packages: {
      '': { version: '0.1.0' },
      'protocols/wire': { version: '0.1.0' },
      'node_modules/@tinkerbell/wire': { resolved: 'protocols/wire', link: true },
      'node_modules/b': { version: '0.1.0' },
    },
  };
  const changed = JSON.parse(lockWithVersion(JSON.stringify(lock), '0.2.0'));
  assert.equal(changed.version, '0.2.0');
  assert.equal(changed.packages[''].version, '0.2.0');
  assert.equal(changed.packages['protocols/wire'].version, '0.2.0');
  assert.equal(changed.packages['node_modules/b'].version, '0.1.0');
  assert.equal(
    sourceWithVersion("export const VERSION = '0.1.0';\n", '0.2.0'),
    "export const VERSION = '0.2.0';\n",
  );
  assert.throws(() => sourceWithVersion('', '0.2.0'), /no VERSION/);
  assert.equal(
    chartWithVersion('name: x\nversion: 0.1.0\nappVersion: "0.1.0"\n', '0.2.0'),
    'name: x\nversion: 0.2.0\nappVersion: "0.2.0"\n',
  );
});

const SUMS = `${'a'.repeat(64)}  one.deb\n${'b'.repeat(64)}  two.tar\n`;

test('the statement names every artefact with its sum', () => {
  const statement = JSON.parse(
    provenanceStatement({
      version: '1.2.3',
      commit: 'c'.repeat(40),
      modifiedSeconds: 1,
      sums: SUMS,
      nodeVersion: 'v26.0.0',
    }),
  );
  assert.equal(statement._type, 'https://in-toto.io/Statement/v1');
  assert.equal(statement.predicateType, 'https://slsa.dev/provenance/v1');
  assert.deepEqual(statement.subject, [
    { name: 'one.deb', digest: { sha256: 'a'.repeat(64) } },
    { name: 'two.tar', digest: { sha256: 'b'.repeat(64) } },
  ]);
  const [source] = statement.predicate.buildDefinition.resolvedDependencies;
  assert.equal(source.digest.gitCommit, 'c'.repeat(40));
});

test('builds that differ are found by name', () => {
  assert.deepEqual(differingFiles(SUMS, SUMS), []);
  assert.deepEqual(differingFiles(SUMS, SUMS.replace('bb', 'cc')), ['two.tar']);
  assert.deepEqual(differingFiles(SUMS, SUMS.split('\n')[0] ?? ''), ['two.tar']);
});

function release(...words: readonly string[]): string {
  const main = join(import.meta.dirname, 'main.ts');
  return execFileSync(process.execPath, [main, ...words], { cwd: CHECKOUT, encoding: 'utf8', stdio: 'pipe' });
}

test('a dry run shows every file with a version, and writes none', () => {
  const state = (): string =>
    execFileSync('git', ['status', '--porcelain'], { cwd: CHECKOUT, encoding: 'utf8' });
  const before = state();
  const output = release('99.0.0', '--dry-run');
  assert.match(output, /^## 99\.0\.0, \d{4}-\d\d-\d\d\n/);
  const changes = output.split('\n').filter((line) => line.startsWith('changes '));
  for (const path of [
    'package.json',
    'package-lock.json',
    'apps/server/package.json',
    'apps/server/src/version.ts',
    'deploy/helm/tinkerbell/Chart.yaml',
    'CHANGELOG.md',
  ])
    assert.ok(changes.includes(`changes ${path}`), path);
  assert.equal(state(), before);
  assert.throws(() => release('next', '--dry-run'), /must be like 1\.2\.3/);
});

const hasSsh = spawnSync('which', ['ssh-keygen']).status === 0;

test(
  'ssh-keygen verifies the signature, and rejects changed sums',
  { skip: !hasSsh && 'needs ssh-keygen' },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'signature-'));
    try {
      const [key, sums] = [join(folder, 'key'), join(folder, 'SHA256SUMS')];
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
      writeFileSync(sums, SUMS);
      writeFileSync(join(folder, 'signers'), `release@example.org ${readFileSync(`${key}.pub`, 'utf8')}`);
      sign(key, sums);
      const words = ['-Y', 'verify', '-f', join(folder, 'signers'), '-I', 'release@example.org'];
      const verify = (input: string) =>
        spawnSync('ssh-keygen', [...words, '-n', SIGNATURE_NAMESPACE, '-s', `${sums}.sig`], { input }).status;
      assert.equal(verify(SUMS), 0);
      assert.notEqual(verify(SUMS.replace('a', 'b')), 0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
