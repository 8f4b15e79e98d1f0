import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hrefBetween, htmlPathOf, repositoryOf } from './documents.ts';

test('a README is the index of its folder', () => {
  assert.equal(htmlPathOf('README.md'), 'index.html');
  assert.equal(htmlPathOf('docs/decisions/README.md'), 'docs/decisions/index.html');
  assert.equal(htmlPathOf('docs/NOT-README.md'), 'docs/NOT-README.html');
});

test('addresses are relative and encoded', () => {
  assert.equal(hrefBetween('docs/a.html', 'index.html'), '../index.html');
  assert.equal(hrefBetween('index.html', 'a folder/what?.png'), 'a%20folder/what%3F.png');
});

test('the repository is an https address', () => {
  const address = 'https://example.org/owner/name';
  assert.equal(repositoryOf({ repository: { url: `git+${address}.git` } }), address);
  assert.equal(repositoryOf({ repository: `${address}/` }), address);
  for (const repository of [undefined, null, 7, 'javascript:alert(1)', { url: 'git@example.org:owner/name' }])
    assert.equal(repositoryOf({ repository }), undefined);
});
