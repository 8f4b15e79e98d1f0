import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { architectureOf, OWN_ARCHITECTURE } from '../architecture.ts';
import { isFirstStageLibrary } from '../root-file-system.ts';
import { neededBy, neededLibraries } from './needed-libraries.ts';
import { placeOf, programsOf } from './segment-entries.ts';
import { segmentRecipesFor } from './segment-recipes.ts';

const PROGRAM = '/sbin/mke2fs';
const skip = existsSync(PROGRAM) ? false : 'needs e2fsprogs';
const directories = OWN_ARCHITECTURE.libraryDirectories.map((directory) => `/${directory}`);
const isProvided = (name: string): boolean => isFirstStageLibrary(name, OWN_ARCHITECTURE);

test('reads the NEEDED lines of readelf', () => {
  const text = [
    'Dynamic section at offset 0x75cf8 contains 31 entries:',
    '  Tag                Type         Name/Value',
    ' 0x0000000000000001 (NEEDED)     Shared library: [libcap.so.2]',
    ' 0x0000000000000001 (NEEDED)     Shared library: [libc.so.6]',
    ' 0x000000000000000e (SONAME)     Library soname: [libx.so.1]',
  ].join('\n');
  assert.deepEqual(neededBy(text), ['libcap.so.2', 'libc.so.6']);
  assert.deepEqual(neededBy('There is no dynamic section in this file.\n'), []);
});

test('finds the libraries of libraries, and none of the first stage', { skip }, async () => {
  const found = await neededLibraries({ programs: [PROGRAM], directories, isProvided });
  const names = [...found.keys()];
  assert.ok(names.includes('libext2fs.so.2') && names.includes('libcom_err.so.2'), names.join(' '));
  assert.deepEqual(names.filter(isProvided), []);
});

test('a library that no package has is an error that names it', { skip }, async (context) => {
  const empty = await mkdtemp(join(tmpdir(), 'libraries-'));
  context.after(() => rm(empty, { recursive: true }));
  const search = { programs: [PROGRAM], directories: [empty], isProvided };
  await assert.rejects(
    neededLibraries(search),
    /mke2fs needs lib\w+\.so\.\d.*add the package to hook\/src\/segments/,
  );
});

test(
  'a library is known by the name of its link, and dangling links are ignored',
  { skip },
  async (context) => {
    const own = await mkdtemp(join(tmpdir(), 'libraries-'));
    context.after(() => rm(own, { recursive: true }));
    const all = await neededLibraries({ programs: [PROGRAM], directories, isProvided });
    for (const [name, path] of all) {
      await copyFile(path, join(own, `${name}.0.0`));
      await symlink(`${name}.0.0`, join(own, name));
    }
    await symlink('absent', join(own, 'libdangling.so.1'));
    const found = await neededLibraries({ programs: [PROGRAM], directories: [own], isProvided });
    assert.deepEqual([...found.keys()].sort(), [...all.keys()].sort());
    for (const [name, path] of found) assert.equal(path, join(own, `${name}.0.0`));
  },
);

test('programs of packages are placed in usr, where nothing of the first stage is replaced', () => {
  assert.equal(placeOf('sbin/mke2fs'), 'usr/sbin/mke2fs');
  assert.equal(placeOf('usr/bin/crun'), 'usr/bin/crun');
  const byName = new Map(
    segmentRecipesFor(architectureOf('x86_64')).map((recipe) => [recipe.name, programsOf(recipe)]),
  );
  assert.ok(byName.get('filesystems')?.includes('usr/sbin/mkfs.ext4'));
  assert.ok(byName.get('boot')?.includes('usr/bin/mcopy'));
});

test('syslinux is for PCs only, and every link leads to a program', () => {
  const names = segmentRecipesFor(architectureOf('aarch64')).map(({ name }) => name);
  assert.deepEqual(names, ['containers', 'filesystems', 'images']);
  const [recipe] = segmentRecipesFor(architectureOf('x86_64'));
  assert.ok(recipe);
  assert.throws(() => programsOf({ ...recipe, links: { a: 'absent' } }), /leads to absent/);
});

test('code pages are where the glibc of the processor looks for them', () => {
  for (const [name, triplet] of [
    ['x86_64', 'x86_64-linux-gnu'],
    ['aarch64', 'aarch64-linux-gnu'],
  ] as const) {
    const recipe = segmentRecipesFor(architectureOf(name)).find((one) => one.name === 'filesystems');
    assert.ok(recipe?.files.includes(`usr/lib/${triplet}/gconv/IBM850.so`));
  }
});
