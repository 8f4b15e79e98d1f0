/** Rules of the house that no compiler or linter knows. Each has its message say what to do. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { functionLengths } from './tidy/function-lengths.ts';
import { importsOf } from './tidy/imports.ts';
import { layerOf } from './tidy/layers.ts';
import { brokenLinks, missingSources } from './tidy/links.ts';
import { mustBeClean, oddWordsIn } from './tidy/words.ts';

const root = join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const sources = files.filter(
  (file) => /\.(tsx?|mts|mjs)$/.test(file) && !file.includes('/gen/') && !file.includes('/testdata/'),
);
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const packageFolders = files.filter((file) => file.endsWith('/package.json')).map(dirname);
const manifests = new Map(
  packageFolders.map((folder) => [folder, JSON.parse(read(`${folder}/package.json`)) as Manifest]),
);
const folderOfPackage = new Map([...manifests].map(([folder, manifest]) => [manifest.name, folder]));

function packageFolderOf(file: string): string | undefined {
  return packageFolders.find((folder) => file.startsWith(`${folder}/`));
}

/** Contract suites are tests that are imported; programs that tests run are in `src/testing`. */
function isTest(file: string): boolean {
  return /\.(test|e2e)\.ts$|[/-]suite\.ts$|\/src\/testing\//.test(file);
}

const LINES_MAX = 400;
const FUNCTION_LINES_MAX = 60;

test('no file is longer than 400 lines', () => {
  const long = sources.filter((file) => read(file).split('\n').length - 1 > LINES_MAX);
  assert.deepEqual(long, [], 'split by concept');
});

test('no function is longer than 60 lines', () => {
  const long = sources
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      functionLengths(read(file))
        .filter((one) => one.lines > FUNCTION_LINES_MAX)
        .map((one) => `${file}:${one.line} ${one.name} (${one.lines})`),
    );
  assert.deepEqual(long, [], 'branch in the parent, compute in the leaves');
});

test('no file has a name that says nothing', () => {
  const empty =
    /(^|[-/])(utils?|helpers?|common|misc|manager|base|shared|types|constants|data|info)(\.test)?\.tsx?$/;
  assert.deepEqual(
    sources.filter((file) => empty.test(file)),
    [],
    'name the file after its concept',
  );
});

test('file names are kebab-case', () => {
  assert.deepEqual(
    sources.filter((file) => !/^[a-z0-9.-]+$/.test(file.split('/').at(-1) ?? '')),
    [],
  );
});

test('every import is declared in its package, and reaches no other package from within', () => {
  const wrong: string[] = [];
  for (const file of sources) {
    const folder = packageFolderOf(file);
    const manifest =
      folder === undefined ? (JSON.parse(read('package.json')) as Manifest) : manifests.get(folder);
    const declared = new Set([
      ...Object.keys(manifest?.dependencies ?? {}),
      ...(isTest(file) || folder === undefined ? Object.keys(manifest?.devDependencies ?? {}) : []),
    ]);
    for (const name of importsOf(read(file))) {
      if (name.startsWith('node:')) continue;
      if (name.startsWith('.')) {
        const target = normalize(join(dirname(file), name));
        // `bin` runs before packages are installed.
        if (folder !== undefined && !target.startsWith(`${folder}/`) && !target.startsWith('bin/'))
          wrong.push(`${file}: ${name} leaves its package`);
        continue;
      }
      const packageName = name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/');
      const isSelf = packageName === manifest?.name;
      const isAlwaysThere =
        folder === undefined
          ? folderOfPackage.has(packageName)
          : isTest(file) && packageName === 'fast-check';
      if (!isSelf && !declared.has(packageName) && !isAlwaysThere)
        wrong.push(`${file}: ${packageName} is not in ${folder ?? '.'}/package.json`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('imports follow the order of layers, and services do not import services', () => {
  const wrong: string[] = [];
  for (const file of sources.filter((one) => !/\.(test|e2e)\.ts$|\/src\/testing\//.test(one))) {
    const folder = packageFolderOf(file);
    if (folder === undefined) continue;
    for (const name of importsOf(read(file))) {
      const target = folderOfPackage.get(name.split('/').slice(0, 2).join('/'));
      if (target === undefined || target === folder) continue;
      const isUpward = layerOf(target) > layerOf(folder);
      const areServices = folder.startsWith('services/') && target.startsWith('services/');
      if (isUpward || areServices)
        wrong.push(
          `${file}: ${folder} (layer ${layerOf(folder)}) imports ${target} (layer ${layerOf(target)})`,
        );
    }
  }
  assert.deepEqual(wrong, [], 'see ARCHITECTURE.md, direction of dependencies');
});

test('pure packages import nothing of Node', () => {
  const pure = sources.filter(
    (file) => /^(protocols|languages|domain)\//.test(file) && !file.endsWith('.test.ts'),
  );
  const wrong = pure.filter((file) => importsOf(read(file)).some((name) => name.startsWith('node:')));
  assert.deepEqual(wrong, []);
});

test('every package has a README whose first line says what it is', () => {
  const missing = packageFolders.filter(
    (folder) => !existsSync(join(root, folder, 'README.md')) || !/^\S/.test(read(`${folder}/README.md`)),
  );
  assert.deepEqual(missing, []);
});

test('every link of the documentation leads somewhere', () => {
  const pages = files.filter((file) => file.endsWith('.md'));
  assert.deepEqual(
    pages.flatMap((page) => brokenLinks(root, page, read(page))),
    [],
  );
});

test('every source file that the documentation names exists', () => {
  // Decisions name files as they were.
  const pages = files.filter((file) => file.endsWith('.md') && !file.startsWith('docs/decisions/'));
  assert.deepEqual(
    pages.flatMap((page) => missingSources(files, page, read(page))),
    [],
  );
});

test('texts use the words of the trade', () => {
  const odd = files
    .filter((file) => mustBeClean(file))
    .flatMap((file) => oddWordsIn(file, read(file)).map((found) => `${file}:${found}`));
  assert.deepEqual(odd, [], 'see STYLE.md, text');
});

test('the lock file and the sources name no registry host', () => {
  assert.ok(
    !/"resolved": "[a-z+]+:/.test(read('package-lock.json')),
    'omit-lockfile-registry-resolved is set in .npmrc',
  );
});

test('no work is left marked as unfinished', () => {
  const marks = new RegExp(`\\b(${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')}|X{3})\\b`);
  assert.deepEqual(
    sources.filter((file) => marks.test(read(file))),
    [],
    'finish it, or open an issue',
  );
});
