import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2, type ClientHttp2Session } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect as connectTcp, type AddressInfo, type Server } from 'node:net';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { issue, startGateway, type GatewayBench } from './testing/gateway-bench.ts';

/** The request that the upstream received, and its route. */
interface Seen {
  readonly status: number;
  readonly route?: string;
  readonly method?: string;
  readonly scheme?: string;
  readonly host?: string;
  readonly forwarded: Readonly<Record<string, string | undefined>>;
}

interface Asked {
  readonly servername?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The address from which the client connects. */
  readonly from?: string;
}

const ways = ['HTTP/1.1', 'HTTP/1.1 over TLS', 'h2', 'h2c'] as const;
type Way = (typeof ways)[number];

const ofTls: readonly Way[] = ['HTTP/1.1 over TLS', 'h2'];
const FORWARDED = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded', 'x-real-ip'];

let bench: GatewayBench;
const servers: Server[] = [];

before(async () => {
  const plain = createServer((incoming, response) => {
    const { host, ...headers } = incoming.headers;
    response.end(JSON.stringify({ method: incoming.method, host, headers }));
  });
  const http2 = createHttp2((incoming, response) => {
    const { ':scheme': scheme, ':authority': host, ...headers } = incoming.headers;
    response.end(JSON.stringify({ method: incoming.method, scheme, host, headers }));
  });
  const [one, two] = await Promise.all([plain, http2].map(listening));
  const tls = '{certificates: [{certFile: FOLDER/a.pem, keyFile: FOLDER/a.key}]}';
  const trusting =
    '{certificates: [{certFile: FOLDER/a.pem, keyFile: FOLDER/a.key}], clientCaFile: FOLDER/ca.pem}';
  const route = (name: string, match: string, upstream: string): string =>
    `  - {name: ${name}, match: ${match}, upstream: ${upstream}, middlewares: {headers: {response: {x-route: ${name}}}}}\n`;
  const http1 = `{endpoints: "127.0.0.1:${one}"}`;
  bench = await startGateway(`listeners:
  - {name: tls, address: 127.0.0.1, port: 0, tls: ${tls}}
  - {name: plain, address: 127.0.0.1, port: 0}
  - {name: trusting, address: 127.0.0.1, port: 0, tls: ${trusting}}
trustedProxies: [127.0.0.9/32]
routes:
${route('h2c', '{pathPrefix: /h2c}', `{protocol: h2c, endpoints: "127.0.0.1:${two}"}`)}${route('sni', '{sni: b.example.org}', http1)}${route('wide', '{sni: "*.example.org", pathPrefix: /wide}', http1)}${route('rest', '{pathPrefix: /}', http1)}`);
});

