/** `npm run release` */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@tinkerbell/platform-contract';
import { CHECKOUT, modifiedSecondsOf } from '../build-place.ts';
import { assertClean, git, planOf, write, type Checkout } from './checkout.ts';
import { sign } from './signature.ts';
import { differingFiles, provenanceStatement } from './provenance.ts';
import { checkedReleaseVersion } from './versions.ts';

const USAGE = `npm run release -- VERSION [--dry-run] [--key FILE] [--out DIR]

Sets the version in every package, writes CHANGELOG.md from the commits since the last tag, builds every artefact twice
and compares the bytes, and writes SHA256SUMS and a statement of how they were built (in-toto, SLSA). Run
npm run hook -- --release before to include the in-memory OS. It commits nothing.

  --dry-run    print the changes, and write nothing
  --key FILE   sign SHA256SUMS with this SSH key, into SHA256SUMS.sig
  --out DIR    where to write the artefacts (default: out/release/VERSION)
`;

const OPTIONS = {
  'dry-run': { type: 'boolean', default: false },
  key: { type: 'string' },
  out: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

try {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  if (values.help) process.stdout.write(USAGE);
  else run(positionals, values);
} catch (error) {
  process.stderr.write(`release: ${messageOf(error)}\n`);
  process.exitCode = 1;
}

interface Wanted {
  readonly 'dry-run': boolean;
  readonly key?: string | undefined;
  readonly out?: string | undefined;
}

function run(words: readonly string[], { 'dry-run': isDryRun, key, out }: Wanted): void {
  if (words.length !== 1) throw new Error(`give one version\n\n${USAGE}`);
  const version = checkedReleaseVersion(words[0] ?? '');
  const checkout: Checkout = { root: CHECKOUT };
  if (!isDryRun) assertClean(checkout);
  const plan = planOf(checkout, version);
  process.stdout.write(plan.section);
  process.stdout.write(`\n${plan.changes.map(({ path }) => `changes ${path}\n`).join('')}`);
  if (isDryRun) return;
  write(checkout, plan);
  const folder = out ?? join(CHECKOUT, 'out/release', version);
  buildTwice(version, folder);
  describe(checkout, version, folder);
  if (key !== undefined) sign(key, join(folder, 'SHA256SUMS'));
  process.stdout.write(
    `\n${folder}\n\nCommit and tag: git commit -am 'release: set version ${version}' && git tag v${version}\n`,
  );
}

/** @throws Error that names the artefacts whose bytes differ. */
function buildTwice(version: string, folder: string): void {
  const other = mkdtempSync(join(tmpdir(), 'tinkerbell-release-'));
  try {
    for (const out of [folder, other]) build(version, out);
    const [one, two] = [folder, other].map((at) => readFileSync(join(at, 'SHA256SUMS'), 'utf8'));
    const differing = differingFiles(one ?? '', two ?? '');
    if (differing.length > 0) throw new Error(`two builds differ: ${differing.join(', ')}`);
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
}

/** In a process of its own, which reads the sources as they are now. */
function build(version: string, out: string): void {
  const main = join(import.meta.dirname, '../main.ts');
  const words = [main, '--release', `--version=${version}`, `--out=${out}`];
  execFileSync(process.execPath, words, { stdio: 'inherit' });
}

/** The statement is of the artefacts in SHA256SUMS, and is added to it. */
function describe(checkout: Checkout, version: string, folder: string): void {
  const path = join(folder, 'SHA256SUMS');
  const sums = readFileSync(path, 'utf8');
  const name = `tinkerbell_${version}.provenance.json`;
  const statement = provenanceStatement({
    version,
    commit: git(checkout, 'rev-parse', 'HEAD'),
    modifiedSeconds: modifiedSecondsOf(process.env),
    sums,
    nodeVersion: process.version,
  });
  writeFileSync(join(folder, name), statement);
  const line = execFileSync('sha256sum', [name], { cwd: folder, encoding: 'utf8' });
  writeFileSync(path, sums + line);
}
