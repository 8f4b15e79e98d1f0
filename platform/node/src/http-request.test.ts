import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { NodeHttpRequest } from './http-request.ts';

function urlFor(url: string, host: string): string {
  const incoming = { method: 'GET', url, headers: { host }, rawHeaders: ['Host', host] };
  return new NodeHttpRequest(incoming as unknown as IncomingMessage, {} as ServerResponse).url;
}

function parsedUrl(url: string, host: string): string {
  const parsed = URL.parse(url, `http://${host}`);
  return parsed === null || parsed.username !== '' ? '' : parsed.href;
}

const TARGETS = ['/', '/a', '/a/b.c/', '/ipxe/script/52:54:00:00:00:01/auto.ipxe', '/a/../b', '/.', '/a/.'];
const ODD_TARGETS = [
  '//a',
  '/a//b',
  '/a?b=c',
  '/a#b',
  '/%2e%2e/b',
  '/a\\b',
  '/~a/-b',
  '*',
  'http://other/a',
  '',
];
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

test('a URL is the one that the URL parser makes of target and Host', () => {
  for (const host of [...HOSTS, ...ODD_HOSTS])
    for (const target of [...TARGETS, ...ODD_TARGETS])
      assert.equal(urlFor(target, host), parsedUrl(target, host), `${host} ${target}`);
});

test('the same for targets made of the characters that matter', () => {
  const target = fc.array(fc.constantFrom('/', '.', '%', '2', 'e', '\\', ':', '~', '?', '#', '@', 'a', '|'));
  fc.assert(
    fc.property(target, (characters) => {
      const text = `/${characters.join('')}`;
      assert.equal(urlFor(text, 'server:7080'), parsedUrl(text, 'server:7080'));
    }),
    { numRuns: 2000 },
  );
});

test('headers are found whatever their case, and all values of one are joined', () => {
  const rawHeaders = ['X-Forwarded-For', '192.0.2.1', 'host', 'a', 'x-forwarded-for', '192.0.2.2'];
  const incoming = { url: '/', headers: { host: 'a' }, rawHeaders } as unknown as IncomingMessage;
  const { headers } = new NodeHttpRequest(incoming, {} as ServerResponse);
  assert.equal(headers.get('x-forwarded-FOR'), '192.0.2.1, 192.0.2.2');
  assert.equal(headers.has('Host'), true);
  assert.equal(headers.get('accept'), null);
});
