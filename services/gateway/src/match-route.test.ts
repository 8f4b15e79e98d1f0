import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RE2JS } from 're2js';
import { inOrder, matchRoute } from './match-route.ts';
import { readRouteFile } from './read-route-file.ts';
import { requestPath, rewritePath } from './request-path.ts';

function routesOf(...lines: readonly string[]) {
  const text = lines
    .map((line, at) => `  - {name: r${at}, ${line}, upstream: {endpoints: "a:1"}}`)
    .join('\n');
  const read = readRouteFile(`routes:\n${text}`);
  assert.ok(read.ok, read.ok ? '' : read.message);
  return inOrder(read.file.routes);
}

function taken(routes: ReturnType<typeof routesOf>, host: string, path: string, headers: object = {}) {
  const all = new Map<string, string>(Object.entries(headers));
  return matchRoute(routes, {
    listener: 'web',
    host,
    sni: host,
    path,
    isGrpc: all.get('content-type')?.startsWith('application/grpc') ?? false,
    header: (name) => all.get(name),
  })?.name;
}

test('chooses the most specific route, unless a priority overrides it', () => {
  const routes = routesOf(
    'match: {}',
    'match: {host: "*.example.org"}',
    'match: {host: a.example.org}',
    'match: {host: a.example.org, pathPrefix: /x}',
    'match: {host: a.example.org, pathRegex: "/x/[0-9]+$"}',
    'match: {pathPrefix: /first}, priority: 1',
    'match: {host: a.example.org, headers: {x-blue: "1"}}',
    'match: {host: a.example.org, grpcService: a.B}',
    'match: {host: a.example.org, grpcService: a.B, grpcMethod: C}',
    'match: {host: other.org}, listeners: [else]',
  );
  const grpc = { 'content-type': 'application/grpc+proto' };
  assert.equal(taken(routes, 'nowhere', '/'), 'r0');
  assert.equal(taken(routes, 'b.c.example.org', '/'), 'r1');
  assert.equal(taken(routes, 'example.org', '/'), 'r0');
  assert.equal(taken(routes, 'a.example.org', '/'), 'r2');
  assert.equal(taken(routes, 'a.example.org', '/x'), 'r3');
  assert.equal(taken(routes, 'a.example.org', '/xy'), 'r2');
  assert.equal(taken(routes, 'a.example.org', '/x/12'), 'r4');
  assert.equal(taken(routes, 'a.example.org', '/first'), 'r5');
  assert.equal(taken(routes, 'a.example.org', '/', { 'x-blue': '1' }), 'r6');
  assert.equal(taken(routes, 'a.example.org', '/a.B/D', grpc), 'r7');
  assert.equal(taken(routes, 'a.example.org', '/a.B/C', grpc), 'r8');
  assert.equal(taken(routes, 'a.example.org', '/a.B/C'), 'r2');
  assert.equal(taken(routes, 'other.org', '/'), 'r0');
});

test('normalizes a path, or refuses it', () => {
  for (const [target, path, query] of [
    ['/', '/', ''],
    ['/a?b=%2e', '/a', '?b=%2e'],
    ['/%61dmin', '/admin', ''],
    ['/a//b', '/a/b', ''],
    ['/a%3ab', '/a%3Ab', ''],
    ['/..a/.b', '/..a/.b', ''],
  ] as const)
    assert.deepEqual(requestPath(target), { path, query });
  for (const target of [
    '',
    'a',
    '*',
    '/a/../b',
    '/%2e%2E/b',
    '/a/.',
    '/a\\b',
    '/%2fa',
    '/%zz',
    '/a#b',
    '/%00',
    '/ä',
  ])
    assert.equal(requestPath(target), undefined, target);
});

test('rewrites as an ingress does', () => {
  const regex = RE2JS.compile('/tink-stack(/|$)(.*)');
  for (const [path, expected] of [
    ['/tink-stack/hook.ipxe', '/hook.ipxe'],
    ['/tink-stack', '/'],
    ['/tink-stack/', '/'],
    ['/tink-stack/a/b', '/a/b'],
    ['/tink-stacks/a', '/tink-stacks/a'],
    ['/x/tink-stack/a', '/x/tink-stack/a'],
  ] as const)
    assert.equal(rewritePath(path, regex, '/$2'), expected);
  assert.equal(rewritePath('/a/b', RE2JS.compile('/a'), '/${7}c'), '/c/b');
});
