import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionLengths } from './function-lengths.ts';
import { importsOf } from './imports.ts';
import { layerOf } from './layers.ts';
import { brokenLinks } from './links.ts';
import { mustBeClean, oddWordsIn } from './words.ts';

test('finds imports of every form', () => {
  const text = `import { a } from 'one';\nimport type {\n  B,\n} from 'two';\nexport { c } from './three.ts';\nimport 'four';\nconst x = await import('node:five');\n`;
  assert.deepEqual(importsOf(text), ['one', 'two', './three.ts', 'four', 'node:five']);
});

test('measures functions, methods and arrow functions', () => {
  const body = '    x();\n'.repeat(3);
  const text = `export async function one(\n  a: string,\n): Promise<void> {\n${body}}\n\nclass C {\n  async #two(a: string): Promise<void> {\n${body}  }\n}\n\nconst three = (a: number): void => {\n${body}};\n`;
  assert.deepEqual(
    functionLengths(text).map((one) => [one.name, one.lines]),
    [
      ['one', 7],
      ['#two', 5],
      ['three', 5],
    ],
  );
});

test('knows the layer of every folder, and refuses a new one', () => {
  assert.ok(layerOf('protocols/wire') < layerOf('protocols/dhcp'));
  assert.ok(layerOf('domain/netboot') < layerOf('services/boot'));
  assert.ok(layerOf('services/boot') < layerOf('store/sqlite'));
  assert.throws(() => layerOf('shared/stuff'), /in no layer/);
});

test('finds links that lead nowhere', () => {
  assert.deepEqual(
    brokenLinks(import.meta.dirname, 'a.md', '[x](links.ts) [y](no.md) `[z](no.md)` [w](https://x.org)'),
    ['a.md: no.md'],
  );
});

test('finds odd words in comments, strings and Markdown, but not in code', () => {
  const text = `/** Lets\n * go of it. */\nconst told = 'mended it';\n// It is no\n// longer here.\ncall({ deed: told });\n`;
  assert.deepEqual(oddWordsIn('a.ts', text), ['1: "Lets go of"; write drop', '3: "mended"; write fix']);
  assert.deepEqual(oddWordsIn('a.md', 'One.\n\nNobody\nwas told: it is none.'), [
    '4: "told"; write report, log, send, print or return',
    '4: "is none"; write is invalid',
  ]);
  assert.deepEqual(
    oddWordsIn('a.md', 'There is no queue. If there is none, amend it and recommend `untold`.'),
    [],
  );
});

test('checks programs and pages, except those that quote odd words', () => {
  assert.ok(mustBeClean('apps/tink/src/run.ts'));
  assert.ok(mustBeClean('README.md'));
  assert.ok(!mustBeClean('apps/tink/picture.png'));
  assert.ok(!mustBeClean('scripts/tidy/words.ts'));
});
