import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { BUILT_IN_ACTIONS } from '@tinkerbell/template';

import { architectureOf, architecturesIn } from '../architecture.ts';
import { segmentRecipesFor } from '../segments/segment-recipes.ts';
import { ACTION_RECIPES, NOT_IMAGES, recipesNamed } from './action-recipes.ts';
import { targetOf } from './push-images.ts';

const ACTIONS = join(import.meta.dirname, '../../../actions');

function sourcesOf(name: string): string {
  const folder = join(ACTIONS, name, 'src');
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
}

test('every built-in action has an image, except those that the agent itself is', () => {
  const names = ACTION_RECIPES.map(({ name }) => name);
  const expected = BUILT_IN_ACTIONS.filter((name) => !NOT_IMAGES.includes(name));
  assert.deepEqual(names.toSorted(), expected.toSorted());
  assert.deepEqual(names, names.toSorted(), 'in the order of the alphabet');
});

test('an image has the programs and the segments that its action uses', () => {
  const starters = /\b(?:mustRun|withMounted|decompress)\(/;
  for (const { name, startsPrograms, segments, architectures } of ACTION_RECIPES) {
    const text = sourcesOf(name);
    if (starters.test(text)) assert.ok(startsPrograms, `${name} starts programs`);
    for (const architecture of architectures) {
      const known = segmentRecipesFor(architectureOf(architecture)).map((recipe) => recipe.name);
      for (const segment of segments) assert.ok(known.includes(segment), `${name} on ${architecture}`);
    }
    const asked = [...text.matchAll(/ensureSegment\(\s*'(\w+)'|\bSEGMENT = '(\w+)'/g)];
    for (const [, called, named] of asked)
      assert.ok(segments.includes(called ?? named ?? ''), `${name} needs the segment ${called ?? named}`);
  }
});

test('the registry of a push is explicit', () => {
  const of = (target: string) => targetOf({ target, name: 'rootio', tag: 'v1' });
  assert.deepEqual(of('10.0.0.1:5000/tinkerbell/actions'), {
    registry: '10.0.0.1:5000',
    repository: 'tinkerbell/actions/rootio',
    tag: 'v1',
  });
  assert.equal(of('registry.example').repository, 'rootio');
  assert.throws(() => of('tinkerbell/actions'), /--push tinkerbell\/actions does not begin with a registry/);
  assert.throws(() => of('10.0.0.1:5000/Upper'), /invalid repository/);
});

test('names of processors are read, each once', () => {
  assert.deepEqual(architecturesIn('x86_64,aarch64,x86_64'), ['x86_64', 'aarch64']);
  assert.throws(() => architecturesIn('amd64'), /--arch must be x86_64 or aarch64, not "amd64"/);
  assert.throws(() => architecturesIn(''), /not ""/);
});

test('recipes are found by name, and a wrong name is refused with the right ones', () => {
  assert.deepEqual(
    recipesNamed('rootio, cexec,rootio').map(({ name }) => name),
    ['rootio', 'cexec'],
  );
  assert.throws(
    () => recipesNamed('cexec,root'),
    /there is no image "root"; there are archive2disk, burnin, /,
  );
});
