import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodedPathOf, hostNameOf, pathElementsOf, pathNameOf, queryOf } from './index.ts';

test('returns the path and the query that the URL parser returns', () => {
  for (const target of [
    '/a?b=1&b=%26#c?d',
    '/',
    '/a/b',
    '/a?b=/c',
    '/a#/c',
    '/a%2Fb?#',
    '//a',
    '/?x',
    '/%E2%82%AC/../c',
  ]) {
    const { href, pathname, searchParams } = new URL(target, 'http://[2001:db8::1]:7080');
    assert.equal(pathNameOf(href), pathname, target);
    assert.equal(queryOf(href).toString(), searchParams.toString(), target);
  }
  assert.equal(pathNameOf(new URL('http://server').href), '/');
});

test('returns the host that the URL parser returns', () => {
  for (const host of [
    'server',
    'server:7080',
    '192.0.2.1',
    '192.0.2.1:80',
    '[2001:db8::1]',
    '[2001:db8::1]:7080',
  ])
    for (const target of ['/', '/a:b/[c]:1', '?a=/b', '#c']) {
      const { href, hostname } = new URL(`http://${host}${target}`);
      assert.equal(hostNameOf(href), hostname, href);
    }
});

test('a path is decoded, whole and in elements, unless an escape hides something', () => {
  const cases: [target: string, decoded: string | undefined][] = [
    ['/', '/'],
    ['/a/b/?c', '/a/b/'],
    ['/a%20b/%E2%82%AC', '/a b/€'],
    ['/a%2Fb', undefined],
    ['/a%5Cb', undefined],
    ['/a%00', undefined],
    ['/a%zz', undefined],
  ];
  for (const [target, decoded] of cases) {
    const url = `http://server${target}`;
    assert.equal(decodedPathOf(url), decoded, target);
    assert.deepEqual(pathElementsOf(url), decoded?.slice(1).split('/'), target);
  }
});
