/** Tests header fields and paths that a backend may interpret differently than they appear. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTokenSigner, newSigningKey } from '@tinkerbell/platform-jwt';
import { nodeClock } from '@tinkerbell/platform-node';
import { upstreamFields } from './header-fields.ts';
import { requestPath } from './request-path.ts';
import { startGateway, type GatewayBench } from './testing/gateway-bench.ts';

/** Characters allowed in the name of a header field beside letters and digits (RFC 9110 section 5.6.2). */
const SIGNS = "!#$%&'*+-.^_`|~";
/** The name in CGI, WSGI and PHP in their widest form, as Apache writes the environment. */
const environmentName = (name: string): string => `HTTP_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;

function spellingsOf(name: string): string[] {
  const bySign = SIGNS.split('').map((sign) => name.replaceAll('-', sign));
  return [
    ...bySign,
    ...bySign.map((one) => one.toUpperCase()),
    name.replace('-', '_'),
    name.replace(/^./, (first) => first.toUpperCase()),
  ];
}

const facts = {
  peer: '10.0.0.1',
  isPeerTrusted: false,
  scheme: 'http',
  authority: 'a',
  traceparent: 't',
} as const;

test('drops every spelling of a header name that a backend reads as one of ours', () => {
  const ownNames = new Set(['x-user', 'x-auth-user-id']);
  for (const name of [...spellingsOf('x-user'), ...spellingsOf('x-auth-user-id')]) {
    // The names as both protocols deliver them.
    const sent = upstreamFields({ [name.toLowerCase()]: 'root', 'x-other': '1' }, { ...facts, ownNames });
    const seen = Object.keys(sent).map(environmentName);
    assert.ok(!seen.includes('HTTP_X_USER') && !seen.includes('HTTP_X_AUTH_USER_ID'), name);
    assert.equal(sent['x-other'], '1');
  }
});

test('drops every spelling of what a proxy states about a client', () => {
  for (const name of [
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-real-ip',
    'x-forwarded-client-cert',
    'forwarded',
  ])
    for (const spelled of spellingsOf(name)) {
      const sent = upstreamFields({ [spelled.toLowerCase()]: 'evil' }, { ...facts, ownNames: new Set() });
      assert.ok(!Object.values(sent).includes('evil'), spelled);
    }
});

interface Served extends AsyncDisposable {
  readonly bench: GatewayBench;
  readonly token: string;
  /** Returns the last request that passed. */
  seen(): IncomingMessage | undefined;
}

async function served(): Promise<Served> {
  let last: IncomingMessage | undefined;
  const upstream = createServer((request, response) => {
    last = request;
    response.end('through');
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { port } = upstream.address() as AddressInfo;
  const signer = await createTokenSigner({
    key: await newSigningKey(),
    issuer: 'https://issuer',
    clock: nodeClock,
  });
  const bench = await startGateway('');
  writeFileSync(join(bench.folder, 'keys.json'), JSON.stringify(signer.publicKeys));
  const claims = 'claimsToHeaders: {sub: X-User, role: X-Role}';
  const jwt = `{issuer: "https://issuer", jwksFile: FOLDER/keys.json, audiences: [tink], ${claims}}`;
  await bench.use(`listeners: [{name: plain, address: 127.0.0.1, port: 0}]
routes:
  - {name: r, match: {pathPrefix: /in}, upstream: {endpoints: "127.0.0.1:${port}"}, middlewares: {validateJwt: ${jwt}}}
  - {name: open, upstream: {endpoints: "127.0.0.1:${port}"}}
`);
  return {
    bench,
    token: await signer.sign({ aud: 'tink', sub: 'ann', role: 'guest' }, 60),
    seen: () => last,
    async [Symbol.asyncDispose]() {
      upstream.close();
      upstream.closeAllConnections();
      await bench[Symbol.asyncDispose]();
    },
  };
}

async function overHttp1({ bench }: Served, head: string): Promise<number> {
  const socket = connectTcp(bench.gateway.portOf('plain'), '127.0.0.1');
  socket.write(`${head}Connection: close\r\n\r\n`, 'latin1');
  const text = Buffer.concat(await socket.toArray()).toString();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
}

async function overHttp2({ bench }: Served, headers: Record<string, string>): Promise<number> {
  const session = connectHttp2(`http://127.0.0.1:${bench.gateway.portOf('plain')}`);
  try {
    const stream = session.request({ ':authority': 'a', ...headers });
    const [head] = await once(stream, 'response');
    stream.resume();
    return Number(head[':status']);
  } finally {
    session.destroy();
  }
}

test('claims reach the backend as they are in the token, whatever else a client sends', async () => {
  await using server = await served();
  const { token } = server;
  const expected = { HTTP_X_USER: 'ann', HTTP_X_ROLE: 'guest' };
  const environment = (): Record<string, string> => {
    const all: Record<string, string> = {};
    const raw = server.seen()?.rawHeaders ?? [];
    for (let at = 0; at < raw.length; at += 2) {
      const name = environmentName(raw[at]!);
      if (name in expected) all[name] = `${all[name] ?? ''}${raw[at + 1]}`;
    }
    return all;
  };
  for (const name of [...spellingsOf('x-user'), ...spellingsOf('x-role')]) {
    const fields = `Host: a\r\nAuthorization: Bearer ${token}\r\n${name}: root\r\n`;
    assert.equal(await overHttp1(server, `GET /in HTTP/1.1\r\n${fields}`), 200, name);
    assert.deepEqual(environment(), expected, name);
    const lower = { [name.toLowerCase()]: 'root', authorization: `Bearer ${token}` };
    assert.equal(await overHttp2(server, { ':path': '/in', ...lower }), 200, name);
    assert.deepEqual(environment(), expected, name);
    // Also on routes that require no token, because the backend may be the same.
    await overHttp1(server, `GET /open HTTP/1.1\r\nHost: a\r\n${name}: root\r\n`);
    assert.deepEqual(environment(), {}, name);
  }
});

/** Spellings of a slash, a backslash and a dot that some program decodes. */
const HIDDEN = ['%5C', '%5c', '%255C', '%255c', '%25255c', '%2F', '%252f', '%252F', '%c0%af', '%C1%9C', '\\'];

test('refuses every path that hides a slash, a backslash or dots', async () => {
  await using server = await served();
  const paths = [
    ...HIDDEN.flatMap((one) => [`/open/a${one}b`, `/open${one}..${one}in`, `/open/..${one}in`, `${one}in`]),
    ...['%2e%2e', '..', '.%2e', '%252e%252e', '%252E.', '..;', '..;x=1', '.;'].map(
      (dots) => `/open/${dots}/in`,
    ),
  ];
  for (const path of paths) {
    assert.equal(requestPath(path), undefined, path);
    assert.equal(await overHttp1(server, `GET ${path} HTTP/1.1\r\nHost: a\r\n`), 400, path);
    // Node itself ends a stream whose path does not begin with a slash.
    if (path.startsWith('/')) assert.equal(await overHttp2(server, { ':path': path }), 400, path);
  }
  assert.equal(server.seen(), undefined);
  // A necessary escape stays.
  for (const path of [
    '/open/100%25',
    '/open/a%20b',
    '/open/%C3%A9',
    '/open/a%3Bb',
    '/open/v1..2',
    '/open/..a',
    '/open/%25zz',
  ])
    assert.equal(await overHttp1(server, `GET ${path}?x=%5C HTTP/1.1\r\nHost: a\r\n`), 200, path);
});
