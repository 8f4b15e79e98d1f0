import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { NodeHttpRequest } from './http-request.ts';

function urlFor(url: string, host: string): string {
  const incoming = { method: 'GET', url, headers: { host }, rawHeaders: ['Host', host] };
  return new NodeHttpRequest(incoming as unknown as IncomingMessage, {} as ServerResponse).url;
}

/**
 * Returns the result of the URL parser for Host and path together. Empty for a Host that is more than a host,
 * and for an invalid path.
 */
function parsedUrl(path: string, host: string): string {
  const origin = URL.parse(`http://${host}`);
  if (origin === null || origin.href !== `${origin.origin}/`) return '';
  if (!path.startsWith('/') || path.includes('\\')) return '';
  return URL.parse(origin.origin + path)?.href ?? '';
}

const TARGETS = ['/', '/a', '/a/b.c/', '/ipxe/script/52:54:00:00:00:01/auto.ipxe', '/a/../b', '/.', '/a/.'];
const ODD_TARGETS = ['//a', '/a//b', '/a?b=c', '/a#b', '/%2e%2e/b', '/a\\b', '/~a/-b', '*', ''];
const HOSTS = [
  'server',
  'SERVER:7080',
  'server:80',
  '127.1',
  '192.0.2.1:7080',
  '[2001:DB8::1]:7080',
  '[::1]',
];
const ODD_HOSTS = ['a/b', 'a@b', 'a:b@c', 'a?b', 'a#b', 'a b', 'a, b', '', 'a:99999', '%41', 'a/'];

test('builds the same URL from target and Host as the URL parser', () => {
  for (const host of [...HOSTS, ...ODD_HOSTS])
    for (const target of [...TARGETS, ...ODD_TARGETS])
      assert.equal(urlFor(target, host), parsedUrl(target, host), `${host} ${target}`);
});

test('builds the same URL for targets made of special characters', () => {
  const target = fc.array(fc.constantFrom('/', '.', '%', '2', 'e', '\\', ':', '~', '?', '#', '@', 'a', '|'));
  fc.assert(
    fc.property(target, (characters) => {
      const text = `/${characters.join('')}`;
      assert.equal(urlFor(text, 'server:7080'), parsedUrl(text, 'server:7080'));
    }),
    { numRuns: 2000 },
  );
});

test('no target in origin-form changes the host, whatever it begins with', () => {
  const beginning = fc.array(fc.constantFrom('/', '\\', '@', '?', '#', ':', '\t', '127.0.0.1', 'localhost'), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(beginning, (parts) => {
      const url = urlFor(`/${parts.join('')}/api/v1/secrets`, '127.0.0.1.evil.example:7080');
      assert.ok(url === '' || new URL(url).host === '127.0.0.1.evil.example:7080', url);
    }),
    { numRuns: 2000 },
  );
  assert.equal(urlFor('//127.0.0.1/api', 'evil.example'), 'http://evil.example//127.0.0.1/api');
});

test('a target in absolute-form must have the host of the Host header, and every other form is refused', () => {
  assert.equal(urlFor('http://a:7080/b?c', 'a:7080'), 'http://a:7080/b?c');
  assert.equal(urlFor('HTTP://A:80', 'a'), 'http://a/');
  const refused = [
    'http://b/',
    'https://a/',
    'http://u@a/',
    'http://u:p@a/',
    'ftp://a/',
    'http:a/b',
    'http:///a',
  ];
  for (const target of [...refused, 'a/b', 'a:80', '*', '', '?a', '#a', 'http://a\\b/', 'http://a /'])
    assert.equal(urlFor(target, 'a'), '', target);
});

test('finds headers in any case, and joins all values of one', () => {
  const rawHeaders = ['X-Forwarded-For', '192.0.2.1', 'host', 'a', 'x-forwarded-for', '192.0.2.2'];
  const incoming = { url: '/', headers: { host: 'a' }, rawHeaders } as unknown as IncomingMessage;
  const { headers } = new NodeHttpRequest(incoming, {} as ServerResponse);
  assert.equal(headers.get('x-forwarded-FOR'), '192.0.2.1, 192.0.2.2');
  assert.equal(headers.has('Host'), true);
  assert.equal(headers.get('accept'), null);
});
