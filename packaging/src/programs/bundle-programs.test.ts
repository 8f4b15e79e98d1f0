import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withLate } from './bundle-programs.ts';

const source = (name: string) =>
  `const require = createRequire(import.meta.url);\nconst certificates = () => require('./${name}.ts');`;

test('a module that is required late is found beside the bundle', () => {
  // The URL of the source would make Node load its compiler for TypeScript.
  assert.equal(
    withLate(source('certificate')),
    `const require = createRequire(import.meta['url']);\nconst certificates = () => require('./certificate.mjs');`,
  );
});

test('a module that is required late must be an entry', () => {
  assert.throws(() => withLate(source('unknown')), { message: /^unknown\.ts is required late: add it to/ });
});

test('what Node itself provides stays', () => {
  const text = "const ffi = createRequire(import.meta.url)('node:ffi');";
  assert.equal(withLate(text), text);
});
