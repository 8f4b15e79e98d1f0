import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { HttpTarget } from '@tinkerbell/platform-contract';
import { createNodeHttpClient } from './index.ts';

const client = createNodeHttpClient();
const anywhere = { mayConnect: () => true };

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('returns a body with its headers, and sends the given headers', async () => {
  await using server = await serve((request, response) => {
    response.setHeader('etag', '"1"').end(`${request.method} ${request.headers.range}`);
  });
  const answer = await client.get(`${server.url}/a?b=c`, { ...anywhere, headers: { range: 'bytes=0-1' } });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('ETag'), '"1"');
  assert.equal(answer.headers.get('x-none'), null);
  assert.equal(await new Response(answer.body).text(), 'GET bytes=0-1');
});

test('posts a body with its length, and follows no redirect', async () => {
  await using server = await serve(async (request, response) => {
    if (request.url === '/moved') return response.writeHead(307, { location: '/' }).end('moved');
    const body = await Array.fromAsync(request, String);
    response.end(`${request.method} ${request.headers['content-length']} ${body.join('')}`);
  });
  const post = { ...anywhere, method: 'POST', body: new TextEncoder().encode('{"a":"ä"}') } as const;
  const answer = await client.get(`${server.url}/`, post);
  assert.equal(await new Response(answer.body).text(), 'POST 10 {"a":"ä"}');
  const moved = await client.get(`${server.url}/moved`, post);
  assert.deepEqual([moved.status, await new Response(moved.body).text()], [307, 'moved']);
});

test('follows ten redirects and no more, absolute and relative', async () => {
  await using server = await serve((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) return response.end('there');
    const place = left % 2 === 0 ? `/${left - 1}` : `http://${request.headers.host}/${left - 1}`;
    return response.writeHead(302, { location: place }).end();
  });
  const answer = await client.get(`${server.url}/10`, anywhere);
  assert.equal(await new Response(answer.body).text(), 'there');
  assert.equal(answer.url, `${server.url}/0`);
  await assert.rejects(client.get(`${server.url}/11`, anywhere), /\/11 redirects more than 10 times/);
});

test('checks each address of each hop, and connects to no other', async () => {
  await using server = await serve((request, response) => {
    if (request.url !== '/start') return response.end('secret');
    return response.writeHead(307, { location: `http://localhost:${server.port}/inside` }).end();
  });
  const asked: HttpTarget[] = [];
  const mayConnect = (target: HttpTarget) => {
    asked.push(target);
    return target.redirects === 0;
  };
  await assert.rejects(client.get(`${server.url}/start`, { mayConnect }), {
    code: 'permission-denied',
    message: /^cannot get http:\/\/localhost:\d+\/inside: it is at .*127\.0\.0\.1.*may not connect/,
  });
  assert.deepEqual(asked[0], {
    hostname: '127.0.0.1',
    address: '127.0.0.1',
    isThisMachine: true,
    redirects: 0,
  });
  const [, ...afterwards] = asked.map(({ hostname, isThisMachine, redirects }) => ({
    hostname,
    isThisMachine,
    redirects,
  }));
  assert.ok(afterwards.length > 0);
  for (const one of afterwards)
    assert.deepEqual(one, { hostname: 'localhost', isThisMachine: true, redirects: 1 });
});

test('headers of the client itself do not follow a redirect', async () => {
  const seen: string[] = [];
  await using server = await serve((request, response) => {
    seen.push(`${request.url} ${request.headers.accept} ${request.headers.authorization}`);
    if (request.url === '/start') response.writeHead(307, { location: '/end' });
    response.end();
  });
  const headers = { accept: 'text/plain' };
  const ownHeaders = { authorization: 'Bearer secret' };
  await client.get(`${server.url}/start`, { ...anywhere, headers, ownHeaders });
  assert.deepEqual(seen, ['/start text/plain Bearer secret', '/end text/plain undefined']);
});

test('treats every spelling of an address as that address', async () => {
  for (const host of ['127.1', '2130706433', '0x7f.0.0.1', '[::ffff:127.0.0.1]']) {
    const asked: string[] = [];
    const mayConnect = ({ address }: HttpTarget) => asked.push(address) < 0;
    await assert.rejects(client.get(`http://${host}:1/`, { mayConnect }), /may not connect/, host);
    assert.match(asked.join(), /^(127\.0\.0\.1|::ffff:7f00:1)$/, host);
  }
});

test('supports http and https only, also in a redirect', async () => {
  await using server = await serve((_, response) =>
    response.writeHead(301, { location: 'file:///etc/passwd' }).end(),
  );
  await assert.rejects(
    client.get(server.url, anywhere),
    /^PlatformError: file:\/\/\/etc\/passwd is not an http or https URL \(http:/,
  );
  await assert.rejects(client.get('ftp://127.0.0.1/', anywhere), /not an http or https URL/);
  await assert.rejects(client.get('nonsense', anywhere), /not an http or https URL/);
});

test('a body that ends before its length is an error, not a short body', async () => {
  await using server = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy());
  });
  const answer = await client.get(server.url, anywhere);
  await assert.rejects(new Response(answer.body).text(), /cannot get http:/);
});

test('gives up on a host that sends nothing, and on one that refuses', async () => {
  const impatient = createNodeHttpClient({ connectTimeoutMs: 5_000, idleTimeoutMs: 50 });
  const mute = createTcpServer().listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  const sockets: { destroy(): void }[] = [];
  mute.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)));
  await assert.rejects(impatient.get(`http://127.0.0.1:${port}/`, anywhere), /no data for 50 ms/);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => mute.close(resolve));
  await assert.rejects(client.get(`http://127.0.0.1:${port}/?token=x`, anywhere), {
    code: 'unavailable',
    message: new RegExp(`^cannot get http://127\\.0\\.0\\.1:${port}/: connect ECONNREFUSED`),
  });
});

test('cancelling the body, or aborting the signal, ends the connection', async () => {
  const closed = Promise.withResolvers<void>();
  const waiting = Promise.withResolvers<void>();
  await using server = await serve((request, response) => {
    if (request.url === '/never') return waiting.resolve();
    response.once('close', closed.resolve);
    response.writeHead(200);
    return response.write('begin');
  });
  const answer = await client.get(server.url, anywhere);
  await answer.body.cancel();
  await closed.promise;
  const controller = new AbortController();
  const asked = client.get(`${server.url}/never`, { ...anywhere, signal: controller.signal });
  await waiting.promise;
  controller.abort();
  await assert.rejects(asked, { name: 'PlatformError' });
});
