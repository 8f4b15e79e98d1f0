import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathNameOf } from './index.ts';

test('gives the path that the URL parser gives', () => {
  for (const target of ['/', '/a/b', '/a?b=/c', '/a#/c', '/a%2Fb?#', '//a', '/?x', '/%E2%82%AC/../c']) {
    const { href, pathname } = new URL(target, 'http://[2001:db8::1]:7080');
    assert.equal(pathNameOf(href), pathname, target);
  }
  assert.equal(pathNameOf(new URL('http://server').href), '/');
});