after(async () => {
  await bench[Symbol.asyncDispose]();
  for (const server of servers) server.close();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function seen(status: number, route: unknown, text: string): Seen {
  if (status !== 200) return { status, forwarded: {} };
  const told = JSON.parse(text) as {
    method: string;
    scheme?: string;
    host: string;
    headers: Record<string, string>;
  };
  const forwarded = Object.fromEntries(FORWARDED.map((name) => [name, told.headers[name]]));
  const { method, host, scheme = '' } = told;
  return { status, route: String(route), method, host, scheme, forwarded };
}

async function ask(way: Way, path: string, asked: Asked = {}): Promise<Seen> {
  return way.startsWith('HTTP') ? askHttp1(way, path, asked) : askHttp2(way, path, asked);
}

async function askHttp1(way: Way, path: string, { servername, host, headers, from }: Asked): Promise<Seen> {
  const isTls = ofTls.includes(way);
  const port = bench.gateway.portOf(isTls ? 'tls' : 'plain');
  const own = { host: host ?? 'a.example.org', ...headers };
  const options = { host: '127.0.0.1', port, path, headers: own, agent: false, localAddress: from };
  const request = isTls
    ? httpsRequest({
        ...options,
        ca: bench.ca,
        servername: servername ?? '',
        checkServerIdentity: () => undefined,
      })
    : httpRequest(options);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  return seen(response.statusCode ?? 0, response.headers['x-route'], text);
}

async function askHttp2(way: Way, path: string, { servername, host, headers, from }: Asked): Promise<Seen> {
  const isTls = way === 'h2';
  const port = bench.gateway.portOf(isTls ? 'tls' : 'plain');
  const options = { ca: bench.ca, servername: servername ?? '', checkServerIdentity: () => undefined };
  const session = connectHttp2(`${isTls ? 'https' : 'http'}://127.0.0.1:${port}`, {
    ...options,
    localAddress: from,
  } as object);
  try {
    return await askStream(session, { ':path': path, ':authority': host ?? 'a.example.org', ...headers });
  } finally {
    session.destroy();
  }
}

async function askStream(session: ClientHttp2Session, headers: Record<string, string>): Promise<Seen> {
  const stream = session.request(headers);
  const [head] = await once(stream, 'response');
  const text = Buffer.concat(await stream.toArray()).toString();
  return seen(Number(head[':status']), head['x-route'], text);
}

for (const way of ways) {
  const isTls = ofTls.includes(way);
  const scheme = isTls ? 'https' : 'http';
  const bySni = (route: string): string => (isTls ? route : 'rest');

  test(`over ${way} the scheme, the host and the client's address are those of the connection`, async () => {
    const { route, host, forwarded } = await ask(way, '/', { servername: 'a.example.org' });
    assert.deepEqual([route, host], ['rest', 'a.example.org']);
    assert.deepEqual(forwarded, {
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': scheme,
      'x-forwarded-host': 'a.example.org',
      forwarded: undefined,
      'x-real-ip': undefined,
    });
  });

  test(`over ${way} a client cannot claim anything else about its connection`, async () => {
    const lies = {
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-proto': isTls ? 'http' : 'https',
      'x-forwarded-host': 'evil.example.org',
      forwarded: 'for=6.6.6.6;proto=https',
      'x-real-ip': '6.6.6.6',
      ...(way.startsWith('h2') ? { ':scheme': isTls ? 'http' : 'https' } : {}),
    };
    const { forwarded } = await ask(way, '/', { servername: 'a.example.org', headers: lies });
    assert.deepEqual(Object.values(forwarded), ['127.0.0.1', scheme, 'a.example.org', undefined, undefined]);
  });

  test(`over ${way} the client of a trusted proxy counts as the client`, async () => {
    const headers = { 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': 'https' };
    const { forwarded } = await ask(way, '/', { headers, from: '127.0.0.9' });
    assert.equal(forwarded['x-forwarded-for'], '6.6.6.6, 127.0.0.9');
    assert.equal(forwarded['x-forwarded-proto'], 'https');
    const other = await ask(way, '/', { headers, from: '127.0.0.8' });
    assert.equal(other.forwarded['x-forwarded-for'], '127.0.0.8');
    assert.equal(other.forwarded['x-forwarded-proto'], scheme);
  });

  test(`over ${way} a route by server name matches the name of the handshake, and no other`, async () => {
    for (const [servername, path, route] of [
      ['b.example.org', '/', bySni('sni')],
      ['B.Example.ORG', '/', bySni('sni')],
      ['a.example.org', '/', 'rest'],
      ['a.example.org', '/wide', bySni('wide')],
      ['', '/wide', 'rest'],
    ] as const)
      assert.equal((await ask(way, path, { servername })).route, route, `${servername} ${path}`);
    // A Host is not a server name.
    assert.equal((await ask(way, '/', { servername: 'a.example.org', host: 'b.example.org' })).route, 'rest');
  });

  test(`over ${way} an upstream of HTTP/2 receives the scheme of the connection`, async () => {
    const told = await ask(way, '/h2c', { host: 'a.example.org:8443' });
    assert.deepEqual([told.scheme, told.host], [scheme, 'a.example.org:8443']);
    assert.equal(told.forwarded['x-forwarded-proto'], scheme);
  });
}

test('many streams of one connection have the facts of that connection', async () => {
  const port = bench.gateway.portOf('tls');
  const session = connectHttp2(`https://127.0.0.1:${port}`, {
    ca: bench.ca,
    servername: 'b.example.org',
  } as object);
  const all = await Promise.all(
    Array.from({ length: 20 }, () => askStream(session, { ':path': '/', ':authority': 'a.example.org' })),
  );
  session.destroy();
  for (const { route, forwarded } of all)
    assert.deepEqual([route, forwarded['x-forwarded-proto']], ['sni', 'https']);
});

for (const alpn of ['h2', 'http/1.1'] as const) {
  test(`where a client certificate is required, ${alpn} without one or with a foreign one is refused`, async () => {
    const stranger = issue(['client.example.org'], issue([]));
    const authority = {
      certificate: readFileSync(`${bench.folder}/ca.pem`, 'utf8'),
      key: readFileSync(`${bench.folder}/ca.key`, 'utf8'),
    };
    const known = issue(['client.example.org'], authority);
    const port = bench.gateway.portOf('trusting');
    const reached = async (identity: object): Promise<boolean> => {
      const socket = connectTls({
        host: '127.0.0.1',
        port,
        ca: bench.ca,
        servername: 'a.example.org',
        ALPNProtocols: [alpn],
        ...identity,
      });
      socket.on('error', () => undefined);
      const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';
      socket.write(alpn === 'h2' ? preface : 'GET / HTTP/1.1\r\nhost: a.example.org\r\n\r\n', 'latin1');
      const isReached = await new Promise<boolean>((resolve) => {
        socket.once('data', () => resolve(true)).once('close', () => resolve(false));
      });
      socket.destroy();
      return isReached;
    };
    assert.equal(await reached({ cert: known.certificate, key: known.key }), true);
    assert.equal(await reached({}), false);
    assert.equal(await reached({ cert: stranger.certificate, key: stranger.key }), false);
  });
}

test('a request on a plain port is HTTP/1.1, whatever its first bytes and packets are', async () => {
  const methods = ['GET', 'PUT', 'POST', 'PATCH', 'PROPFIND', 'PROPPATCH', 'PURGE'];
  for (const method of methods)
    for (const cut of [1, 2, 3, 4]) {
      const socket = connectTcp(bench.gateway.portOf('plain'), '127.0.0.1');
      socket.setNoDelay(true);
      const text = `${method} /cut HTTP/1.1\r\nhost: a.example.org\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok`;
      socket.write(text.slice(0, cut));
      await new Promise((resolve) => setTimeout(resolve, 10));
      socket.write(text.slice(cut));
      const answer = Buffer.concat(await socket.toArray()).toString();
      assert.match(answer, /^HTTP\/1\.1 200/, `${method} cut after ${cut}`);
      assert.match(answer, new RegExp(`"method":"${method}"`));
    }
});

test('a preface of HTTP/2 may arrive byte by byte, and similar bytes are not HTTP/2', async () => {
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');
  const port = bench.gateway.portOf('plain');
  const socket = connectTcp(port, '127.0.0.1').setNoDelay(true);
  for (const byte of preface) {
    socket.write(Uint8Array.of(byte));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const [first] = (await once(socket, 'data')) as [Buffer];
  // A frame of SETTINGS.
  assert.equal(first[3], 4);
  socket.destroy();
  for (const text of ['PRI * HTTP/1.1\r\nhost: a\r\n\r\n', 'PRIX / HTTP/1.1\r\nhost: a\r\n\r\n']) {
    const other = connectTcp(port, '127.0.0.1');
    other.write(text);
    assert.match(Buffer.concat(await other.toArray()).toString(), /^HTTP\/1\.1 400/);
  }
  // Half of it, and then the end: nobody waits for the rest.
  const half = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true });
  half.end('PRI * HT');
  half.resume();
  await once(half, 'close');
});
